internal import CLinux
public import Codes
public import LiveActivity
internal import Loops
public import SimulatedAPNs

/// A client of a simulator's control socket, for tests, the demo and the command line. Every call blocks until its
/// answer is there or the time-out is over; after a time-out make a new client.
///
/// Threads: one at a time; never a loop thread.
public final class SimulatorControl {
    /// Path of the socket.
    public let path: String
    /// How long an answer may take unless a call says otherwise.
    public var timeoutMilliseconds: Int64
    private let descriptor: Int32
    private var received: [UInt8] = []
    private static let answerBytesMax = 256 << 20

    /// Connects, and while nobody listens tries again for `waitMilliseconds`. Throws `simulator-unreachable`.
    public init(path: String, timeoutMilliseconds: Int64 = 10_000, waitMilliseconds: Int64 = 0) throws(Fault) {
        self.path = path
        self.timeoutMilliseconds = timeoutMilliseconds
        let until = Clock.bootMilliseconds() + waitMilliseconds
        while true {
            do throws(Fault) {
                descriptor = try connectUnixSocket(path)
                return
            } catch {
                guard Clock.bootMilliseconds() < until else { throw error }
                poll(nil, 0, 20)
            }
        }
    }

    deinit { close(descriptor) }

    // MARK: - Commands

    /// The world in numbers, with at most `channelsMax` channels.
    public func state(channelsMax: Int = 100) throws(Fault) -> SimulatorState {
        SimulatorState(try stateJSON(channelsMax: channelsMax))
    }

    /// The same as JSON, as the command line prints it.
    public func stateJSON(channelsMax: Int = 100) throws(Fault) -> JSONValue {
        try send("state", [JSONValue.Member("limit", .integer(Int64(channelsMax)))])
    }

    /// One channel. Throws `simulator-unknown`.
    public func channel(_ id: String) throws(Fault) -> SimulatorState.Channel {
        SimulatorState.Channel(try send("state", [JSONValue.Member("channel", .string(id))]))
    }

    /// One device as JSON: its activities with what they show and their history.
    public func device(_ index: Int) throws(Fault) -> JSONValue {
        try send("device", [JSONValue.Member("device", .integer(Int64(index)))])
    }

    /// The device of an update token as JSON.
    public func device(ofToken token: String) throws(Fault) -> JSONValue {
        try send("device", [JSONValue.Member("token", .string(token))])
    }

    /// What new devices have.
    public enum Way: Sendable, Hashable {
        /// An activity on this channel.
        case channel(String)
        /// An activity on every channel of the app created from now on.
        case newChannels
        /// An activity with an update token of so many bytes.
        case activityTokens(byteCount: Int = 32)
        /// A push-to-start token for an attributes type.
        case startTokens(attributesType: String)
        /// An ordinary token.
        case ordinaryTokens
    }

    /// Adds devices; returns their indices and, where the way has tokens, one token each in the same order.
    @discardableResult
    public func addDevices(
        _ count: Int, app bundleID: String, _ way: Way, online: Bool = true, schema: String? = nil
    ) throws(Fault) -> (devices: Range<Int>, tokens: [String]) {
        var members: [JSONValue.Member] = [
            JSONValue.Member("count", .integer(Int64(count))), JSONValue.Member("app", .string(bundleID)),
            JSONValue.Member("online", .bool(online)),
        ]
        if let schema { members.append(JSONValue.Member("schema", .string(schema))) }
        let answer = try send("add-devices", members + Self.members(of: way))
        let first = Int(answer["first"]?.integer ?? 0)
        return (
            first..<first + Int(answer["count"]?.integer ?? 0), (answer["tokens"]?.array ?? []).compactMap(\.string)
        )
    }

    private static func members(of way: Way) -> [JSONValue.Member] {
        switch way {
        case .channel(let id): [JSONValue.Member("channel", .string(id))]
        case .newChannels: [JSONValue.Member("channel", .string("new"))]
        case .activityTokens(let count):
            [
                JSONValue.Member("tokens", .string("activity")),
                JSONValue.Member("token_bytes", .integer(Int64(count))),
            ]
        case .startTokens(let type):
            [
                JSONValue.Member("tokens", .string("start")), JSONValue.Member("attributes_type", .string(type)),
            ]
        case .ordinaryTokens: [JSONValue.Member("tokens", .string("ordinary"))]
        }
    }

    /// Creates a channel as if somebody else had; returns its ID.
    public func createChannel(app bundleID: String, policy: StoragePolicy) throws(Fault) -> String {
        let members = [
            JSONValue.Member("app", .string(bundleID)), JSONValue.Member("policy", .integer(Int64(policy.rawValue))),
        ]
        return try send("create-channel", members)["channel"]?.string ?? ""
    }

    /// Takes devices on or off the network.
    public func setOnline(_ online: Bool, devices: Range<Int>) throws(Fault) {
        _ = try send(
            online ? "online" : "offline",
            [
                JSONValue.Member("first", .integer(Int64(devices.lowerBound))),
                JSONValue.Member("count", .integer(Int64(devices.count))),
            ])
    }

