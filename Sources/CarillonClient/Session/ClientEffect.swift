import Wire

/// What `ClientSession` wants done.
enum ClientEffect: Sendable {
    /// Send this to the node.
    case send(ProducerMessage)
    /// Tell the caller of a publish.
    case settle(Submission.Ticket, Result<Ack, Refusal>)
    /// Tell the caller of another request.
    case answer(UInt64, Result<NodeMessage, Refusal>)
    /// Hand on a receipt.
    case receipt(EventReport)
    /// The session is open.
    case opened(Ready)
    /// Drop the connection and try the next node.
    case changeNode
    /// Everything is done; close.
    case close
}
