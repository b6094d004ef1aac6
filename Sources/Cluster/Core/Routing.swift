public import Codes
public import Wire

/// Who answers a request.
public enum Routing: Hashable, Sendable {
    /// This node.
    case here
    /// Another one: one hop over the mesh.
    case node(Member)
    /// Nobody at the moment, and why; the caller is to come again.
    case nowhere(Fault)
}
