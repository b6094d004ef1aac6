internal import Codes
internal import Delivery
internal import HTTP2

/// One connection of a loop, as the loop sees it: the HTTP/2 connection, what the pool calls it, and what it has to
/// say.
///
/// Threads: one, the loop that owns it.
final class Link {
    /// The tag of its descriptor, unique on the loop.
    let tag: UInt64
    /// Which origin of the loop it belongs to.
    let origin: Int
    /// What the pool calls it.
    let id: ConnectionID
    /// Addresses to be tried if this one does not answer.
    var candidates: ArraySlice<SocketAddress>
    var connection: ClientConnection
    var events: [ClientEvent] = []
    /// TLS is done.
    var isOpen = false
    /// We closed it.
    var isAsked = false
    var waitsForWrite = true
    /// Something may have to be flushed.
    var isDirty = false
    /// Waits in the loop's list of links with events.
    var isPending = false

    init(
        tag: UInt64, origin: Int, id: ConnectionID, candidates: ArraySlice<SocketAddress>,
        connection: ClientConnection
    ) {
        self.tag = tag
        self.origin = origin
        self.id = id
        self.candidates = candidates
        self.connection = connection
    }
}
