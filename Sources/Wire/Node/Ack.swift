/// `ack`: the event is accepted and on so many disks; it or a newer one of its key will reach APNs.
public struct Ack: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "ack"

    /// The `publish`'s number.
    public var sequence: Int64
    /// The instance that took the event.
    public var instance: UInt32
    /// First half of the record's version: grows when the key's owner changes.
    public var epoch: Int64
    /// Second half of the record's version: grows with every event of the key.
    public var version: Int64
    /// On how many disks it is.
    public var copies: Int
    /// What became of the activity's half when the event was for a channel and an activity; nil otherwise.
    public var activity: Half?
    /// The event ID was known: this is the answer of the first time, and nothing was stored or sent again.
    public var repeated: Bool

    /// The activity's instance and version where the publish named a channel and an activity: the other members are the
    /// channel's.
    public struct Half: Hashable, Sendable {
        /// The instance that took the event.
        public var instance: UInt32
        /// First half of the record's version.
        public var epoch: Int64
        /// Second half of the record's version.
        public var version: Int64
        /// The activity had the event before.
        public var repeated: Bool

        /// Makes the half.
        public init(instance: UInt32, epoch: Int64, version: Int64, repeated: Bool = false) {
            self.instance = instance
            self.epoch = epoch
            self.version = version
            self.repeated = repeated
        }
    }

    /// Makes the message.
    public init(
        sequence: Int64, instance: UInt32, epoch: Int64, version: Int64, copies: Int, repeated: Bool = false,
        activity: Half? = nil
    ) {
        self.sequence = sequence
        self.instance = instance
        self.epoch = epoch
        self.version = version
        self.copies = copies
        self.repeated = repeated
        self.activity = activity
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        instance = try header.count("instance")
        epoch = try header.time("epoch")
        version = try header.time("version")
        copies = Int(try header.count("copies"))
        repeated = try header.flag("repeated")
        activity = nil
        guard let instance = try header.integer("activity_instance", in: 0...Int64(UInt32.max)) else { return }
        activity = Half(
            instance: UInt32(instance), epoch: try header.time("activity_epoch"),
            version: try header.time("activity_version"), repeated: try header.flag("activity_repeated"))
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.integer("instance", Int64(instance))
        header.integer("epoch", epoch)
        header.integer("version", version)
        header.integer("copies", Int64(copies))
        header.flag("repeated", repeated)
        guard let activity else { return }
        header.integer("activity_instance", Int64(activity.instance))
        header.integer("activity_epoch", activity.epoch)
        header.integer("activity_version", activity.version)
        header.flag("activity_repeated", activity.repeated)
    }
}
