/// Whether APNs can be reached from here, as one pool sees it, or several together.
public enum Reach: Hashable, Sendable {
    /// Nobody wants to know: no connection is wanted, or APNs refuses the credentials, which other nodes would see too.
    case idle
    /// There is a connection that answers, as far as is known.
    case reached
    /// There is none although one is wanted, since then, in milliseconds since boot.
    case lost(since: Int64)

    /// What two pools see together: one that reaches APNs is enough, and the later loss counts.
    public func merged(with other: Reach) -> Reach {
        switch (self, other) {
        case (.reached, _), (_, .reached): .reached
        case (.idle, let one), (let one, .idle): one
        case (.lost(let one), .lost(let another)): .lost(since: max(one, another))
        }
    }
}
