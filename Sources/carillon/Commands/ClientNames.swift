internal import Codes
internal import Terminal
internal import Wire

/// Options that name a channel or an activity, and what they name.
enum Naming {
    static let options: [CommandOption] = [
        .text("app", "APP", "Section [app.NAME] of the configuration.").variable("CARILLON_APP").required(),
        .text("channel", "NAME", "A broadcast channel."),
        .text("activity", "NAME", "An activity that devices follow with tokens."),
        .integer("instance", 1...Int(UInt32.max), "The instance; the newest by default."),
    ]

    /// One name, or a channel and an activity that both get an event.
    static func targets(_ invocation: Invocation) throws(Fault) -> (Target, activity: Target?) {
        guard let channel = invocation.text("channel"), let activity = invocation.text("activity") else {
            return (try target(invocation), nil)
        }
        let app = invocation.text("app") ?? ""
        guard invocation.integer("instance") == nil else {
            throw Fault(.badOptionValue, "a channel and an activity count their instances apart", at: "--instance")
        }
        guard let first = Target(app: app, kind: .channel, name: channel),
            let second = Target(app: app, kind: .activity, name: activity)
        else { throw Fault(.badOptionValue, "app names have 1 to 128 bytes, names 1 to 200") }
        return (first, second)
    }

    static func target(_ invocation: Invocation) throws(Fault) -> Target {
        let channel = invocation.text("channel")
        let activity = invocation.text("activity")
        guard let name = channel ?? activity, channel == nil || activity == nil else {
            throw Fault(.argumentMissing, "name either --channel or --activity")
        }
        let instance = invocation.integer("instance").map { UInt32(clamping: $0) }
        guard
            let target = Target(
                app: invocation.text("app") ?? "", kind: channel == nil ? .activity : .channel, name: name,
                instance: instance)
        else {
            throw Fault(.badOptionValue, "app names have 1 to 128 bytes, names 1 to 200")
        }
        return target
    }
}
