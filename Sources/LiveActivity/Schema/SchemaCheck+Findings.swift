import Codes

extension SchemaTable {
    /// Whether the document decodes. A date after 2040 does, it only shows the wrong time.
    func decodes(_ bytes: Span<UInt8>) -> Bool {
        var check = SchemaCheck(self)
        do throws(JSONFault) { try JSONScanner.scan(bytes, visitor: &check) } catch { return false }
        return check.troubles.allSatisfy { $0.code == .schemaDateEpoch }
    }

    /// What is wrong with the object at `range` of a payload that the scanner has accepted; paths begin with `root`.
    func findings(in payload: Span<UInt8>, at range: Range<Int>, root: String) -> [Finding] {
        let bytes = payload.extracting(range)
        var check = SchemaCheck(self)
        do throws(JSONFault) { try JSONScanner.scan(bytes, visitor: &check) } catch { return [] }
        guard !check.troubles.isEmpty else { return [] }
        var findings: [Finding] = []
        for trouble in check.troubles {
            let path = root + Self.path(trouble.steps, bytes)
            if let missing = trouble.missing {
                findings += self.missing(missing.node, missing.object, path, bytes, base: range.lowerBound)
            } else {
                findings.append(
                    Finding(
                        trouble.code, .error, at: range.lowerBound + trouble.offset, path: path,
                        detail: trouble.detail))
            }
        }
        return findings
    }

    private static func path(_ steps: [SchemaCheck.Step], _ bytes: Span<UInt8>) -> String {
        var path = ""
        for step in steps {
            switch step {
            case .name(let range): path += "." + JSONText.string(bytes, range).prefix(64)
            case .position(let position): path += "[\(position)]"
            }
        }
        return path
    }

    /// One finding for each member of the struct that the object lacks, at the key that looks like it or at the object.
    private func missing(
        _ node: Int, _ object: Range<Int>, _ path: String, _ bytes: Span<UInt8>, base: Int
    ) -> [Finding] {
        var present: [(name: String, offset: Int)] = []
        do throws(JSONFault) {
            let inner = bytes.extracting(object)
            try JSONScanner.forEachMember(inner) { member in
                present.append((JSONText.string(inner, member.name), member.name.lowerBound - 1))
            }
        } catch { return [] }
        let node = nodes[node]
        let required = members[node.first..<node.first + node.count].filter { !$0.isOptional }.map(name)
        let absent = required.filter { name in !present.contains { $0.name == name } }
        return absent.map { name in
            let twin = present.first { Lookalike.isLike($0.name, name) }
            let hint = twin.map { ", found \($0.name.prefix(64)): the spelling of keys counts" } ?? ""
            return Finding(
                .schemaMissingKey, .error, at: base + object.lowerBound + (twin?.offset ?? 0),
                path: "\(path).\(name)", detail: "the required key \(name) is missing\(hint)")
        }
    }
}

/// Names that differ only in case, `_` and `-`: what key conversions make of each other.
enum Lookalike {
    static func isLike(_ left: String, _ right: String) -> Bool {
        left != right && letters(left) == letters(right)
    }

    private static func letters(_ text: String) -> [UInt8] {
        text.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }.map {
            (0x41...0x5A).contains($0) ? $0 + 32 : $0
        }
    }
}
