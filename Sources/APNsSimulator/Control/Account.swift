internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// Apps and keys of the developer account on the control socket.
extension SimulatedApp {
    private static let bundleBytes = 1...255

    /// Reads an `add-app` command.
    init(_ members: ControlMembers) throws(Fault) {
        let bundleID = try members.string("app")
        guard Self.bundleBytes.contains(bundleID.utf8.count) else {
            throw Fault(.simulatorCommand, "1 to 255 bytes", at: "app")
        }
        self.init(
            bundleID: bundleID, teamID: try members.string("team"),
            broadcastEnabled: try members.bool("broadcast", default: true),
            channelsMax: try members.count("channels_max", default: 10_000))
    }

    var members: [JSONValue.Member] {
        [
            JSONValue.Member("app", .string(bundleID)), JSONValue.Member("team", .string(teamID)),
            JSONValue.Member("broadcast", .bool(broadcastEnabled)),
            JSONValue.Member("channels_max", .integer(Int64(channelsMax))),
        ]
    }
}

extension ProviderKey {
    private static let idBytes = 1...32

    /// Reads an `add-key` command. The ID becomes part of a file's name.
    init(_ members: ControlMembers) throws(Fault) {
        let id = try members.string("key")
        guard Self.idBytes.contains(id.utf8.count), id.utf8.allSatisfy(Self.isIDByte) else {
            throw Fault(.simulatorCommand, "letters and digits, at most 32", at: "key")
        }
        self.init(id: id, teamID: try members.string("team"), scope: try Self.scope(members))
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func scope(_ members: ControlMembers) throws(Fault) -> Scope {
        let kind = try members.string("scope")
        if kind == "classic" { return .classic }
        guard let environment = Environment(rawValue: try members.string("environment")) else {
            throw Fault(.simulatorCommand, "production or sandbox", at: "environment")
        }
        switch kind {
        case "team": return .team(environment)
        case "topics":
            let apps = (members.value["apps"]?.array ?? []).compactMap(\.string)
            return .topics(environment, apps, related: members.value["related"]?.string)
        default: throw Fault(.simulatorCommand, "classic, team or topics", at: "scope")
        }
    }

    var members: [JSONValue.Member] {
        var members = [JSONValue.Member("key", .string(id)), JSONValue.Member("team", .string(teamID))]
        switch scope {
        case .classic: members.append(JSONValue.Member("scope", .string("classic")))
        case .team(let environment):
            members.append(JSONValue.Member("scope", .string("team")))
            members.append(JSONValue.Member("environment", .string(environment.rawValue)))
        case .topics(let environment, let apps, let related):
            members.append(JSONValue.Member("scope", .string("topics")))
            members.append(JSONValue.Member("environment", .string(environment.rawValue)))
            members.append(JSONValue.Member("apps", .array(apps.map { .string($0) })))
            if let related { members.append(JSONValue.Member("related", .string(related))) }
        }
        return members
    }
}
