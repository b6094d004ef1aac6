internal import Delivery

/// One connection between a node and APNs.
struct AppleLink: Sendable {
    var node: Int
    var run: Int
    /// The node's number of it.
    var connection: ConnectionID
    /// It is gone on the node's side: answers find nobody.
    var isClosed = false
    private var lastStream: Int32 = -1
    /// When the last request arrives: TCP keeps the next one behind it.
    var lastArrival: Int64 = 0
    /// Requests by stream, oldest first.
    private(set) var flights: [(stream: Int32, id: SendID)] = []

    init(node: Int, run: Int, connection: ConnectionID) {
        self.node = node
        self.run = run
        self.connection = connection
    }

    /// A new stream for a request.
    mutating func take(_ id: SendID) -> Int32 {
        lastStream += 2
        flights.append((lastStream, id))
        if flights.count > 64 { flights.removeFirst() }
        return lastStream
    }

    func above(_ stream: Int32) -> [SendID] { flights.filter { $0.stream > stream }.map(\.id) }
}
