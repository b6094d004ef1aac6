/// The error value of every module: a stable code with the particulars of this case.
public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public let code: Code
    /// The particulars: what exactly was wrong, in a few words. Never holds tokens, payloads or keys.
    public let detail: String
    /// Where: a file with line and column, a field, an endpoint. Empty when there is nothing to point at.
    public let place: String

    /// Makes a fault of `code` with what was wrong and where.
    public init(_ code: Code, _ detail: String = "", at place: String = "") {
        self.code = code
        self.detail = detail
        self.place = place
    }

    /// `cluster.toml:3:1: unknown key 'portt' (CRL-C102 unknown-setting). Did you mean …`: place, particulars, code,
    /// next step.
    public var description: String {
        let what = detail.isEmpty ? code.meaning : detail
        let prefix = place.isEmpty ? "" : place + ": "
        return "\(prefix)\(what) (\(code)). \(code.action)"
    }
}
