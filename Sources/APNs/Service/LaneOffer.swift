public import Delivery

/// One version of a record on its way to one destination.
public struct LaneOffer: Sendable, Hashable {
    /// What to send.
    public var item: PushItem
    /// Where to.
    public var destination: Destination

    /// Pairs them.
    public init(item: PushItem, destination: Destination) {
        self.item = item
        self.destination = destination
    }
}
