import Codes
import LiveActivity
import Testing

/// Every example payload gets the verdict of the manifest.
@Suite struct ManifestTests {
    /// Decided by the app's types, which the structural rules do not know: the inspector must find nothing in them.
    private static let needSchema: Set<String> = [
        "invalid/content-state-snake-case.json", "invalid/content-state-date-iso8601.json",
        "invalid/content-state-date-unix.json", "invalid/content-state-enum-case.json",
    ]

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
        "duplicate-keys": "aps.event", "custom-key-inside-aps": "aps.traceId",
    ]

    @Test func everyPayloadGetsItsVerdict() throws {
        let fixtures = try PayloadFixtures.load()
        #expect(fixtures.payloads.count == 55)
        let inspector = PayloadInspector(requireTimestamp: true)
        var decided = 0
        for payload in fixtures.payloads {
            let report = inspector.inspect(
                payload.bytes.span, as: payload.request, nowMilliseconds: fixtures.referenceNow * 1000)
            if Self.needSchema.contains(payload.file) {
                #expect(report.findings.isEmpty, "\(payload.file)")
                #expect(payload.rule?.hasPrefix("schema-") == true, "\(payload.file)")
                continue
            }
            decided += 1
            check(report, payload)
        }
        #expect(decided == 51)
    }

    private func check(_ report: PayloadReport, _ payload: PayloadFixtures.Payload) {
        // Exactly the one finding, not merely that one among others.
        #expect(report.findings.map(\.code.slug) == (payload.rule.map { [$0] } ?? []), "\(payload.file)")
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
            try PayloadFixtures.load().payloads.filter { $0.rule != nil && !Self.needSchema.contains($0.file) }.map {
                String($0.file.split(separator: "/")[1].dropLast(5))
            })
        #expect(broken == Set(Self.paths.keys))
    }
}
