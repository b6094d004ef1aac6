/// A ZeroMQ endpoint over TCP in its parts: `tcp://HOST:PORT`.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A host name, an address (IPv6 in brackets), or `*` for every interface.
    public var host: String
    /// 1…65535.
    public var port: Int

    /// Reads the text; nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (1...65535).contains(port)
        else { return nil }
        let host = String(text.dropFirst(6)[..<colon])
        guard host == "*" || TextForm.isHost(host) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// Whether it stands for every interface of the machine, so that nobody else can connect to it as it is written.
    /// 0.0.0.0 and :: have many spellings.
    public var isWildcard: Bool { host == "*" || host.utf8.allSatisfy { "0.:[]".utf8.contains($0) } }

    /// The same port at another host.
    public func at(_ host: String) -> Endpoint {
        var endpoint = self
        endpoint.host = host
        return endpoint
    }

    /// As it is written.
    public var description: String { "tcp://\(host):\(port)" }
}
