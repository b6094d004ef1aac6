internal import HTTP2
internal import SimulatedAPNs

/// The extensions by which a provider's certificate says what it is good for. In Apple's certificates .6.3.6 lists
/// topics, each followed by what kind it is; .6.3.1 marks the sandbox, .6.3.2 production.
enum CertificateMarks {
    static let topics = "1.2.840.113635.100.6.3.6"
    static let sandbox = "1.2.840.113635.100.6.3.1"
    static let production = "1.2.840.113635.100.6.3.2"

    static func identifier(of environment: Environment) -> String {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    private static let sequenceTag: UInt8 = 0x30
    private static let textTag: UInt8 = 0x0c
    private static let null: [UInt8] = [0x05, 0x00]

    static func extensions(topics names: [String], environments: [Environment]) -> [CertificateExtension] {
        let list = names.flatMap { name in
            encode(textTag, Array(name.utf8)) + encode(sequenceTag, encode(textTag, Array("app".utf8)))
        }
        return environments.map { CertificateExtension(identifier: identifier(of: $0), value: null) }
            + [CertificateExtension(identifier: topics, value: encode(sequenceTag, list))]
    }

    /// The topics of a .6.3.6 value; empty for anything else.
    static func readTopics(_ value: [UInt8]) -> [String] {
        guard let (tag, contents, _) = element(value[...]), tag == sequenceTag else { return [] }
        var rest = contents
        var names: [String] = []
        while let (tag, contents, after) = element(rest) {
            if tag == textTag { names.append(String(decoding: contents, as: UTF8.self)) }
            rest = after
        }
        return names
    }

    // MARK: - DER (ITU-T X.690 8.1), lengths up to 65,535

    private static func encode(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        if count < 0x80 { return [tag, UInt8(count)] + contents }
        if count <= 0xff { return [tag, 0x81, UInt8(count)] + contents }
        return [tag, 0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + contents
    }

    private static func element(
        _ bytes: ArraySlice<UInt8>
    ) -> (tag: UInt8, contents: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard bytes.count >= 2 else { return nil }
        var rest = bytes
        let tag = rest.removeFirst()
        var count = Int(rest.removeFirst())
        if count >= 0x80 {
            let octets = count & 0x7f
            guard (1...2).contains(octets), rest.count >= octets else { return nil }
            count = rest.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(octets)
        }
        guard rest.count >= count else { return nil }
        return (tag, rest.prefix(count), rest.dropFirst(count))
    }
}
