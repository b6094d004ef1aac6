public import Delivery
public import Wire

/// Where a control message goes.
public enum MeshTarget: Hashable, Sendable {
    /// A node that has described itself.
    case member(Member)
    /// An address of the configuration, of which no more is known: the name is the configuration's, for its
    /// certificate.
    case seed(name: String, control: String)
}

/// What a node's core wants done. The order of effects is the order in which they are to be carried out.
public enum NodeEffect: Hashable, Sendable {
    /// Write these rows in one transaction and report `stored` or `storeFailed`; see `CoreEffect.store` for the rule
    /// about retries.
    case store(batch: UInt64, writes: [StoreWrite], isRetry: Bool)
    /// Send on the control plane, now or not at all.
    case sendControl(ControlMessage, to: MeshTarget)
    /// Send on the data plane, in order; what does not fit is lost, and found by the receiver.
    case sendReplication(ReplicationMessage, to: Member)
    /// Answer a request of this node's own callers or of one that was forwarded to it.
    case reply(origin: UInt64, Reply)
    /// Tell the event's producer what became of it; best effort.
    case receipt(Receipt)
    /// Give the item to the lanes of these destinations: its record is on W copies.
    indirect case offer(PushItem, [Destination])
    /// The lanes forget everything of these tickets; no report is awaited.
    case withdraw(tickets: [UInt64])
    /// Sending to APNs is allowed until then, in milliseconds since boot; a past time stops it at once.
    case lease(untilBootMilliseconds: Int64)
    /// Ask APNs to manage channels.
    case manage(intent: UInt64, app: UInt16, ChannelOperation)
    /// Worth a line in the log.
    case notice(Notice)
    /// Something about the cluster that is worth a line in the log.
    case clusterNotice(ClusterNotice)
    /// Where an event is on its way, for `carillon trace`.
    case stage(eventID: [UInt8], TraceStage)
    /// Everything that the node owned is handed over, or nobody could take it: it may stop.
    case drained
}

/// A step of an event that the core sees. Ingest and Route are the shell's to note.
public enum TraceStage: Hashable, Sendable {
    /// It has its version; the copies leave.
    case versioned(shard: UInt16, ShardVersion)
    /// It is on W copies.
    case replicated(copies: Int)
    /// Its turn has come: it goes to the lanes.
    case admitted
    /// What became of it.
    case settled(EventOutcome)
}

/// What an operator should know of the cluster.
public enum ClusterNotice: Hashable, Sendable {
    /// The cluster was made by this node.
    case chartered(cluster: NodeID, voters: Int)
    /// This node has joined.
    case joined(cluster: NodeID)
    /// This node may not join; it goes on asking.
    case refused(RefusalReason, detail: String)
    /// A member's state changed.
    case member(name: String, MemberState)
    /// Who coordinates changed; nil: nobody.
    case coordinator(name: String?, term: UInt64)
    /// This node's lease began or ended.
    case lease(isHeld: Bool)
    /// Shards that this node now serves, and how long it took, in milliseconds since it was given them.
    case tookOver(shards: Int, milliseconds: Int64)
    /// Shards that this node serves no more.
    case letGo(shards: Int)
    /// Two replicas differ although they should not; they are brought in step.
    case digestsDiffer(shard: UInt16, member: NodeID)
    /// Shards without enough valid copies stay closed.
    case shardsClosed(count: Int)
    /// An operator accepts that what the missing copies of these shards had is lost.
    case lossAccepted(shards: [UInt16])
    /// The lease of a member lapses again and again: it owns nothing for so long, in milliseconds.
    case flapping(name: String, milliseconds: Int64)
    /// APNs cannot be reached from this node although others may, or can be again.
    case cutOff(Bool)
    /// A clock is off by so much, in milliseconds.
    case clockOff(name: String, milliseconds: Int64)
}
