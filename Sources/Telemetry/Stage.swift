/// The six stages of an event's way, in order: the same words in file names, log fields, metric labels and headings.
public enum Stage: String, Sendable, CaseIterable {
    /// A producer's message arrives.
    case ingest
    /// Key → shard → owner.
    case route
    /// Version, stamp, copies.
    case replicate
    /// Budgets and conflation.
    case admit
    /// To APNs and back.
    case dispatch
    /// The outcome is recorded.
    case settle
}
