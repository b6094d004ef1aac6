import Wire

/// Effects that wait until rows of their shard are committed: a queue for each shard, so that one without quorum holds
/// up no other. All queues share one pool; nothing is allocated for an effect once the pool has grown.
struct Gate: Sendable {
    /// The shard that an effect has to wait for after the first one.
    struct Second: Sendable {
        var shard: UInt16
        var batch: UInt64
        /// Which adoption of the shard is meant.
        var adoption: UInt64
    }

    private struct Item: Sendable {
        var batch: UInt64
        var next: Int32
        /// Nil in an unused place.
        var effect: CoreEffect?
        var second: Second?
    }

    private struct Queue: Sendable {
        var first: Int32 = -1
        var last: Int32 = -1
        var count = 0
        /// Its place among the shards that wait; -1 while it is empty.
        var position = -1
    }

    private var items: [Item] = []
    private var unused: Int32 = -1
    private var queues = [Queue](repeating: Queue(), count: Int(Shard.registry) + 1)
    /// Shards whose queue is not empty.
    private var waiting: [UInt16] = []
    /// Effects in all queues.
    private(set) var count = 0

    /// Effects that wait for one shard.
    func count(of shard: UInt16) -> Int { queues[Int(shard)].count }

    /// Holds an effect back. Batches never go down along a queue, so an effect may wait for a later batch than it
    /// needs.
    mutating func hold(_ effect: CoreEffect, _ shard: UInt16, until batch: UInt64, second: Second? = nil) {
        let number = Int(shard)
        let last = queues[number].last
        let batch = last < 0 ? batch : max(batch, items[Int(last)].batch)
        let place = take(Item(batch: batch, next: -1, effect: effect, second: second))
        if last < 0 {
            queues[number].first = place
            queues[number].position = waiting.count
            waiting.append(shard)
        } else {
            items[Int(last)].next = place
        }
        queues[number].last = place
        queues[number].count += 1
        count += 1
    }

    private mutating func take(_ item: Item) -> Int32 {
        guard unused >= 0 else {
            items.append(item)
            return Int32(truncatingIfNeeded: items.count - 1)
        }
        let place = unused
        unused = items[Int(place)].next
        items[Int(place)] = item
        return place
    }

    private mutating func release(_ place: Int32) {
        items[Int(place)].effect = nil
        items[Int(place)].second = nil
        items[Int(place)].next = unused
        unused = place
        count -= 1
        // A burst does not keep its memory for ever.
        guard count == 0, items.count > 4096 else { return }
        items = []
        unused = -1
    }

    /// Lets out what waits for the shard's batches up to `batch`; what has to wait for another shard then goes to
    /// `seconds`.
    mutating func open(
        _ shard: UInt16, upTo batch: UInt64, into effects: inout [CoreEffect],
        seconds: inout [(effect: CoreEffect, second: Second)]
    ) {
        let number = Int(shard)
        while queues[number].first >= 0 {
            let place = queues[number].first
            guard items[Int(place)].batch <= batch else { return }
            let next = items[Int(place)].next
            // Moved out and not copied.
            var effect: CoreEffect?
            swap(&effect, &items[Int(place)].effect)
            if let effect {
                if let second = items[Int(place)].second {
                    seconds.append((effect, second))
                } else {
                    effects.append(effect)
                }
            }
            release(place)
            queues[number].first = next
            queues[number].count -= 1
        }
        closeQueue(number)
    }

    /// The same for every shard.
    mutating func openAll(
        upTo batch: UInt64, into effects: inout [CoreEffect], seconds: inout [(effect: CoreEffect, second: Second)]
    ) {
        var index = 0
        while index < waiting.count {
            let shard = waiting[index]
            open(shard, upTo: batch, into: &effects, seconds: &seconds)
            // An emptied queue gave its place to the last one.
            if queues[Int(shard)].position >= 0 { index += 1 }
        }
    }

    /// Takes everything out of a shard's queue.
    mutating func takeAll(_ shard: UInt16) -> [CoreEffect] {
        var taken: [CoreEffect] = []
        var seconds: [(effect: CoreEffect, second: Second)] = []
        open(shard, upTo: .max, into: &taken, seconds: &seconds)
        return taken + seconds.map(\.effect)
    }

    /// Takes out what waits for `batch` or a later one and is chosen.
    mutating func take(from batch: UInt64, where isChosen: (CoreEffect) -> Bool) -> [CoreEffect] {
        var taken: [CoreEffect] = []
        for shard in waiting {
            let number = Int(shard)
            var former: Int32 = -1
            var place = queues[number].first
            while place >= 0 {
                let next = items[Int(place)].next
                if items[Int(place)].batch >= batch, let effect = items[Int(place)].effect, isChosen(effect) {
                    taken.append(effect)
                    unlink(place, after: former, number)
                } else {
                    former = place
                }
                place = next
            }
        }
        for shard in waiting where queues[Int(shard)].first < 0 { closeQueue(Int(shard)) }
        return taken
    }

    private mutating func unlink(_ place: Int32, after former: Int32, _ number: Int) {
        let next = items[Int(place)].next
        if former < 0 { queues[number].first = next } else { items[Int(former)].next = next }
        if next < 0 { queues[number].last = former }
        queues[number].count -= 1
        release(place)
    }

    private mutating func closeQueue(_ number: Int) {
        queues[number].last = -1
        let position = queues[number].position
        guard position >= 0 else { return }
        queues[number].position = -1
        let last = waiting.removeLast()
        guard Int(last) != number else { return }
        waiting[position] = last
        queues[Int(last)].position = position
    }
}
