import HTTP2
import LiveActivity
import SimulatedAPNs
import Testing

@testable import APNsSimulator

/// Every row of the table in Docs/Simulator.md, with every kind of request that it names, by real requests over TLS.
@Suite struct ProvocationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let provocation: Provocation
        let operation: Operation
        let row: Int

        var testDescription: String { "\(provocation.reason.rawValue), \(operation.rawValue), row \(row)" }

        static let all: [Case] = Provocation.all.enumerated().flatMap { row, provocation in
            provocation.kinds.map { Case(provocation: provocation, operation: $0, row: row) }
        }
    }

    @Test(arguments: Case.all) func provoked(_ example: Case) throws {
        let provoker = try Provoker(example.operation)
        let reason = example.provocation.reason
        guard let response = try provoker.answer(to: example.provocation) else {
            let client = try provoker.client()
            try client.wait("GOAWAY") { client.goAway != nil }
            #expect(client.goAway?.debugData == "{\"reason\":\"\(reason.rawValue)\"}")
            return
        }
        let bytes = response.body
        let body = try JSONValue(parsing: bytes.span)
        #expect(body["reason"]?.string == reason.rawValue)
        #expect(response.status == reason.status)
        #expect(response.headers.text("content-type") == "application/json")
        let isPush = example.operation == .device || example.operation == .start
        #expect((response.headers.text("apns-id") != nil) == isPush)
        #expect((response.headers.text("apns-request-id") != nil) == !isPush)
        // Milliseconds since 1970, for dead tokens only.
        #expect((body["timestamp"]?.integer ?? 0 > 1_700_000_000_000) == (response.status == 410))
    }

    /// What Docs/APNs.md 3.4 lists is what the table holds: reasons, statuses, and on which requests.
    @Test func everyDocumentedReasonIsProvoked() throws {
        let rows = try DocumentedReason.all()
        #expect(Set(rows.map(\.name)) == Set(Reason.allCases.map(\.rawValue)))
        for row in rows {
            guard let reason = Reason(rawValue: row.name) else { continue }
            #expect(row.status == reason.status, "\(row.name)")
            let kinds = Set(Provocation.all.filter { $0.reason == reason }.flatMap(\.kinds))
            if row.places.contains("D") { #expect(kinds.isSuperset(of: [.device, .start]), "\(row.name)") }
            if row.places.contains("B") { #expect(kinds.contains(.broadcast), "\(row.name)") }
            if row.places.contains("C") {
                #expect(!kinds.isDisjoint(with: [.create, .read, .delete, .list]), "\(row.name)")
            }
        }
    }

    /// The other way round: what a check can say somebody can hear.
    @Test func everyCheckIsReached() {
        for operation in Operation.allCases {
            let provoked = Set(Provocation.all.filter { $0.kinds.contains(operation) }.map(\.reason))
            // A device push without type takes it from its topic: this half of the check is for broadcasts.
            let reasons = Check.order(of: operation).flatMap(\.reasons).map(\.reason)
            let isPush = operation == .device || operation == .start
            for reason in reasons where !(isPush && reason == .missingPushType) {
                #expect(provoked.contains(reason), "\(operation.rawValue) \(reason.rawValue)")
            }
        }
    }
}

/// A row of the table in Docs/APNs.md 3.4.
struct DocumentedReason {
    let status: Int
    let name: String
    /// D, B, C.
    let places: Set<Substring>

    static func all() throws -> [DocumentedReason] {
        let text = String(decoding: try TestFile.contents(Page.root + "/Docs/APNs.md"), as: UTF8.self)
        return text.split(separator: "\n").flatMap { line -> [DocumentedReason] in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.split(separator: " ")
            }
            guard cells.count > 4, cells[1].count == 1, let status = Int(cells[1][0]), status >= 400 else { return [] }
            return line.split(separator: "|")[1].split(separator: "`").compactMap { part in
                let isName = part.first?.isUppercase == true && part.allSatisfy(\.isLetter)
                return isName
                    ? DocumentedReason(
                        status: status, name: String(part), places: Set(cells[3].filter { $0.count == 1 }))
                    : nil
            }
        }
    }
}
