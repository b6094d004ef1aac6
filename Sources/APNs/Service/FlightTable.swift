internal import Delivery

/// Every request under way on a loop: what it belongs to, and since when, in the order of departure.
///
/// The time-out is the same for all, so the oldest is always at the front of a linked list and nothing has to be
/// sorted or hashed. Threads: one, the loop that owns it.
struct FlightTable {
    /// A request under way.
    struct Flight {
        var send: SendID
        var operation: Operation
        var outlet: Int
        var connection: UInt64
        var tokenGeneration: UInt32
        var startedNanoseconds: Int64
        /// The time-out passed and the stream was cancelled; the connection still has to say so.
        var cancelled = false
    }

    private struct Slot {
        var flight: Flight?
        /// Distinguishes the flights that use this slot one after the other.
        var serial: UInt32 = 0
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    private(set) var count = 0

    /// Adds a flight that departs now; its tag is never used twice.
    mutating func insert(_ flight: Flight) -> UInt64 {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = Int32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].serial &+= 1
        slots[Int(index)].flight = flight
        link(index)
        count += 1
        return UInt64(slots[Int(index)].serial) << 32 | UInt64(index)
    }

    /// Takes out the flight of `tag`; nil when it has gone already.
    mutating func remove(_ tag: UInt64) -> Flight? {
        guard let index = index(of: tag), let flight = slots[index].flight else { return nil }
        slots[index].flight = nil
        if !flight.cancelled { unlink(Int32(index)) }
        free.append(Int32(index))
        count -= 1
        return flight
    }

    /// The next flight that departed at or before `nanoseconds`, marked as cancelled: it is found once.
    mutating func expire(departedBefore nanoseconds: Int64) -> (tag: UInt64, flight: Flight)? {
        guard oldest >= 0 else { return nil }
        let index = Int(oldest)
        guard let flight = slots[index].flight, flight.startedNanoseconds <= nanoseconds else { return nil }
        unlink(oldest)
        slots[index].flight?.cancelled = true
        return (UInt64(slots[index].serial) << 32 | UInt64(index), flight)
    }

    /// When the oldest flight that still has time departed.
    var oldestDeparture: Int64? {
        oldest >= 0 ? slots[Int(oldest)].flight?.startedNanoseconds : nil
    }

    private func index(of tag: UInt64) -> Int? {
        let index = Int(tag & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].serial == UInt32(tag >> 32) else { return nil }
        return index
    }

    private mutating func link(_ index: Int32) {
        slots[Int(index)].previous = newest
        slots[Int(index)].next = -1
        if newest >= 0 { slots[Int(newest)].next = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let (previous, next) = (slots[Int(index)].previous, slots[Int(index)].next)
        if previous >= 0 { slots[Int(previous)].next = next } else { oldest = next }
        if next >= 0 { slots[Int(next)].previous = previous } else { newest = previous }
    }
}
