import Codes
import Foundation
import LiveActivity
import Testing
import Wire

/// Docs/Protocol/Producer.md is what other clients are written from, so its bytes and tables are checked.
@Suite struct DocumentTests {
    private func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Docs/Protocol/Producer.md"), encoding: .utf8)
    }

    /// The frames of the code block after each `golden: NAME`.
    private func examples() throws -> [String: [[UInt8]]] {
        var examples: [String: [[UInt8]]] = [:]
        for part in try page().components(separatedBy: "<!-- golden: ").dropFirst() {
            let name = String(part.prefix { $0 != " " })
            let block = part.components(separatedBy: "```")[1]
            examples[name] = try block.components(separatedBy: "frame ").dropFirst().map { frame in
                let digits = frame.split(separator: "\n").dropFirst().joined().filter { $0 != " " }
                return try #require(Golden.bytes(hex: digits))
            }
        }
        return examples
    }

    @Test func theExampleBytesAreTheVectors() throws {
        let examples = try examples()
        #expect(examples.keys.sorted() == ["ack", "bye", "bye-answer", "hello", "publish", "ready"])
        for (name, frames) in examples { #expect(try Golden.frames(name) == frames, "\(name)") }
    }

    @Test func everyCodeOfTheProtocolIsInTheTable() throws {
        let page = try page()
        let local = [Code.noAnswer, .refusedConnection, .clientClosed, .badEndpoint]
        for code in Code.all where code.id.hasPrefix("CRL-P") && !local.contains(code) {
            #expect(page.contains("| \(code.id) | `\(code.slug)` |"), "\(code)")
        }
    }

    @Test func everyCommandAndMemberIsExplained() throws {
        let page = try page()
        let frames =
            try Samples.producer().map { $0.message.frames()[1] } + Samples.node().map { $0.message.frames()[1] }
        for frame in frames {
            guard case .object(let members) = try JSONValue(parsing: frame.span) else { continue }
            for member in members {
                let name = member.name
                #expect(
                    page.contains("`\(name)`") || page.contains("\"\(name)\"") || page.contains("\(name)`"), "\(name)")
            }
            let command = try #require(members.first?.value.string)
            #expect(page.contains(command), "\(command)")
        }
    }
}
