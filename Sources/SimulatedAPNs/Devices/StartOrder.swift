/// What a push-to-start asks for besides its content state, judged when APNs accepted it.
struct StartOrder: Sendable {
    /// How the new activity gets its updates.
    enum Input: Sendable, Hashable {
        /// A token of its own.
        case token
        /// A channel.
        case channel(String)
    }

    let bundleID: String
    /// Schema of its attributes type; nil: the world has no schemas and takes anything.
    let schema: Int?
    let input: Input
}
