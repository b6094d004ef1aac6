/// The messages between members and the coordinator.
public enum CoordinationMessage: Hashable, Sendable {
    /// This is the cluster; for a node that belongs to none, in answer to its join.
    case charter(Charter)
    /// I live and want my lease renewed; `request` comes back. The member describes itself, so that the coordinator can
    /// admit it.
    case leaseRequest(request: UInt64, Member, wallMilliseconds: Int64)
    /// Yes, for `milliseconds` from the moment the request was sent, as soon as the asker has applied the log up to
    /// `index`: what was decided of its shards before. `term` is the coordinator's.
    case lease(request: UInt64, term: UInt64, milliseconds: UInt32, index: UInt64)
    /// No, and why.
    case leaseRefused(request: UInt64, term: UInt64, LeaseRefusal)
    /// I am not the coordinator; this one is, as far as I know.
    case notCoordinator(request: UInt64, coordinator: NodeID)
    /// What the sender has done of the placement: owned shards that are active at their epoch, learners that are
    /// synced, shards that it has let go (hand-over).
    case progress(Progress)
    /// From the coordinator to an owner: let go of these shards at these epochs and say `released`; another replica is
    /// to own them. Repeated until then; an epoch that is over means nothing.
    case handOver(term: UInt64, [Progress.ShardEpoch])
    /// From the coordinator to an owner that waits for copies to read: an operator accepts that they are lost, so begin
    /// these shards at these epochs with what could be read. Repeated until then; an epoch that is over means nothing.
    case acceptLoss(term: UInt64, [Progress.ShardEpoch])
    /// To the coordinator: the sender owns these shards at these epochs and waits for copies to read; repeated.
    case waiting([Progress.ShardEpoch])
    /// To the living node that these shards were taken from: the sender serves them at these epochs, so that the next
    /// may be let go. Said once; who does not hear it waits no longer than a moment.
    case served([Progress.ShardEpoch])
    /// To the coordinator: APNs says that the channel of this name (`Key.nameBytes`) does not exist.
    case channelLost(name: [UInt8])
    /// To the owner of the registry: APNs refused a device's token of this kind and app; `fault` 0: it is dead.
    case tokenRefused(kind: UInt8, app: String, address: [UInt8], fault: UInt8)

    /// Longest token in bytes.
    public static let addressBytesMax = 1024
}

/// Why no lease is given. Raw values are on the wire: never renumber.
public enum LeaseRefusal: UInt8, Hashable, Sendable, CaseIterable {
    /// The node is not a member yet; it will be admitted.
    case notAdmitted = 1
    /// Its clock is more than 2 s off the median.
    case clockOff = 2
    /// It was removed.
    case removed = 3
    /// The coordinator has just been elected and waits for the leases of the old one to end.
    case tooEarly = 4
}

/// What a node tells the coordinator of its shards.
public struct Progress: Hashable, Sendable {
    /// Shards that the sender owns and serves, with the epoch.
    public var active: [ShardEpoch]
    /// Learners and replicas that hold everything the sender (the owner) holds.
    public var synced: [ShardMember]
    /// Shards that the sender owned and has let go: nothing of them is in flight any more.
    public var released: [ShardEpoch]

    /// Makes a report.
    public init(active: [ShardEpoch] = [], synced: [ShardMember] = [], released: [ShardEpoch] = []) {
        self.active = active
        self.synced = synced
        self.released = released
    }

    /// A shard at an epoch.
    public struct ShardEpoch: Hashable, Sendable {
        /// 0…4096; 4096 is the registry.
        public var shard: UInt16
        /// Its epoch.
        public var epoch: UInt64

        /// Makes a pair.
        public init(shard: UInt16, epoch: UInt64) {
            self.shard = shard
            self.epoch = epoch
        }
    }

    /// A member that is in step with a shard's owner.
    public struct ShardMember: Hashable, Sendable {
        /// The shard.
        public var shard: UInt16
        /// The owner's epoch.
        public var epoch: UInt64
        /// Who is in step.
        public var member: NodeID

        /// Makes a triple.
        public init(shard: UInt16, epoch: UInt64, member: NodeID) {
            self.shard = shard
            self.epoch = epoch
            self.member = member
        }
    }
}
