/// One try of a producer to get something done, under way to a node.
struct Attempt: Sendable {
    /// What it asks for.
    enum Wish: Sendable, Hashable {
        case publish(EventMark)
        case register(phone: Int)
        case channel(producer: Int)
        /// A push-to-start token is registered.
        case device(Int)
    }

    var wish: Wish
    /// The node that it was sent to, and the run that took it in.
    var entry: Int
    var entryRun: Int
    var sentAt: Int64
}
