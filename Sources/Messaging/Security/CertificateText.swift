import Codes

/// The text of certificate files: ZPL (ZeroMQ RFC 4) with the sections that czmq and pyzmq know.
enum CertificateText {
    /// Longest file that is read, in bytes.
    static let bytesMax = 16_384

    /// Reads a certificate; `stem` is its name when the file says none.
    static func parse(_ bytes: [UInt8], stem: String, path: String) throws(Fault) -> Certificate {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(.certificateMalformed, "no UTF-8", at: path)
        }
        let values = settings(of: text)
        guard let publicText = values["curve/public-key"] else {
            throw Fault(.certificateMalformed, "no public-key in a section curve", at: path)
        }
        guard let publicKey = PublicKey(text: publicText) else {
            throw Fault(.certificateMalformed, "public-key is not 40 characters of Z85", at: path)
        }
        var secret: [UInt8]?
        if let secretText = values["curve/secret-key"] {
            guard let bytes = Z85.decode(secretText) else {
                throw Fault(.certificateMalformed, "secret-key is not 40 characters of Z85", at: path)
            }
            secret = bytes
        }
        let name = values["metadata/name"] ?? stem
        guard Certificate.isName(name) else { throw Fault(.badCertificateName, "'\(name)'", at: path) }
        // czmq and pyzmq write no role: such a certificate gets the least.
        let word = values["metadata/role"] ?? Certificate.Role.producer.rawValue
        guard let role = Certificate.Role(rawValue: word) else {
            throw Fault(.badCertificateName, "role '\(word)'", at: path)
        }
        return Certificate(name: name, role: role, publicKey: publicKey, secret: secret)
    }

    /// `section/name` → value of every indented line; the first of two wins.
    private static func settings(of text: String) -> [String: String] {
        var section = ""
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let content = trimmed(line)
            guard let first = content.first, first != "#" else { continue }
            if line.first?.isWhitespace != true {
                section = String(content)
            } else if let equals = content.firstIndex(of: "=") {
                let name = section + "/" + trimmed(content[..<equals])
                if values[name] == nil { values[name] = unquoted(trimmed(content[content.index(after: equals)...])) }
            }
        }
        return values
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
            return String(text)
        }
        return String(text.dropFirst().dropLast())
    }

    /// The text of the public or the secret file.
    static func write(_ certificate: Certificate, secret: [UInt8]?) -> String {
        let note =
            secret == nil
            ? "#   ZeroMQ CURVE public certificate. Give it to those who are to let its owner in.\n"
            : "#   ZeroMQ CURVE SECRET certificate. DO NOT SHARE: whoever has it is its owner.\n"
        var text = note + "#   Made by Carillon; czmq and pyzmq read it too.\n\n"
        text += "metadata\n"
        text += "    name = \"\(certificate.name)\"\n"
        text += "    role = \"\(certificate.role.rawValue)\"\n"
        text += "curve\n"
        text += "    public-key = \"\(certificate.publicKey)\"\n"
        if let secret { text += "    secret-key = \"\(Z85.encode(secret))\"\n" }
        return text
    }
}
