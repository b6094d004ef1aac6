import Wire

/// What the public interface hands to the client's thread.
enum ClientCommand: Sendable {
    /// A publish, with its deadline.
    case publish(Publish, Submission.Ticket, deadline: Int64)
    /// Another request; the closure builds the message with its number.
    case request(UInt64, deadline: Int64, @Sendable (Int64) -> ProducerMessage)
}
