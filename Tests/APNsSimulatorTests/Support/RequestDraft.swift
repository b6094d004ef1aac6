import LiveActivity
import SimulatedAPNs

/// A request before it is sent: the parts that tests change.
struct RequestDraft {
    let operation: Operation
    var method: String
    var bundle = TestSimulator.bundle
    var token = ""
    var pathEnd = ""
    var fields: [(String, String)]
    var body: String

    var path: String {
        let path =
            switch operation {
            case .device, .start: "/3/device/" + token
            case .broadcast: "/4/broadcasts/apps/" + bundle
            case .create, .read, .delete: "/1/apps/\(bundle)/channels"
            case .list: "/1/apps/\(bundle)/all-channels"
            }
        return path + pathEnd
    }

    /// A faultless request.
    init(_ operation: Operation, authorization: String?, token: String, channel: String) {
        self.operation = operation
        self.token = token
        method = "POST"
        fields = authorization.map { [("authorization", $0)] } ?? []
        body = ""
        switch operation {
        case .device:
            fields += TestSimulator.deviceFields("").dropFirst()
            body = TestSimulator.body(1_790_000_000, ball: 1)
        case .start:
            fields += TestSimulator.deviceFields("").dropFirst()
            body = """
                {"aps":{"timestamp":1790000000,"event":"start","content-state":{"ball":1},"attributes-type":"Match",\
                "attributes":{"id":"x"},"alert":{"title":"t","body":"b"}}}
                """
        case .broadcast:
            fields += TestSimulator.broadcastFields(channel, "").dropFirst()
            body = TestSimulator.body(1_790_000_000, ball: 1)
        case .create: body = "{\"message-storage-policy\":0,\"push-type\":\"LiveActivity\"}"
        case .read, .delete:
            method = operation == .read ? "GET" : "DELETE"
            fields.append(("apns-channel-id", channel))
        case .list: method = "GET"
        }
    }

    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.0 == name }
        if let value { fields.append((name, value)) }
    }
}
