/// A form that text must have.
struct TextForm: Sendable {
    /// How messages and the reference call it, after "is not" and in "list of": `a host name or address`.
    let description: String
    let accepts: @Sendable (String) -> Bool

    /// Any text, also none.
    static let any = TextForm(description: "text") { _ in true }

    /// A name of our own: what logs, metrics, files and variables are named after.
    static let name = TextForm(description: "a name of a-z, 0-9, - and _, at most 32, beginning with a letter") {
        isName($0)
    }

    /// Names of nodes.
    static let nodeName = TextForm(description: "node names") { isName($0) }

    /// Another node with its control endpoint.
    static let seed = TextForm(description: "nodes as NAME=tcp://HOST:PORT") { text in
        guard let sign = text.firstIndex(of: "=") else { return false }
        let address = Endpoint(String(text[text.index(after: sign)...]))
        return isName(String(text[..<sign])) && address.map { !$0.isWildcard } ?? false
    }

    /// The name of an app, or a star for all.
    static let appName = TextForm(description: "app names, or \"*\" for all") { $0 == "*" || isName($0) }

    /// The beginning of an event name.
    static let prefix = TextForm(description: "beginnings of names; \"\" allows all") {
        $0.utf8.count <= 128 && $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Which type of a schema an event is of.
    static let attributesType = TextForm(description: "types as NAME or PREFIX=NAME; \"*\" is the only one") { text in
        if text == "*" { return true }
        guard let sign = text.lastIndex(of: "=") else { return isTypeName(text[...]) }
        return prefix.accepts(String(text[..<sign])) && isTypeName(text[text.index(after: sign)...])
    }

    /// A Swift identifier, at most 128 bytes.
    private static func isTypeName(_ text: Substring) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 >= 0x80 }
    }

    /// A host.
    static let host = TextForm(description: "a host name or address") { isHost($0) }

    /// A host, or nothing.
    static let optionalHost = TextForm(description: "a host name or address, or empty") { $0.isEmpty || isHost($0) }

    /// Where a ZeroMQ socket binds.
    static let endpoint = TextForm(description: "an endpoint like tcp://127.0.0.1:7701") { Endpoint($0) != nil }

    /// Where a ZeroMQ socket binds, or nothing.
    static let optionalEndpoint = TextForm(description: "an endpoint like tcp://127.0.0.1:7711, or empty") {
        $0.isEmpty || Endpoint($0) != nil
    }

    /// A bundle identifier.
    static let bundleID = TextForm(description: "a bundle ID like com.example.cricket") { text in
        (1...155).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "."))
            && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// The ten characters by which Apple names teams and keys.
    static let tenCharacters = TextForm(description: "ten capital letters and digits") { text in
        text.utf8.count == 10
            && text.utf8.allSatisfy { isAlphanumeric($0) && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (1...32).contains(text.utf8.count) else { return false }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return letters.contains(first)
            && text.utf8.allSatisfy {
                letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":")
                    || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
