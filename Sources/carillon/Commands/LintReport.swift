internal import Codes
internal import LiveActivity
internal import Terminal

/// What the linter found in all payloads of a call, for people and programs.
struct LintReport {
    /// Payloads with findings beyond this number are counted only.
    static let payloadsMax = 10_000

    /// One finding with its place; headers have none.
    struct Item {
        let finding: Finding
        var line: Int?
        var column: Int?

        init(_ finding: Finding, line: Int? = nil, column: Int? = nil) {
            (self.finding, self.line, self.column) = (finding, line, column)
        }
    }

    /// One payload.
    struct Payload {
        let file: String
        /// Where it stands among others; nil when the file is the payload.
        let line: Int?
        let bytes: Int
        let items: [Item]

        var verdict: String {
            switch items.map(\.finding.severity).max() {
            case .error: "reject"
            case .warning: "warn"
            case .info, nil: "accept"
            }
        }
    }

    private var payloads: [Payload] = []
    private var counts: [Finding.Severity: Int] = [:]
    private var total = 0
    private var leftOut = 0

    func count(_ severity: Finding.Severity) -> Int { counts[severity] ?? 0 }

    mutating func add(_ payload: Payload) {
        total += 1
        for item in payload.items { counts[item.finding.severity, default: 0] += 1 }
        if payloads.count < Self.payloadsMax { payloads.append(payload) } else { leftOut += 1 }
    }

    /// Data to standard output, the sum to standard error.
    func show(_ console: Console) {
        console.show(table, json: json)
        console.say(
            "\(total) \(total == 1 ? "payload" : "payloads"): \(count(.error)) errors, \(count(.warning)) warnings, "
                + "\(count(.info)) infos" + (leftOut > 0 ? "; \(leftOut) payloads are counted but not shown" : ""))
    }

    private var table: Table {
        var table = Table([
            .text("SEVERITY"), .text("CODE"), .text("RULE"), .text("PLACE"), .text("PATH"), .text("MEANS"),
            .text("DO"), .number("BYTES", wide: true),
        ])
        for payload in payloads {
            for item in payload.items { table.append(row(item, payload)) }
        }
        return table
    }

    private func row(_ item: Item, _ payload: Payload) -> [Table.Cell] {
        let finding = item.finding
        var place = payload.file
        if let line = item.line ?? payload.line { place += ":\(line)" }
        if let column = item.column { place += ":\(column)" }
        let style: Style? =
            switch finding.severity {
            case .error: .red
            case .warning: .yellow
            case .info: nil
            }
        return [
            .init(finding.severity.name, style), .init(finding.code.id), .init(finding.code.slug), .init(place),
            .init(finding.path.isEmpty ? "-" : finding.path),
            .init(finding.detail.isEmpty ? finding.code.meaning : finding.detail), .init(finding.code.action),
            .init("\(payload.bytes)"),
        ]
    }

    private var json: JSONValue {
        [
            "payloads": .array(payloads.map(document)), "count": .count(total), "errors": .count(count(.error)),
            "warnings": .count(count(.warning)), "infos": .count(count(.info)), "left_out": .count(leftOut),
        ]
    }

    private func document(_ payload: Payload) -> JSONValue {
        [
            "file": .string(payload.file), "line": payload.line.map { .count($0) } ?? .null,
            "bytes": .count(payload.bytes), "verdict": .string(payload.verdict),
            "findings": .array(payload.items.map(document)),
        ]
    }

    private func document(_ item: Item) -> JSONValue {
        let finding = item.finding
        return [
            "severity": .string(finding.severity.name), "code": .string(finding.code.id),
            "rule": .string(finding.code.slug), "path": .string(finding.path),
            "line": item.line.map { .count($0) } ?? .null, "column": item.column.map { .count($0) } ?? .null,
            "offset": item.line == nil ? .null : .count(finding.offset), "meaning": .string(finding.code.meaning),
            "detail": .string(finding.detail), "action": .string(finding.code.action),
        ]
    }
}
