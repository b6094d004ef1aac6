/// The two planes between the nodes of one cluster.
///
/// Control messages are alone: each is lost, doubled or late by itself. Data messages keep the order of their
/// connection, as on a ZeroMQ socket. A cut direction loses control messages and holds data messages, as TCP does; a
/// cut longer than the sockets' heartbeat breaks the connection, with everything that it held. What was under way when
/// a cut began comes behind what was sent after it, as when a connection takes over from another. Nothing is kept for a
/// peer without a connection (`ZMQ_IMMEDIATE`).
struct SimulatedNetwork: Sendable {
    /// A cut of this length breaks the data connection, in milliseconds.
    static let breaksAfterMilliseconds: Int64 = 6_000

    private struct Direction: Sendable {
        var cutSince: Int64?
        var connection = 0
        /// No data leaves before, while it connects again.
        var connectsAt: Int64 = 0
        /// When the last data message arrives: the next one does not overtake it.
        var lastArrival: Int64 = 0
        /// What a cut holds, in order.
        var held: [Parcel] = []
        /// Both planes take so much longer: a slow peer.
        var extraMilliseconds: Int64 = 0
    }

    let nodes: Int
    var weather = NetworkWeather.calm
    private var directions: [Direction]
    private(set) var lost = 0
    private(set) var sent = 0

    init(nodes: Int) {
        self.nodes = nodes
        directions = [Direction](repeating: Direction(), count: nodes * nodes)
    }

    private func at(_ from: Int, _ to: Int) -> Int { from * nodes + to }

    func isCut(_ from: Int, _ to: Int) -> Bool { directions[at(from, to)].cutSince != nil }

    // MARK: Sending

    /// Puts a message on its way: appends when it arrives, once, twice or never.
    mutating func send(
        _ parcel: inout Parcel, now: Int64, dice: inout Dice, arrivals: inout [Int64]
    ) {
        sent += 1
        switch parcel.plane {
        case .control: sendControl(parcel, now, &dice, &arrivals)
        case .data: sendData(&parcel, now, &dice, &arrivals)
        }
    }

    private mutating func delay(_ direction: Int, _ dice: inout Dice) -> Int64 {
        var delay = dice.within(weather.delayMilliseconds) + directions[direction].extraMilliseconds
        if dice.chance(perMille: weather.latePerMille) { delay += dice.below(weather.lateMilliseconds) }
        return delay
    }

    private mutating func sendControl(
        _ parcel: Parcel, _ now: Int64, _ dice: inout Dice, _ arrivals: inout [Int64]
    ) {
        let direction = at(parcel.from, parcel.to)
        guard directions[direction].cutSince == nil, !dice.chance(perMille: weather.lostPerMille) else {
            lost += 1
            return
        }
        arrivals.append(now + delay(direction, &dice))
        if dice.chance(perMille: weather.twicePerMille) { arrivals.append(now + delay(direction, &dice)) }
    }

    private mutating func sendData(
        _ parcel: inout Parcel, _ now: Int64, _ dice: inout Dice, _ arrivals: inout [Int64]
    ) {
        let direction = at(parcel.from, parcel.to)
        guard now >= directions[direction].connectsAt else {
            lost += 1
            return
        }
        parcel.connection = directions[direction].connection
        if let since = directions[direction].cutSince {
            guard now - since < Self.breaksAfterMilliseconds else {
                lost += 1
                return
            }
            directions[direction].held.append(parcel)
            return
        }
        let arrival = max(directions[direction].lastArrival, now + delay(direction, &dice))
        directions[direction].lastArrival = arrival
        arrivals.append(arrival)
        if dice.chance(perMille: weather.resetPerMille) { reset(parcel.from, parcel.to, now: now, dice: &dice) }
    }

    /// Whether a message that is due arrives: a cut loses or holds what was under way, and of what a broken connection
    /// carried some arrives and some does not.
    mutating func arrives(_ parcel: Parcel, dice: inout Dice) -> Bool {
        let direction = at(parcel.from, parcel.to)
        switch parcel.plane {
        case .control:
            if directions[direction].cutSince == nil { return true }
        case .data:
            guard parcel.connection == directions[direction].connection else {
                if dice.chance(perMille: 500), directions[direction].cutSince == nil { return true }
                break
            }
            if directions[direction].cutSince == nil { return true }
            directions[direction].held.append(parcel)
            return false
        }
        lost += 1
        return false
    }

    // MARK: Faults

    /// Nothing gets from one node to another from now on.
    mutating func cut(_ from: Int, _ to: Int, now: Int64) {
        guard from != to, directions[at(from, to)].cutSince == nil else { return }
        directions[at(from, to)].cutSince = now
    }

    /// Mends a cut; returns what it held and when that arrives.
    mutating func mend(_ from: Int, _ to: Int, now: Int64, dice: inout Dice) -> [(Int64, Parcel)] {
        let direction = at(from, to)
        guard let since = directions[direction].cutSince else { return [] }
        directions[direction].cutSince = nil
        let held = directions[direction].held
        directions[direction].held = []
        guard now - since < Self.breaksAfterMilliseconds else {
            lost += held.count
            reset(from, to, now: now, dice: &dice)
            return []
        }
        return held.map {
            let arrival = max(directions[direction].lastArrival, now + delay(direction, &dice))
            directions[direction].lastArrival = arrival
            return (arrival, $0)
        }
    }

    /// The data connection breaks and is made again.
    mutating func reset(_ from: Int, _ to: Int, now: Int64, dice: inout Dice) {
        let direction = at(from, to)
        directions[direction].connection += 1
        directions[direction].connectsAt = now + dice.between(50, 400)
        directions[direction].lastArrival = 0
    }

    /// The data connection breaks and is there again at once; what is on it arrives or not.
    mutating func sever(_ from: Int, _ to: Int) { directions[at(from, to)].connection += 1 }

    /// One end of all connections of a node died.
    mutating func resetAll(of node: Int, now: Int64, dice: inout Dice) {
        for other in 0..<nodes where other != node {
            for (from, to) in [(node, other), (other, node)] {
                lost += directions[at(from, to)].held.count
                directions[at(from, to)].held = []
                reset(from, to, now: now, dice: &dice)
            }
        }
    }

    /// Makes everything from a node to another slower; 0 ends it.
    mutating func slow(_ from: Int, _ to: Int, by milliseconds: Int64) {
        directions[at(from, to)].extraMilliseconds = milliseconds
    }
}
