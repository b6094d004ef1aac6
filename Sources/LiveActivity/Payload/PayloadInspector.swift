import Codes

/// Reads a payload once and says what it is, where its changeable bytes lie, and which rules it breaks that need
/// neither the last sent state nor a schema (Docs/APNs.md 4.8).
public struct PayloadInspector: Sendable, Hashable {
    /// Most findings in one report; what comes after is left out.
    public static let findingsMax = 32
    /// How far `aps.timestamp` may lie ahead of the clock before it is reported, in seconds.
    public static let futureToleranceSeconds: Int64 = 10
    /// How long the system keeps an ended activity on the Lock Screen, in seconds (Docs/APNs.md 5.7).
    public static let dismissalSecondsMax: Int64 = 4 * 3600
    /// Most bytes of `content-state` and `attributes` together (Docs/APNs.md 4.6).
    public static let activityBytesMax = 4096

    /// Whether a payload without `aps.timestamp` is an error. Not on the data path, where Carillon puts the stamp in.
    public var requireTimestamp: Bool

    /// Makes an inspector.
    public init(requireTimestamp: Bool = false) {
        self.requireTimestamp = requireTimestamp
    }

    /// Inspects one payload for one kind of request.
    ///
    /// `nowMilliseconds` is the time since 1970 against which dates are judged and with whose digits the size is
    /// reckoned. Takes any bytes. Allocates nothing that outlives the call unless there is a finding.
    public func inspect(
        _ payload: Span<UInt8>, as kind: RequestKind, nowMilliseconds: Int64
    ) -> PayloadReport {
        var visitor = PayloadVisitor()
        do throws(JSONFault) {
            try JSONScanner.scan(payload, visitor: &visitor)
        } catch {
            return refusal(error, payload)
        }
        var rules = PayloadRules(
            inspector: self, visitor: visitor, kind: kind, nowSeconds: nowMilliseconds / 1000,
            payloadBytes: payload.count)
        rules.apply(payload)
        return rules.report
    }

    private func refusal(_ fault: JSONFault, _ payload: Span<UInt8>) -> PayloadReport {
        var report = PayloadReport(payloadBytes: payload.count)
        if Self.isCompressed(payload) {
            report.findings = [Finding(.bodyCompressed, .error, at: 0, path: "")]
        } else {
            let path = fault.reason == .tooLarge ? "" : JSONPath(to: fault, in: payload).description
            report.findings = [Finding(fault.code, .error, at: fault.offset, path: path, detail: fault.words)]
        }
        return report
    }

    /// The magic numbers of gzip, zlib and zstd.
    private static func isCompressed(_ payload: Span<UInt8>) -> Bool {
        guard payload.count >= 4 else { return false }
        switch (payload[0], payload[1]) {
        case (0x1F, 0x8B), (0x78, 0x01), (0x78, 0x5E), (0x78, 0x9C), (0x78, 0xDA): return true
        default: return payload[0] == 0x28 && payload[1] == 0xB5 && payload[2] == 0x2F && payload[3] == 0xFD
        }
    }
}
