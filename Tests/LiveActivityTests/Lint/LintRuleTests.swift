import Codes
import Foundation
import LiveActivity
import Testing

/// The reference of the rules, and its examples put to the test.
@Suite struct LintRuleTests {
    /// Examples that cannot be shown as text; PayloadRulesTests has them.
    private static let notShown: Set<Code> = [.bodyNotUTF8, .bodyCompressed, .bodyTooLarge, .bodyTooManyKeys]

    @Test func everyCodeOfTheAreaIsARule() {
        let rules = LintRule.all.map(\.code.id)
        let codes = Code.areas.first { $0.letter == "L" }?.codes.map(\.id).filter { !$0.hasPrefix("CRL-L9") } ?? []
        #expect(Set(rules) == Set(codes))
        #expect(rules == rules.sorted() && Set(rules).count == rules.count)
    }

    @Test func everyExampleBreaksItsRule() throws {
        let schemas = try SchemaSet(reading: Array(LintRule.exampleSchema.utf8), place: "")
        for rule in LintRule.all where !Self.notShown.contains(rule.code) {
            let now = LintRule.exampleNow * 1000
            guard rule.need != .headers else {
                let findings = PayloadLinter.lint(Self.headers(rule.example), as: rule.kind, nowMilliseconds: now)
                #expect(findings.contains { $0.code == rule.code && $0.severity == rule.severity }, "\(rule.code)")
                continue
            }
            var history = SentHistory()
            if case .history(let sent) = rule.need { history = sent }
            let report = PayloadLinter(schemas: schemas).lint(
                Array(rule.example.utf8).span, as: rule.kind, nowMilliseconds: now, history: history)
            #expect(report.findings.map(\.code) == [rule.code], "\(rule.code): \(report.findings)")
            #expect(report.findings.first?.severity == rule.severity, "\(rule.code)")
        }
    }

    private static func headers(_ text: String) -> RequestHeaders {
        let fields = text.split(separator: "\n").map { line in
            let colon = line.dropFirst().firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        return RequestHeaders(fields, policy: RequestHeaders.StoragePolicy.none)
    }

    @Test func theHeadersOfTheExamplePayloadsAreRight() throws {
        let fixtures = try PayloadFixtures.load()
        var checked = 0
        for payload in fixtures.payloads {
            guard let headers = payload.headers else { continue }
            checked += 1
            let fields = headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let findings = PayloadLinter.lint(
                RequestHeaders(fields), as: payload.request, nowMilliseconds: fixtures.referenceNow * 1000)
            #expect(findings == [], "\(payload.file)")
        }
        #expect(checked >= 20)
    }

    /// Run with CARILLON_UPDATE_DOCS=1 to write the page anew after a rule changed.
    @Test func theReferenceIsWhatTheRulesSay() throws {
        let page = PayloadFixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/Reference/Lint.md")
        if ProcessInfo.processInfo.environment["CARILLON_UPDATE_DOCS"] != nil {
            try LintRule.reference.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == LintRule.reference)
    }
}
