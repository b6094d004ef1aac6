internal import Delivery

/// Everything that can happen in a world.
enum Happening: Sendable {
    // MARK: Nodes

    /// A message is due at its receiver.
    case arrive(Parcel)
    /// A node's core has something to do.
    case turn(Int, run: Int)
    /// A node's sending loop has something to do.
    case loop(Int, run: Int)
    /// A node's sending loop writes what it has chosen.
    case flush(Int, run: Int)
    /// A node's store has written what it was writing.
    case commit(Int, run: Int)
    /// A node that crashed starts again.
    case start(Int)

    // MARK: APNs

    /// The bytes of a request are at APNs.
    case push(PushUnderWay)
    /// A request about channels is there.
    case manage(ManagementUnderWay)
    /// Something from APNs reaches a node's sending loop.
    case apple(Int, run: Int, AppleNews)
    /// An answer about a channel reaches a node's core.
    case managed(Int, run: Int, intent: UInt64, AppleAnswer?, kind: ManagementUnderWay.Kind)
    /// Deliveries reach devices.
    case deliver

    // MARK: Producers and devices

    /// A producer makes an event.
    case publish(Int)
    /// A producer tries again what is not answered.
    case retry(Attempt.Wish)
    /// A request reaches the node it was sent to.
    case client(UInt64)
    /// A producer waits no longer.
    case timeOut(UInt64)
    /// An answer reaches its producer.
    case answer(UInt64, ClientAnswer)
    /// A device goes off or on.
    case online(phone: Int, Bool)
    /// APNs learns that a token is dead.
    case die(phone: Int)

    // MARK: Faults

    case fault(Fate)
    /// Looks around whether something is worth a fault.
    case nemesis
    /// Time for the plan to go on.
    case scheme
    /// Everything has worked again for some seconds.
    case calm
    /// Everybody had time to hear of a restart.
    case seen(Int, run: Int)
    /// An operator looks for shards that are stuck.
    case operatorLooks
    /// A node has handed over what it had and ends.
    case drained(Int, run: Int)
}

/// One request to APNs on its way.
struct PushUnderWay: Sendable {
    var node: Int
    var run: Int
    var id: SendID
    /// The node's and APNs' number of the connection.
    var connection: ConnectionID
    var appleConnection: UInt64
    var stream: Int32
    var destination: Destination
    var item: PushItem
    var body: [UInt8]
    /// The answer does not come back.
    var losesAnswer: Bool
}

/// One request about channels on its way.
struct ManagementUnderWay: Sendable {
    enum Kind: Sendable {
        case create(stored: Bool)
        case read
        case delete
        case list
    }

    var node: Int
    var run: Int
    var intent: UInt64
    var kind: Kind
    var channelID: [UInt8]?
    var losesAnswer: Bool
}

/// What a node's sending loop hears of APNs.
enum AppleNews: Sendable {
    case opened(ConnectionID)
    case failedToOpen(ConnectionID)
    case answered(SendID, Delivery.Answer)
    case timedOut(SendID)
    case reset(SendID)
    case streams(ConnectionID, Int)
    case goAway(ConnectionID, lastStream: Int32, reason: String?)
    case closed(ConnectionID, asked: Bool)
    case pong(ConnectionID)
}

/// A fault that was decided and happens at its time.
enum Fate: Sendable {
    case crash(Int, downMilliseconds: Int64)
    case loseDisk(Int)
    case pause(Int, milliseconds: Int64)
    case stallCore(Int, milliseconds: Int64)
    case stallLoop(Int, milliseconds: Int64)
    case cut([(Int, Int)], milliseconds: Int64)
    case mend([(Int, Int)])
    case slow(Int, extra: Int64, milliseconds: Int64)
    case quicken(Int)
    case reset(Int, Int)
    case slowDisk(Int, milliseconds: Int64)
    case failDisk(Int, milliseconds: Int64)
    /// APNs is out of reach of one node, or of all.
    case outage(Int?, milliseconds: Int64)
    case refusals(Int, overloaded: Bool)
    case appleCut(Int)
}

extension Fate {
    /// For how long it keeps nodes from hearing each other, in milliseconds from when it happens.
    var deafMilliseconds: Int64 {
        switch self {
        case .pause(_, let length), .stallCore(_, let length), .cut(_, let length), .slow(_, _, let length),
            .slowDisk(_, let length), .failDisk(_, let length):
            length
        case .crash, .loseDisk, .stallLoop, .mend, .quicken, .reset, .outage, .refusals, .appleCut: 0
        }
    }
}