    /// Takes up to `count` devices of a channel on or off the network, all when nil; returns how many changed.
    @discardableResult
    public func setOnline(_ online: Bool, channel: String, count: Int? = nil) throws(Fault) -> Int {
        var members = [JSONValue.Member("channel", .string(channel))]
        if let count { members.append(JSONValue.Member("count", .integer(Int64(count)))) }
        return Int(try send(online ? "online" : "offline", members)["devices"]?.integer ?? 0)
    }

    /// Changes what APNs answers to a token.
    public func setFate(_ fate: SimulatedAPNs.TokenFate, ofToken token: String) throws(Fault) {
        let name =
            switch fate {
            case .active: "active"
            case .unregistered: "unregistered"
            case .expired: "expired"
            case .otherEnvironment: "other-environment"
            }
        _ = try send(
            "token-fate", [JSONValue.Member("token", .string(token)), JSONValue.Member("fate", .string(name))])
    }

    /// Switches faults; those not named stay as they are.
    public func setFaults(_ settings: [FaultSetting]) throws(Fault) {
        _ = try send("fault", settings.flatMap(\.members))
    }

    /// Changes how APNs behaves; rules not named stay as they are.
    public func setRules(_ settings: [RuleSetting]) throws(Fault) {
        _ = try send("rules", settings.map(\.member))
    }

    /// Adds an app to the account, or changes it.
    public func addApp(_ app: SimulatedApp) throws(Fault) {
        _ = try send("add-app", app.members)
    }

    /// Makes a provider key; returns the path of the `.p8` file. Throws `simulator-credentials` when there is one of
    /// this ID.
    public func addKey(_ key: ProviderKey) throws(Fault) -> String {
        try send("add-key", key.members)["key_file"]?.string ?? ""
    }

    /// Update tokens that activities started by push were given, oldest first.
    public func issuedTokens() throws(Fault) -> [String] {
        (try send("tokens")["tokens"]?.array ?? []).compactMap(\.string)
    }

    /// Blocks until a condition is met. Throws `simulator-wait` with how far it came.
    public func wait(_ condition: Condition, timeoutMilliseconds timeout: Int64) throws(Fault) {
        var members = [
            JSONValue.Member("timeout_ms", .integer(timeout)),
            JSONValue.Member("activities", .integer(Int64(condition.activitiesMin))),
        ]
        switch condition.scope {
        case .channel(let id): members.append(JSONValue.Member("channel", .string(id)))
        case .tokens(let bundle): members.append(JSONValue.Member("tokens_of", .string(bundle)))
        case .everything: break
        }
        switch condition.demand {
        case .stampAtLeast(let stamp): members.append(JSONValue.Member("stamp", .integer(stamp)))
        case .newestStamp: members.append(JSONValue.Member("newest", .bool(true)))
        case .ended: members.append(JSONValue.Member("ended", .bool(true)))
        case .rings(let count): members.append(JSONValue.Member("rings", .integer(Int64(count))))
        case .field(let name, let value):
            members += [JSONValue.Member("field", .string(name)), JSONValue.Member("value", value)]
        }
        _ = try send("wait", members, timeoutMilliseconds: timeout + timeoutMilliseconds)
    }

    /// Starts counting anew.
    public func resetCounters() throws(Fault) { _ = try send("reset-counters") }

    /// Ends the simulator.
    public func stop() throws(Fault) { _ = try send("stop") }

    // MARK: - The line protocol

    /// Sends a command and returns its answer. Throws what the simulator says, `simulator-timeout`, or
    /// `simulator-unreachable` when it has gone.
    public func send(
        _ command: String, _ members: [JSONValue.Member] = [], timeoutMilliseconds: Int64? = nil
    ) throws(Fault) -> JSONValue {
        var writer = JSONWriter()
        writer.value(.object([JSONValue.Member("command", .string(command))] + members))
        try sendAll(writer.bytes + [UInt8(ascii: "\n")])
        let line = try receiveLine(Clock.bootMilliseconds() + (timeoutMilliseconds ?? self.timeoutMilliseconds))
        let limits = JSONLimits(bytesMax: Self.answerBytesMax, keysPerObjectMax: 4096)
        guard let answer = try? JSONValue(parsing: line.span, limits: limits) else {
            throw Fault(.simulatorUnreachable, "the answer is no JSON", at: path)
        }
        guard answer["ok"]?.bool == true else {
            let code = Code.named(answer["code"]?.string ?? "") ?? .simulatorCommand
            throw Fault(code, answer["detail"]?.string ?? "", at: answer["place"]?.string ?? "")
        }
        return answer
    }

    private func sendAll(_ bytes: [UInt8]) throws(Fault) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                CLinux.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, crl_errno() == EINTR { continue }
            guard count > 0 else { throw Fault(.simulatorUnreachable, "it has gone", at: path) }
            offset += count
        }
    }

    private func receiveLine(_ until: Int64) throws(Fault) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let left = until - Clock.bootMilliseconds()
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: max(0, left)))
            if ready == 0 { throw Fault(.simulatorTimeout, at: path) }
            if ready < 0 { continue }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, crl_errno() == EINTR { continue }
            guard count > 0, received.count + count <= Self.answerBytesMax else {
                throw Fault(.simulatorUnreachable, "it has gone", at: path)
            }
            let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n"))
            received.append(contentsOf: buffer[..<(end ?? count)])
            guard end != nil else { continue }
            defer { received.removeAll() }
            return received
        }
    }
}
