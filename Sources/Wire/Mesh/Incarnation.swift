/// Which run of a node a verdict is about, and how often that run has contradicted one.
public struct Incarnation: Hashable, Comparable, Sendable {
    /// Grows with every start of the node; durable before its first packet.
    public var generation: UInt64
    /// Grows each time the node refutes a suspicion.
    public var counter: UInt32

    /// Makes an incarnation.
    public init(generation: UInt64, counter: UInt32 = 0) {
        self.generation = generation
        self.counter = counter
    }

    /// Generation first.
    public static func < (left: Incarnation, right: Incarnation) -> Bool {
        (left.generation, left.counter) < (right.generation, right.counter)
    }
}
