import Codes
import LiveActivity
import Testing

/// Every example payload gets the verdict of the manifest.
@Suite struct ManifestTests {
    /// Where the rule is broken, for every payload that breaks one.
    private static let paths = [
        "device-end-without-content-state": "aps.content-state", "device-update-4097": "", "start-4097": "",
        "broadcast-update-5121": "", "broadcast-content-state-over-4096": "aps.content-state", "empty-body": "",
        "truncated": "aps.content-state.lastEvent", "invalid-utf8": "aps.content-state.lastEvent",
        "root-is-array": "", "aps-missing": "aps", "timestamp-outside-aps": "timestamp",
        "timestamp-missing": "aps.timestamp", "timestamp-milliseconds": "aps.timestamp",
        "timestamp-string": "aps.timestamp", "event-missing": "aps.event", "event-unknown": "aps.event",
        "update-without-content-state": "aps.content-state", "content-state-as-string": "aps.content-state",
        "start-without-alert": "aps.alert", "start-without-attributes-type": "aps.attributes-type",
        "start-without-attributes": "aps.attributes", "start-input-push-conflict": "aps.input-push-channel",
        "start-input-push-token-true": "aps.input-push-token", "start-channel-uuid": "aps.input-push-channel",
        "broadcast-start": "aps.event", "update-on-start-token": "aps.event",
        "alert-flat-loc-keys": "aps.alert.title-loc-key", "dismissal-date-null": "aps.dismissal-date",
        "stale-date-milliseconds": "aps.stale-date", "relevance-score-string": "aps.relevance-score",
        "content-state-snake-case": "aps.content-state.homeScore",
        "content-state-date-iso8601": "aps.content-state.departure",
        "content-state-date-unix": "aps.content-state.departure",
        "content-state-enum-case": "aps.content-state.stage", "duplicate-keys": "aps.event",
        "custom-key-inside-aps": "aps.traceId",
    ]

    @Test func everyPayloadGetsItsVerdict() throws {
        let fixtures = try PayloadFixtures.load()
        let schemas = try SchemaSet(reading: PayloadFixtures.schemaBytes(), place: "schemas.json")
        #expect(fixtures.payloads.count == 55)
        for payload in fixtures.payloads {
            let only = try payload.schema.map { name throws(Fault) in try schemas.only(name, place: "") }
            let report = PayloadLinter(schemas: only).lint(
                payload.bytes.span, as: payload.request, nowMilliseconds: fixtures.referenceNow * 1000)
            check(report, payload)
        }
    }

    /// With all types at once a start names its own; nothing is found that the type alone would not find.
    @Test func severalTypesAtOnceFindNothingElse() throws {
        let fixtures = try PayloadFixtures.load()
        let linter = PayloadLinter(schemas: try SchemaSet(reading: PayloadFixtures.schemaBytes(), place: ""))
        for payload in fixtures.payloads where payload.rule?.hasPrefix("schema-") != true {
            let report = linter.lint(
                payload.bytes.span, as: payload.request, nowMilliseconds: fixtures.referenceNow * 1000)
            check(report, payload)
        }
    }

    private func check(_ report: PayloadReport, _ payload: PayloadFixtures.Payload) {
        // The one rule, not merely that one among others; several members may break it.
        #expect(Set(report.findings.map(\.code.slug)) == Set(payload.rule.map { [$0] } ?? []), "\(payload.file)")
        if payload.rule?.hasPrefix("schema-") != true { #expect(report.findings.count <= 1, "\(payload.file)") }
        let name = payload.file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        #expect(report.findings.first?.path == Self.paths[name], "\(payload.file)")
        let worst: Finding.Severity? =
            switch payload.verdict {
            case "reject": .error
            case "warn": .warning
            default: payload.rule == nil ? nil : .info
            }
        #expect(report.worst == worst, "\(payload.file)")
        #expect(report.isAcceptable == (payload.verdict != "reject"), "\(payload.file)")
        #expect((report.layout != nil) == report.isAcceptable, "\(payload.file)")
        if report.isAcceptable { #expect(report.event?.name == payload.event, "\(payload.file)") }
    }

    @Test func everyPathTableEntryIsUsed() throws {
        let broken = Set(
            try PayloadFixtures.load().payloads.filter { $0.rule != nil }.map {
                String($0.file.split(separator: "/")[1].dropLast(5))
            })
        #expect(broken == Set(Self.paths.keys))
    }
}
