internal import LiveActivity
internal import Wire

/// The producer of one name: numbers its events, repeats what is not answered, and goes on with a next instance after
/// an end.
struct Producer: Sendable {
    /// Most events without an answer; a producer without credit makes no new ones.
    static let unansweredMax = 12
    /// Most instances that are started by push: a device is given no more in an hour, and has no room for more.
    static let startsMax = 6

    let index: Int
    let key: Key
    /// Between two events, in milliseconds.
    let periodMilliseconds: Int64
    /// Makes no events from then on.
    let stopsAt: Int64
    /// Ends in so many of 1000 events.
    let endsPerMille: Int64
    /// Its instances begin on devices because it says so.
    var startsByPush = false
    var instance = 1
    var number = 0
    /// Not yet answered, oldest first.
    var unanswered: [SimulatedEvent] = []
    /// Newest acknowledged number, and whether the end is acknowledged, by instance.
    var acknowledged: [Int: Int] = [:]
    var ended: Set<Int> = []
    var waitsForEnd = false
    /// Starts that it has made, by instance, and when; nothing follows one before it is answered.
    var startedAt: [Int: Int64] = [:]
    var waitsForStart = false
    /// When it made the end of each instance.
    var endedAt: [Int: Int64] = [:]
    /// The channel's ID, for a channel; tokens are made for each instance.
    var channelID: [UInt8]?
    /// Since when it waits for an acknowledgement without getting any.
    var waitsSince: Int64?
    var isDone = false

    /// The next event; nil while the end is not answered, without credit, or without a channel.
    mutating func next(_ dice: inout Dice) -> SimulatedEvent? {
        guard !waitsForEnd, !waitsForStart, !isDone, unanswered.count < Self.unansweredMax else { return nil }
        guard key.kind == .activity || channelID != nil else { return nil }
        number += 1
        let starts = startsByPush && startedAt[instance] == nil
        let ends = !starts && dice.chance(perMille: endsPerMille) && !(startsByPush && instance >= Self.startsMax)
        waitsForEnd = ends
        waitsForStart = starts
        let event = SimulatedEvent(
            mark: EventMark(producer: index, instance: instance, number: number),
            kind: starts ? .start : ends ? .end : .update, important: number % 21 == 0,
            hasAlert: starts || number % 7 == 0)
        unanswered.append(event)
        return event
    }

    func event(_ mark: EventMark) -> SimulatedEvent? { unanswered.first { $0.mark == mark } }

    /// The event is stored.
    mutating func acknowledge(_ mark: EventMark) {
        guard let event = event(mark) else { return }
        acknowledged[mark.instance] = max(acknowledged[mark.instance] ?? 0, mark.number)
        if event.kind == .end { ended.insert(mark.instance) }
        settle(event)
    }

    /// The event is refused for good.
    mutating func refuse(_ mark: EventMark) {
        if let event = event(mark) { settle(event) }
    }

    /// What was acknowledged may be lost: nothing that is not answered is repeated, because a newer event may have been
    /// shown. In the middle of a start or an end nobody knows how it stands, so it goes no further.
    mutating func loseAnswers() {
        isDone = isDone || waitsForEnd || waitsForStart
        unanswered = []
        acknowledged = [:]
        waitsSince = nil
    }

    private mutating func settle(_ event: SimulatedEvent) {
        unanswered.removeAll { $0.mark == event.mark }
        if event.kind == .start { waitsForStart = false }
        guard event.kind == .end, waitsForEnd, event.mark.instance == instance else { return }
        waitsForEnd = false
        if key.kind == .activity {
            instance += 1
        } else {
            isDone = true
        }
    }
}
