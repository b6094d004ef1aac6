internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// What a `rules` command changes; what it does not name stays as it is.
struct RuleChange {
    private var clears = false
    private var counts: [(CountRule, Int)] = []
    private var switches: [(SwitchRule, Bool)] = []

    init(_ members: ControlMembers) throws(Fault) {
        for member in members.value.object ?? [] {
            if let rule = CountRule(rawValue: member.name) {
                counts.append((rule, try members.count(member.name)))
            } else if let rule = SwitchRule(rawValue: member.name) {
                switches.append((rule, try members.bool(member.name)))
            } else if member.name == "clear" {
                clears = try members.bool("clear")
            } else if member.name != "command" {
                throw Fault(.simulatorCommand, "no rule of this name", at: String(member.name.prefix(40)))
            }
        }
    }

    func apply(to rules: inout Rules, initial: Rules) {
        if clears { rules = initial }
        for (rule, count) in counts { rule.set(count, in: &rules) }
        for (rule, isOn) in switches { rule.set(isOn, in: &rules) }
    }
}
