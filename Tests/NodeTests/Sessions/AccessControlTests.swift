import Configuration
import Messaging
import Testing

@testable import Node

@Suite struct AccessControlTests {
    private func settings(insecure: Bool = false) -> Settings {
        var settings = Settings()
        settings.cluster.insecure = insecure
        var scores = Configuration.ProducerSettings()
        (scores.name, scores.apps, scores.prefixes) = ("scores", ["cricket"], ["match/", "final"])
        var all = Configuration.ProducerSettings()
        (all.name, all.apps, all.prefixes) = ("all", ["*"], [""])
        settings.producers = [scores, all]
        var ops = AdminSettings()
        (ops.name, ops.apps) = ("ops", ["cricket"])
        settings.admins = [ops]
        return settings
    }

    @Test(arguments: [
        ("scores", Certificate.Role.producer, "cricket", "match/1", true),
        ("scores", .producer, "cricket", "final", true),
        ("scores", .producer, "cricket", "match", false),
        ("scores", .producer, "cricket", "Match/1", false),
        ("scores", .producer, "rugby", "match/1", false),
        ("scores", .admin, "cricket", "match/1", false),
        ("all", .producer, "rugby", "anything", true),
        ("nobody", .producer, "cricket", "match/1", false),
        ("ops", .admin, "cricket", "other", true),
        ("ops", .admin, "rugby", "other", false),
        ("ops", .producer, "cricket", "other", false),
        ("scores", .node, "cricket", "match/1", false),
    ])
    func grantsHoldForTheirRoleAppAndNames(
        user: String, role: Certificate.Role, app: String, name: String, isAllowed: Bool
    ) {
        let access = AccessControl(settings())
        #expect(access.allows(user: user, role: role, app: app, name: Array(name.utf8)[...]) == isAllowed)
    }

    @Test func tokensOfDevicesNeedTheAppOnly() {
        let access = AccessControl(settings())
        #expect(access.allows(user: "scores", role: .producer, app: "cricket"))
        #expect(!access.allows(user: "scores", role: .producer, app: "rugby"))
        #expect(!access.allows(user: "scores", role: .admin, app: "cricket"))
        #expect(!access.allows(user: "ops", role: .node, app: "cricket"))
        #expect(access.allows(user: "ops", role: .admin, app: "cricket"))
    }

    @Test func withoutAuthenticationEverybodyMay() {
        let access = AccessControl(settings(insecure: true))
        #expect(access.allows(user: "", role: .admin, app: "any", name: Array("x".utf8)[...]))
    }
}
