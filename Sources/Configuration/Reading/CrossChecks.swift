internal import Codes

/// What must hold between keys; each problem is reported at the key that is easiest to change.
struct CrossChecks {
    let settings: Settings

    func run(_ reader: inout SettingsReader) {
        checkPresence(&reader)
        checkNames(&reader)
        NodeChecks(settings: settings).run(&reader)
        checkBudgets(&reader)
        checkSimulator(&reader)
        if settings.cluster.insecure {
            reader.warn(.insecure, "insecure = true: sockets take connections from anyone", at: "cluster.insecure")
        }
    }

    private func checkPresence(_ reader: inout SettingsReader) {
        if settings.nodes.isEmpty { reader.report(.settingMissing, "there is no section [node.NAME]", at: "") }
        if settings.apps.isEmpty { reader.report(.settingMissing, "there is no section [app.NAME]", at: "") }
    }

    private func checkNames(_ reader: inout SettingsReader) {
        for producer in settings.producers {
            checkApps(producer.apps, at: "producer.\(producer.name).apps", &reader)
        }
        for admin in settings.admins { checkApps(admin.apps, at: "admin.\(admin.name).apps", &reader) }
    }

    private func checkApps(_ names: [String], at key: String, _ reader: inout SettingsReader) {
        let known = settings.apps.map(\.name)
        for name in names where name != "*" && !known.contains(name) {
            let guess = Suggestion.phrase(for: name, among: known)
            reader.report(.danglingName, "apps: there is no section [app.\(name)]\(guess)", at: key)
        }
    }

    private func checkBudgets(_ reader: inout SettingsReader) {
        let all = [
            ("app", settings.budgets.app), ("channel_stored", settings.budgets.channelStored),
            ("channel_unstored", settings.budgets.channelUnstored),
        ]
        for (name, budget) in all where budget.burst * Double(100 - budget.reservePercent) < 100 {
            reader.report(
                .conflictingSettings,
                "burst: \(plain(budget.burst)) less the reserve of \(budget.reservePercent) % leaves less than one "
                    + "request to ordinary events", at: "budget.\(name).burst")
        }
    }

    private func checkSimulator(_ reader: inout SettingsReader) {
        let simulator = settings.simulator
        if simulator.sendPort == simulator.managePort {
            reader.report(.conflictingSettings, "manage_port: is send_port too", at: "simulator.manage_port")
        }
        if simulator.controlSocket.utf8.count > 107 {
            reader.report(
                .badValue, "control_socket: a socket's path has at most 107 bytes", at: "simulator.control_socket")
        }
    }
}
