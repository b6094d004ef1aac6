internal import Delivery

/// What a node's core tells its sending loop, in the order in which it is to be heard.
enum SendingMail: Sendable {
    case offer(PushItem, [Destination])
    case withdraw([UInt64])
    case lease(untilBootMilliseconds: Int64)
}

/// What a node's sending loop wants done.
enum SendingEffect: Sendable {
    /// These came from one call of the lane table.
    case report([LaneReport])
    /// Requests were chosen: flush soon.
    case chosen
    /// Bytes leave for APNs.
    case write(SendID, connection: ConnectionID, Destination, PushItem)
    case connect(ConnectionID)
    case close(ConnectionID)
    case ping(ConnectionID)
}
