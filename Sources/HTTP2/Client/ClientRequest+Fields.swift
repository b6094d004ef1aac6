extension ClientRequest {
    /// The whole header block in the order in which it is sent, for tests and diagnosis; secret values are in it.
    public var fields: [(name: String, value: String)] {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        var all = template.pseudo.map { (name: text($0.name), value: text($0.value)) }
        all.append((":path", text(path)))
        all += template.fixed.map { (name: text($0.name), value: text($0.value)) }
        for (slot, field) in template.variable.enumerated() where !self[slot].isEmpty {
            all.append((text(field.name), text(self[slot])))
        }
        return all
    }
}
