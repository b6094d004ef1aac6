import Codes

/// All rules: those of `PayloadInspector`, and those that need the app's types or what was sent before
/// (Docs/APNs.md 4.8).
public struct PayloadLinter: Sendable {
    /// The rules that need the payload only.
    public var inspector: PayloadInspector
    /// The types that the payload may be of; nil when they are not known and nothing is decoded. Among several, a start
    /// names its own; an update or end, which names none, is compared only when there is one type.
    public var schemas: SchemaSet?

    /// Makes a linter.
    public init(inspector: PayloadInspector = PayloadInspector(requireTimestamp: true), schemas: SchemaSet? = nil) {
        self.inspector = inspector
        self.schemas = schemas
    }

    /// Says all there is to say about one payload for one kind of request.
    ///
    /// `nowMilliseconds` is the time since 1970. Takes any bytes; the time is linear in their number, but for names
    /// that differ from those of the type. Findings of the types come last, in the order of the payload.
    public func lint(
        _ payload: Span<UInt8>, as kind: RequestKind, nowMilliseconds: Int64, history: SentHistory = SentHistory()
    ) -> PayloadReport {
        var report = inspector.inspect(payload, as: kind, nowMilliseconds: nowMilliseconds)
        checkHistory(&report, history, payload)
        if let schemas { check(&report, schemas, payload) }
        if !report.isAcceptable { report.layout = nil }
        return report
    }

    private func checkHistory(_ report: inout PayloadReport, _ history: SentHistory, _ payload: Span<UInt8>) {
        if let last = history.lastTimestampSeconds, let stamp = report.producerTimestampSeconds, stamp <= last {
            report.add(
                Finding(
                    .timestampNotNewer, .error, at: report.timestampOffset, path: "aps.timestamp",
                    detail: stamp == last
                        ? "the last message had the same timestamp" : "the last timestamp was \(last - stamp) s later"))
        }
        guard history.attributesBytes > 0, report.attributesRange == nil, let state = report.contentStateRange else {
            return
        }
        let total = state.count + history.attributesBytes
        if total > PayloadInspector.activityBytesMax, state.count <= PayloadInspector.activityBytesMax {
            report.add(
                Finding(
                    .contentStateTooLarge, .warning, at: state.lowerBound, path: "aps.content-state",
                    detail: "content-state and the attributes of the start have \(total) bytes"))
        }
    }

    private func check(_ report: inout PayloadReport, _ schemas: SchemaSet, _ payload: Span<UInt8>) {
        guard let type = type(of: &report, schemas, payload) else { return }
        if let range = report.contentStateRange {
            let findings = type.contentStateTable.findings(in: payload, at: range, root: "aps.content-state")
            for finding in findings { report.add(finding) }
        }
        if report.event == .start, let range = report.attributesRange {
            let findings = type.attributesTable.findings(in: payload, at: range, root: "aps.attributes")
            for finding in findings { report.add(finding) }
        }
    }

    /// The type to compare with; nil when it is not known.
    private func type(
        of report: inout PayloadReport, _ schemas: SchemaSet, _ payload: Span<UInt8>
    ) -> ActivitySchema? {
        let only = schemas.types.count == 1 ? schemas.types[0] : nil
        guard report.event == .start, let range = report.attributesTypeRange else { return only }
        let name = JSONText.string(payload, range)
        if let type = schemas[name] { return type }
        let guess = Suggestion.phrase(for: name, among: schemas.types.map(\.name))
        report.add(
            Finding(
                .attributesTypeUnknown, .error, at: range.lowerBound - 1, path: "aps.attributes-type",
                detail: "the schema has no such type\(guess)"))
        return only
    }
}
