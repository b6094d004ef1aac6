public import Codes

/// `nack`: the request was not carried out, and why.
public struct Nack: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "nack"

    /// The request's number; nil when it could not be read.
    public var sequence: Int64?
    /// `CRL-P104`.
    public var code: String
    /// `unknown-channel`.
    public var slug: String
    /// What was wrong this time and what to do, for a person.
    public var text: String
    /// The header member at fault; empty when there is none.
    public var field: String
    /// When the same request may be sent again, in milliseconds from now; nil: it will not succeed unchanged.
    public var retryMilliseconds: Int64?
    /// For `lint-failed`: at most 32.
    public var findings: [WireFinding]
    /// For `unsupported-version`: what the node speaks.
    public var versions: [String]

    /// Makes a refusal with the table's text for `code`, and `detail` before it.
    public init(
        _ code: Code, sequence: Int64?, detail: String = "", field: String = "", retryMilliseconds: Int64? = nil,
        findings: [WireFinding] = []
    ) {
        self.sequence = sequence
        self.code = code.id
        slug = code.slug
        text = (detail.isEmpty ? code.meaning : detail + ".") + " " + code.action
        self.field = field
        self.retryMilliseconds = retryMilliseconds
        self.findings = Array(findings.prefix(ProducerProtocol.findingsMax))
        versions = code == .unsupportedVersion ? ProducerProtocol.versions : []
    }

    /// Makes the answer to a message that could not be decoded.
    public init(_ fault: WireFault) {
        self.init(fault.code, sequence: fault.sequence, detail: fault.detail, field: fault.field)
    }

    /// The code in this program's table; nil when the node is newer.
    public var known: Code? { Code.named(code) }

    /// The same as an error value.
    public var fault: Fault { Fault(known ?? .malformed, text, at: field) }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.integer("seq", in: 0...ProducerProtocol.sequenceMax)
        code = try header.requireText("code", limit: 16)
        slug = try header.text("slug", limit: 64)
        text = try header.text("text", limit: 2048)
        field = try header.text("field", limit: 64)
        retryMilliseconds = try header.integer("retry_ms", in: 0...Int64.max)
        findings = try header.objects("findings", entries: ProducerProtocol.findingsMax, WireFinding.init)
        versions = try header.strings("versions")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.string("code", code)
        header.text("slug", slug)
        header.text("text", text)
        header.text("field", field)
        header.integer("retry_ms", retryMilliseconds)
        if !findings.isEmpty { header.objects("findings", findings) { $1.write(&$0) } }
        header.strings("versions", versions)
    }
}
