/// What a path asks for (Docs/APNs.md 3).
enum Route: Hashable, Sendable {
    /// `/3/device/<token>`; the token may be empty.
    case device(token: String)
    /// `/4/broadcasts/apps/<bundle>`.
    case broadcast(bundleID: String)
    /// `/1/apps/<bundle>/channels`.
    case channels(bundleID: String)
    /// `/1/apps/<bundle>/all-channels`.
    case allChannels(bundleID: String)

    /// Reads a path on a listener; nil is `BadPath`. A query is part of the last component, as nothing is documented.
    init?(_ path: String, on listener: ListenerKind) {
        switch listener {
        case .send:
            if let token = Self.rest(of: path, after: "/3/device") {
                self = .device(token: token)
            } else if let bundle = Self.rest(of: path, after: "/4/broadcasts/apps"), !bundle.isEmpty {
                self = .broadcast(bundleID: bundle)
            } else {
                return nil
            }
        case .manage:
            let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("1".utf8),
                parts[2].elementsEqual("apps".utf8), !parts[3].isEmpty
            else { return nil }
            let bundle = String(parts[3]) ?? ""
            if parts[4].elementsEqual("channels".utf8) {
                self = .channels(bundleID: bundle)
            } else if parts[4].elementsEqual("all-channels".utf8) {
                self = .allChannels(bundleID: bundle)
            } else {
                return nil
            }
        }
    }

    /// The single component behind `prefix/`; empty when there is none.
    private static func rest(of path: String, after prefix: String) -> String? {
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        var rest = path.utf8.dropFirst(prefix.utf8.count)
        guard let slash = rest.popFirst() else { return "" }
        guard slash == UInt8(ascii: "/"), !rest.contains(UInt8(ascii: "/")) else { return nil }
        return String(rest)
    }

    /// Whether the route exists with this method.
    func allows(_ method: String) -> Bool {
        switch self {
        case .device, .broadcast: method == "POST"
        case .channels: method == "POST" || method == "GET" || method == "DELETE"
        case .allChannels: method == "GET"
        }
    }

    /// Bundle ID in the path, nil for device pushes.
    var bundleID: String? {
        switch self {
        case .device: nil
        case .broadcast(let bundle), .channels(let bundle), .allChannels(let bundle): bundle
        }
    }

    /// Most bytes of the body (Docs/APNs.md 4.6); a management body is bounded by the simulator.
    var payloadBytesMax: Int {
        if case .device = self { 4096 } else { 5120 }
    }
}
