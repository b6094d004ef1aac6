/// An address of the configuration where a node of the cluster may be found.
public struct Seed: Hashable, Sendable {
    /// What the configuration calls the node; its certificate carries this name.
    public var name: String
    /// Where its control plane listens, `tcp://HOST:PORT`.
    public var control: String

    /// Makes a seed.
    public init(name: String, control: String) {
        self.name = name
        self.control = control
    }
}
