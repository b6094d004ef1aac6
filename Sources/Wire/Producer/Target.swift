/// Which channel or activity a message is about, as a producer names it: without an instance it means the newest.
public struct Target: Hashable, Sendable {
    /// App, kind and name; its own instance is 1 and means nothing.
    public let name: Key
    /// The instance asked for; nil: the newest.
    public let instance: UInt32?

    /// Names the newest instance, or a given one; nil when app or name is empty or too long, or the instance is 0.
    public init?(app: String, kind: Key.Kind, name: String, instance: UInt32? = nil) {
        guard instance != 0, let key = Key(app: app, kind: kind, name: name) else { return nil }
        self.name = key
        self.instance = instance
    }

    /// Names exactly the instance of `key`.
    public init(key: Key) {
        name = key.with(instance: 1)
        instance = key.instance
    }

    /// The key, when `newest` is the newest instance.
    public func key(newest: UInt32) -> Key { name.with(instance: instance ?? newest) }

    /// Reads `app`, one of `channel` and `activity`, and `instance`.
    init(_ header: inout HeaderReader) throws(WireFault) {
        let app = try header.requireName("app", limit: Key.appBytesMax)
        let channel = try header.name("channel", limit: Key.nameBytesMax)
        let activity = try header.name("activity", limit: Key.nameBytesMax)
        guard let name = channel ?? activity else { throw header.fault("channel", "name a channel or an activity") }
        guard channel == nil || activity == nil else {
            throw header.fault("activity", "name a channel or an activity, not both")
        }
        let kind = channel == nil ? Key.Kind.activity : .channel
        guard let key = Key(appBytes: app, kind: kind, nameBytes: name) else {
            throw header.fault("app", "app and name make no key")
        }
        self.name = key
        instance = try header.integer("instance", in: 1...Int64(UInt32.max)).map { UInt32($0) }
    }

    /// Reads `app`, `channel`, `activity` or both, and `instance`: a publish may be for a channel and an activity.
    static func oneOrBoth(_ header: inout HeaderReader) throws(WireFault) -> (Target, activity: Target?) {
        let app = try header.requireName("app", limit: Key.appBytesMax)
        let channel = try header.name("channel", limit: Key.nameBytesMax)
        let activity = try header.name("activity", limit: Key.nameBytesMax)
        guard let name = channel ?? activity else { throw header.fault("channel", "name a channel or an activity") }
        let instance = try header.integer("instance", in: 1...Int64(UInt32.max)).map { UInt32($0) }
        guard let key = Key(appBytes: app, kind: channel == nil ? .activity : .channel, nameBytes: name) else {
            throw header.fault("app", "app and name make no key")
        }
        guard channel != nil, let activity else { return (Target(name: key, instance: instance), nil) }
        guard instance == nil else {
            throw header.fault("instance", "a channel and an activity count their instances apart: leave it out")
        }
        guard let second = Key(appBytes: app, kind: .activity, nameBytes: activity) else {
            throw header.fault("activity", "app and name make no key")
        }
        return (Target(name: key, instance: nil), Target(name: second, instance: nil))
    }

    private init(name: Key, instance: UInt32?) {
        self.name = name
        self.instance = instance
    }

    func write(_ header: inout HeaderWriter) {
        header.string("app", name.appBytes)
        header.string(name.kind == .channel ? "channel" : "activity", name.ownNameBytes)
        header.integer("instance", instance.map { Int64($0) })
    }
}
