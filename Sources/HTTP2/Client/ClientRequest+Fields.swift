internal import CNGHTTP2

extension ClientRequest {
    /// The whole header block in the order in which it is sent, for tests and diagnosis; secret values are in it.
    public var fields: [(name: String, value: String)] {
        func text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> String {
            String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
        var all: [(name: String, value: String)] = []
        for (index, entry) in template.entries.enumerated() {
            let field = template.block[index]
            let name = text(field.name, field.namelen)
            if index == RequestTemplate.pathIndex {
                all.append((name, String(decoding: path, as: UTF8.self)))
            } else if entry.slot < 0 {
                all.append((name, text(field.value, field.valuelen)))
            } else if !self[entry.slot].isEmpty {
                all.append((name, String(decoding: self[entry.slot], as: UTF8.self)))
            }
        }
        return all
    }
}
