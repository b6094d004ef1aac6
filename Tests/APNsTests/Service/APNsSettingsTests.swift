import Codes
import Testing

@testable import APNs

@Suite struct APNsSettingsTests {
    private var good: APNsSettings {
        APNsSettings(apps: [
            APNsApp(
                bundleID: "com.example.MyApp", environment: .production, keyFile: "k.p8", keyID: "ABC123DEFG",
                teamID: "DEF123GHIJ")
        ])
    }

    @Test func presetsAreApples() {
        #expect(good.problems().isEmpty)
        #expect(good.apps[0].send == APNsEndpoint(host: "api.push.apple.com", port: 443))
        #expect(good.apps[0].manage == APNsEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196))
        #expect(APNsEnvironment.sandbox.sendEndpoint == APNsEndpoint(host: "api.sandbox.push.apple.com", port: 443))
        #expect(
            APNsEnvironment.sandbox.manageEndpoint
                == APNsEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195))
    }

    @Test func everyProblemIsNamedAtOnce() {
        var settings = good
        settings.loops = 0
        settings.requestTimeoutMilliseconds = 0
        settings.apps[0].bundleID = "com.example/..\r\n"
        settings.apps[0].keyID = "AB\"C"
        settings.apps[0].connections = 0
        settings.apps[0].send.port = 0
        #expect(
            settings.problems().map(\.place) == [
                "loops", "requestTimeoutMilliseconds", "apps[0].bundleID", "apps[0].keyID", "apps[0].connections",
                "apps[0].send",
            ])
        #expect(APNsSettings(apps: []).problems().map(\.place) == ["apps"])
    }
}
