import APNsSimulator
import LiveActivity
import SimulatedAPNs
import Testing

/// The example payloads of Docs/APNs.md: APNs answers and devices do what the manifest says of each.
@Suite struct ManifestTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let kind: String
        let schema: String?
        let status: Int?
        let reason: String?
        let device: String
        var testDescription: String { file }
    }

    private static let bundle = "com.example.MyApp"
    private static let channel = "dHN0LXNyY2gtY2hubA=="
    private static let now: Int64 = 1_790_000_000_000
    private static let directory =
        "\(#filePath)".split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
        + "/Fixtures/payloads/"

    private static func read(_ name: String) -> JSONValue {
        let bytes = (try? TestFile.contents(directory + name)) ?? []
        return (try? JSONValue(parsing: bytes.span)) ?? .null
    }

    static let entries: [Entry] = (read("manifest.json")["payloads"]?.array ?? []).map { value in
        Entry(
            file: value["file"]?.string ?? "", kind: value["kind"]?.string ?? "", schema: value["schema"]?.string,
            status: value["apns"]?["status"]?.integer.map { Int($0) }, reason: value["apns"]?["reason"]?.string,
            device: value["device"]?.string ?? "")
    }

    @Test func allAreThere() { #expect(Self.entries.count >= 55) }

    private struct Scene {
        var world: SimulatedAPNs
        var fields = RequestFields()
        var effects: [Effect] = []
        let device: Int
    }

    private func scene(_ entry: Entry) throws -> Scene {
        let schemas = try SimulatorSettings.readSchemas(file: Self.directory + "schemas.json")
        var world = SimulatedAPNs(
            rules: Rules(), apps: [SimulatedApp(bundleID: Self.bundle, teamID: "T")],
            keys: [ProviderKey(id: "K", teamID: "T")], schemas: schemas, seed: 1)
        world.open(connection: 1, on: .send, nowMilliseconds: Self.now)
        _ = try world.addChannel(
            id: Self.channel, bundleID: Self.bundle, policy: .none, nowMilliseconds: Self.now)
        let device = try world.addDevices(1).lowerBound
        var scene = Scene(world: world, device: device)
        scene.fields.method = "POST"
        scene.fields.pushType = "liveactivity"
        scene.fields.priority = "10"
        let schema = entry.schema ?? "MatchAttributes"
        switch entry.kind {
        case "broadcast":
            try scene.world.follow(
                channel: Self.channel, bundleID: Self.bundle, device: device, schema: schema,
                nowMilliseconds: Self.now)
            scene.fields.path = "/4/broadcasts/apps/" + Self.bundle
            scene.fields.channelID = Self.channel
            scene.fields.expiration = "0"
        case "start":
            let token = try scene.world.addStartToken(
                bundleID: Self.bundle, device: device, attributesType: schema)
            scene.fields.path = "/3/device/" + token
            scene.fields.topic = Self.bundle + ".push-type.liveactivity"
        default:
            let token = try scene.world.addActivityToken(
                bundleID: Self.bundle, device: device, schema: schema, nowMilliseconds: Self.now)
            scene.fields.path = "/3/device/" + token
            scene.fields.topic = Self.bundle + ".push-type.liveactivity"
        }
        return scene
    }

    @Test(arguments: entries) func payload(_ entry: Entry) throws {
        var scene = try scene(entry)
        let credential = Credential.token(
            ProviderToken(
                serial: 1, keyID: "K", teamID: "T", issuedAtSeconds: Self.now / 1000, verdict: .good))
        scene.world.handle(
            Request(
                id: RequestID(connection: 1, stream: 1), fields: scene.fields, credential: credential,
                body: try TestFile.contents(Self.directory + entry.file)),
            nowMilliseconds: Self.now, into: &scene.effects)
        let answers = scene.effects.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
        let answer = try #require(answers.first)
        // Where the manifest knows no reason the answer is open (Docs/APNs.md 9): here 200.
        if let status = entry.status, status == 200 || entry.reason != nil { #expect(answer.status == status) }
        if let reason = entry.reason {
            let body = answer.body
            #expect(try JSONValue(parsing: body.span)["reason"]?.string == reason)
        }
        let activity = scene.world.device(scene.device)?.activities.first
        let isShown = activity.flatMap { scene.world.report(ofActivity: $0)?.stampSeconds } != nil
        if entry.device.hasPrefix("applied") {
            #expect(isShown)
        } else if ["dropped", "never sent", "ignored", "nothing", "activity fails"].contains(
            where: entry.device.hasPrefix)
        {
            #expect(!isShown)
        }
    }
}
