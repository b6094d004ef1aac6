/// One of the three families of control messages, or of data messages: told apart by their kind.
protocol MeshMessage {
    /// Which message it is.
    var kind: MeshKind { get }
    /// Reads the fields of a message of `kind`; nil when that is not of this family.
    init?(_ kind: MeshKind, _ reader: inout MeshReader) throws(MeshProblem)
    /// Writes the fields.
    func write<Sink: MeshSink>(to sink: inout Sink)
}
