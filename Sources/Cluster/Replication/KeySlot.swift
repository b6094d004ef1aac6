import Delivery
import LiveActivity
import Wire

/// Everything about one name that is in memory: its newest record, what is under way, and who follows it.
///
/// All instances of a name share a slot: versions and stamps go on growing from one instance to the next, because on
/// a channel they reach the same devices.
struct KeySlot: Sendable {
    /// App, kind and name, with instance 1.
    var key: Key
    var account: Account
    /// Where its rows belong.
    var shard: UInt16
    /// Its place among the names of its shard.
    var position = 0
    /// False for a slot that waits to be used again.
    var isUsed = true
    /// Newest instance.
    var instance: UInt32 = 1
    /// Lanes know the name by it; another one for each instance, so that the fences of an ended one do not hold the
    /// next.
    var ticket: UInt64
    /// The first ticket of this slot: lower ones belong to a name that was forgotten.
    var firstTicket: UInt64
    /// The ticket of the instance before: lanes may still hold its end. 0 when there is none.
    var formerTicket: UInt64 = 0
    var lastSequence: UInt64 = 0
    var lastStamp: Int64 = 0
    /// The newest record; nil while only tokens are registered.
    var record: Record?
    /// Whether Admit released the newest record: its stamp may have left. Rule S1.
    var isHanded = true
    var handedAtMilliseconds = Int64.min
    /// `born` of the youngest record that was handed as the newest: what came before it may not be sent after it.
    var outBorn: UInt64 = 0
    /// The batch that makes the newest record durable.
    var batch: UInt64 = 0
    /// The batch that the last offer waited for.
    var offeredBatch: UInt64 = 0
    var recent = RecentEvents()
    /// Events that are not settled.
    var active: [ActiveEvent] = []
    /// Alerts of events up to this sequence may have been handed.
    var intended: UInt64 = 0
    /// What Admit was asked for.
    var asked = Asked.nothing
    /// Where a channel's events go; nil while the channel is not in use.
    var channel: Destination?
    /// Who follows an activity.
    var groups: [AudienceGroup] = []
    /// Tokens that left while events were under way.
    var departed: [Destination] = []
    /// Since when the devices lack the newest state, in milliseconds since 1970.
    var unsentSinceMilliseconds: Int64?
    var recordIsDirty = false
    var settlementIsDirty = false

    /// Most of `departed`; above it every newcomer may be one of them.
    static let departedMax = 256

    /// What Admit was asked for, so that a fast producer does not ask again with every event.
    enum Asked: Hashable {
        case nothing
        case release(urgent: Bool, notBefore: Int64?, cost: Int)
    }

    /// The key of the newest instance, for people and answers.
    var instanceKey: Key { instance == 1 ? key : key.with(instance: instance) }

    /// Where an event goes; a start of an activity goes to devices instead. Mutating, so that it is asked in the slot's
    /// place, as `newest` is.
    mutating func destinations(of record: Record) -> [Destination] {
        if key.kind == .channel { return channel.map { [$0] } ?? [] }
        guard record.event != .start else { return [] }
        return groups.first { $0.instance == record.instance }?.destinations ?? []
    }

    /// What every event asks of the newest record.
    struct Newest {
        var sequence: UInt64
        var event: EventKind
        var keepsPlace: Bool
        var stampSeconds: Int64
    }

    /// The newest record in short. Mutating, so that it is read where it lies: else the slot is copied out of its
    /// table, and then its arrays are with the next change.
    mutating func newest() -> Newest? {
        record.map {
            Newest(
                sequence: $0.version.sequence, event: $0.event, keepsPlace: $0.keepsPlace,
                stampSeconds: $0.stampSeconds)
        }
    }
}

extension [ActiveEvent] {
    /// Finds the event that a version belongs to. Asked of the array, because a method of the slot would copy the whole
    /// slot out of its table.
    func index(of sequence: UInt64) -> Int? {
        firstIndex { $0.sequence == sequence || $0.older.contains(sequence) }
    }
}

/// The update tokens of one instance.
struct AudienceGroup: Sendable {
    var instance: UInt32
    var destinations: [Destination] = []
}

/// An event on its way.
struct ActiveEvent: Sendable {
    /// Its newest version.
    var sequence: UInt64
    /// Versions that it had before it got a fresh stamp; lanes may still report on them.
    var older: [UInt64] = []
    var instance: UInt32
    var eventID: [UInt8]
    var producer: [UInt8]
    var origin: UInt64?
    /// Whether its producer wants to hear of it.
    var wantsReceipts = true
    var tally = Tally()
    var isDeferred = false
    var refusal = ""
}

/// An important record, or the end of an earlier instance, that waits or is on its way beside a newer one.
struct ImportantPlace: Sendable {
    var record: Record
    var ticket: UInt64
    var isHanded: Bool
    var handedAtMilliseconds: Int64
    var batch: UInt64
    /// Whether a row of it is on disk. One that has left before it was displaced is of no use after a restart.
    var isStored: Bool
}

/// Destinations that are to be sent a record that others have been sent already.
struct CatchUp: Sendable {
    struct Target: Sendable {
        var destination: Destination
        /// It must not ring there.
        var isQuiet: Bool
        /// Its outcome counts for the event; a newly registered token's does not.
        var isCounted: Bool
    }

    /// After a restart: every destination.
    var wholeNewest = false
    var wholeImportant = false
    var newest: [Target] = []
    var important: [Target] = []
    /// Versions that a lane found too old: they need a fresh stamp whatever the clock of this thread says.
    var staleNewest: UInt64 = 0
    var staleImportant: UInt64 = 0

    var wantsNewest: Bool { wholeNewest || !newest.isEmpty }
    var wantsImportant: Bool { wholeImportant || !important.isEmpty }
    var isEmpty: Bool { !wantsNewest && !wantsImportant }
}

/// A registered token.
struct TokenEntry: Sendable {
    var slot: Int
    /// The group.
    var instance: UInt32
    var position: Int
    var registeredAtMilliseconds: Int64
    /// Whose it is, in the caller's words; empty when not told.
    var user: [UInt8] = []
    var device: [UInt8] = []
    /// It has not had the state since it was registered.
    var isBehind: Bool
}

/// The device that a token of an instance belongs to: a new token of the same device replaces it.
struct TokenOwner: Hashable, Sendable {
    var slot: Int
    var instance: UInt32
    var user: [UInt8]
    var device: [UInt8]
}

/// A version that is on its way to a token only because the token registered.
struct Newcomer: Hashable, Sendable {
    var destination: Destination
    var slot: Int
    var sequence: UInt64
}
