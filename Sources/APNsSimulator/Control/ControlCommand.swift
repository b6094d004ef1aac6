internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// A command of the control socket, read from its line.
enum ControlCommand {
    /// How a device is looked up.
    enum Lookup {
        case device(Int)
        case token(String)
    }

    /// Which devices go on or off the network.
    enum Selection {
        case range(Range<Int>)
        /// The first `count` devices of a channel that are not yet as wanted.
        case ofChannel(String, count: Int, online: Bool)
    }

    /// Devices to be added.
    struct DeviceOrder {
        enum Way: Equatable {
            case nothing
            case channel(String)
            case newChannels
            case activityTokens(byteCount: Int)
            case startTokens(attributesType: String)
            case ordinaryTokens
        }

        var count: Int
        var bundleID: String
        var online: Bool
        var schema: String?
        var way: Way
    }

    case state(channel: String?, limit: Int)
    case device(Lookup)
    case addDevices(DeviceOrder)
    case createChannel(bundleID: String, StoragePolicy)
    case setOnline(Bool, Selection)
    case tokenFate(String, SimulatedAPNs.TokenFate)
    case fault(FaultChange)
    case rules(RuleChange)
    case addApp(SimulatedApp)
    case addKey(ProviderKey)
    case tokens
    case wait(Condition, timeoutMilliseconds: Int64)
    case resetCounters
    case stop

    /// Reads a line. Throws `simulator-command` with the member that is wrong.
    init(_ line: [UInt8]) throws(Fault) {
        let limits = JSONLimits(bytesMax: ControlServer.lineBytesMax)
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: line.span, limits: limits) } catch {
            throw Fault(.simulatorCommand, error.words, at: "byte \(error.offset)")
        }
        let members = ControlMembers(value)
        switch try members.string("command") {
        case "state": self = .state(channel: value["channel"]?.string, limit: try members.count("limit", default: 100))
        case "device": self = .device(try Self.lookup(members))
        case "add-devices": self = .addDevices(try Self.deviceOrder(members))
        case "create-channel":
            guard let policy = StoragePolicy(rawValue: try members.count("policy")) else {
                throw Fault(.simulatorCommand, "0 or 1", at: "policy")
            }
            self = .createChannel(bundleID: try members.string("app"), policy)
        case "online": self = .setOnline(true, try Self.selection(members, online: true))
        case "offline": self = .setOnline(false, try Self.selection(members, online: false))
        case "token-fate": self = .tokenFate(try members.string("token"), try Self.fate(members))
        case "fault": self = .fault(try FaultChange(members))
        case "rules": self = .rules(try RuleChange(members))
        case "add-app": self = .addApp(try SimulatedApp(members))
        case "add-key": self = .addKey(try ProviderKey(members))
        case "tokens": self = .tokens
        case "wait":
            self = .wait(
                try Self.condition(members),
                timeoutMilliseconds: Int64(try members.count("timeout_ms", default: 10_000)))
        case "reset-counters": self = .resetCounters
        case "stop": self = .stop
        case let other: throw Fault(.simulatorCommand, "no command '\(other.prefix(40))'", at: "command")
        }
    }

    private static func lookup(_ members: ControlMembers) throws(Fault) -> Lookup {
        if let token = members.value["token"]?.string { return .token(token) }
        return .device(try members.count("device"))
    }

    private static func deviceOrder(_ members: ControlMembers) throws(Fault) -> DeviceOrder {
        let value = members.value
        let way: DeviceOrder.Way
        if let channel = value["channel"]?.string {
            way = channel == "new" ? .newChannels : .channel(channel)
        } else {
            switch value["tokens"]?.string {
            case nil: way = .nothing
            case "activity": way = .activityTokens(byteCount: try members.count("token_bytes", default: 32))
            case "start": way = .startTokens(attributesType: try members.string("attributes_type"))
            case "ordinary": way = .ordinaryTokens
            default: throw Fault(.simulatorCommand, "activity, start or ordinary", at: "tokens")
            }
        }
        return DeviceOrder(
            count: try members.count("count"), bundleID: try members.string("app"),
            online: value["online"]?.bool ?? true, schema: value["schema"]?.string, way: way)
    }

    private static func selection(_ members: ControlMembers, online: Bool) throws(Fault) -> Selection {
        if let channel = members.value["channel"]?.string {
            return .ofChannel(channel, count: try members.count("count", default: Limits.devices), online: online)
        }
        let first = try members.count("first")
        let count = try members.count("count", default: 1)
        return .range(first..<first + count)
    }

    private static func fate(_ members: ControlMembers) throws(Fault) -> SimulatedAPNs.TokenFate {
        switch try members.string("fate") {
        case "active": return .active
        case "unregistered": return .unregistered
        case "expired": return .expired
        case "other-environment": return .otherEnvironment
        default: throw Fault(.simulatorCommand, "active, unregistered, expired or other-environment", at: "fate")
        }
    }

    private static func condition(_ members: ControlMembers) throws(Fault) -> Condition {
        let value = members.value
        let scope: Condition.Scope =
            if let channel = value["channel"]?.string {
                .channel(channel)
            } else if let app = value["tokens_of"]?.string {
                .tokens(bundleID: app)
            } else {
                .everything
            }
        let demand: Condition.Demand
        if let stamp = value["stamp"]?.integer {
            demand = .stampAtLeast(stamp)
        } else if let field = value["field"]?.string, let wanted = value["value"] {
            demand = .field(name: field, value: wanted)
        } else if let rings = value["rings"]?.integer {
            demand = .rings(Int(clamping: rings))
        } else if value["ended"]?.bool == true {
            demand = .ended
        } else if value["newest"]?.bool == true {
            demand = .newestStamp
        } else {
            throw Fault(.simulatorCommand, "needs stamp, field and value, rings, ended or newest", at: "wait")
        }
        return Condition(scope, demand, activitiesMin: try members.count("activities", default: 1))
    }
}

/// The members of a command, read strictly.
struct ControlMembers {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    func string(_ name: String) throws(Fault) -> String {
        guard let string = value[name]?.string else { throw Fault(.simulatorCommand, "must be a string", at: name) }
        return string
    }

    func bool(_ name: String, default missing: Bool? = nil) throws(Fault) -> Bool {
        if value[name] == nil, let missing { return missing }
        guard let bool = value[name]?.bool else { throw Fault(.simulatorCommand, "must be true or false", at: name) }
        return bool
    }

    /// A number from 0 to 10^9.
    func count(_ name: String, default missing: Int? = nil) throws(Fault) -> Int {
        if value[name] == nil, let missing { return missing }
        guard let number = value[name]?.integer, (0...1_000_000_000).contains(number) else {
            throw Fault(.simulatorCommand, "must be a number from 0 to 1000000000", at: name)
        }
        return Int(number)
    }
}
