import Codes
import Delivery
import Wire

/// The coordinator's work on channels: the catalogue, whose rows go through the log. What follows a row waits until the
/// log has applied it.
struct ChannelDesk: Sendable {
    private struct Held: Sendable {
        var index: UInt64
        var effect: NodeEffect
    }

    private let settings: CoreSettings
    private var catalogue: ChannelCatalogue?
    private var wanted: [ChannelCatalogue.Effect] = []
    private var held = FIFO<Held>()
    private var lastIndex: UInt64 = 0

    init(settings: CoreSettings) { self.settings = settings }

    var nextDeadline: Int64? { catalogue?.nextDeadline }

    /// This node coordinates now: what the rows say is under way is taken up again.
    mutating func lead(_ rows: [[UInt8]: [UInt8]], appIndex: [String: UInt16]) {
        var catalogue = ChannelCatalogue(settings: settings)
        for (name, value) in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let key = Key(bytes: name + Key.firstInstance), let app = appIndex[key.app],
                let entry = ChannelEntry(row: value, app: app)
            else { continue }
            catalogue.restore(key, entry)
        }
        _ = catalogue.finishRestore()
        self.catalogue = catalogue
        held = FIFO()
        wanted = []
    }

    /// It does not any more: who waits is to ask the next one.
    mutating func stepDown(into effects: inout [NodeEffect]) {
        var refused: [ChannelCatalogue.Effect] = []
        catalogue?.reset(into: &refused)
        for case .answer(let origin, let reply) in refused { effects.append(.reply(origin: origin, reply)) }
        for item in held.all {
            if case .reply(let origin, _) = item.effect { effects.append(Self.moved(origin)) }
        }
        catalogue = nil
        held = FIFO()
        wanted = []
    }

    static func moved(_ origin: UInt64) -> NodeEffect {
        .reply(
            origin: origin,
            .refused(Fault(.shardMoves, "the coordinator has changed"), retryMilliseconds: 500))
    }

    /// Takes a request; false when this node does not coordinate.
    mutating func handle(_ input: ChannelInput, now: Moment) -> Bool {
        guard catalogue != nil else { return false }
        catalogue?.handle(input, now: now.bootMilliseconds, into: &wanted)
        return true
    }

    /// Starts what is due.
    mutating func advance(now: Int64, isLeading: Bool) {
        guard isLeading else { return }
        catalogue?.advance(now: now, into: &wanted)
    }

    mutating func takeWanted() -> [ChannelCatalogue.Effect] {
        defer { wanted = [] }
        return wanted
    }

    /// A row was proposed; what follows waits for it.
    mutating func proposed(_ index: UInt64) { lastIndex = max(lastIndex, index) }

    /// Lets the effect out once everything proposed so far is applied.
    mutating func after(_ effect: NodeEffect, applied: UInt64, into effects: inout [NodeEffect]) {
        if lastIndex <= applied, held.isEmpty {
            effects.append(effect)
        } else {
            held.append(Held(index: lastIndex, effect: effect))
        }
    }

    mutating func applied(upTo index: UInt64, into effects: inout [NodeEffect]) {
        while let first = held.first, first.index <= index {
            effects.append(first.effect)
            held.removeFirst()
        }
    }
}
