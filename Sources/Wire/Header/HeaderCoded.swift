/// A message that is a header with one command.
protocol HeaderCoded {
    /// The value of `command`.
    static var command: StaticString { get }
    /// Reads the members after `command`.
    init(_ header: inout HeaderReader) throws(WireFault)
    /// Writes the members after `command`.
    func write(_ header: inout HeaderWriter)
}

extension HeaderCoded {
    /// The whole header.
    func header() -> [UInt8] {
        var writer = HeaderWriter(command: Self.command)
        write(&writer)
        writer.finish()
        return writer.bytes
    }
}
