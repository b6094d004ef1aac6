import Codes

/// A value that stands in mesh messages.
protocol MeshCoded {
    /// Reads what `write` has written.
    init(_ reader: inout MeshReader) throws(MeshProblem)
    /// Writes the fields in their order.
    func write<Sink: MeshSink>(to sink: inout Sink)
}

extension MeshCoded {
    /// How many bytes `write` writes.
    var byteCount: Int {
        var size = ByteCount()
        write(to: &size)
        return size.count
    }

    /// The bytes of `write`, behind `form`.
    func encoded(form: UInt8) -> [UInt8] {
        let size = 1 + byteCount
        return [UInt8](unsafeUninitializedCapacity: size) { memory, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(memory))
            writer.byte(form)
            write(to: &writer)
            count = writer.count
        }
    }

    /// Reads the bytes of `encoded`, all of them.
    static func decode(_ bytes: [UInt8], form: UInt8, field: StaticString) -> Result<Self, WireFault> {
        bytes.withUnsafeBytes { bytes in
            var reader = MeshReader(bytes, skipsRest: false)
            do throws(MeshProblem) {
                guard try reader.byte() == form else {
                    return .failure(WireFault(.unsupportedVersion, "unknown form", field: field.description))
                }
                let value = try Self(&reader)
                try reader.finish()
                return .success(value)
            } catch {
                return .failure(error.fault(in: field))
            }
        }
    }
}
