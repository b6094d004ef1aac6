import LiveActivity
import Wire

/// Events as the tests publish them: a counter that grows, by which every device can be asked how far it is.
enum Event {
    static func target(channel name: String, instance: UInt32? = nil) -> Target {
        target(.channel, name, instance)
    }

    static func target(activity name: String, instance: UInt32? = nil) -> Target {
        target(.activity, name, instance)
    }

    private static func target(_ kind: Key.Kind, _ name: String, _ instance: UInt32?) -> Target {
        guard let target = Target(app: Trial.app, kind: kind, name: name, instance: instance) else {
            preconditionFailure("the names of the tests are good")
        }
        return target
    }

    static func id(_ text: String) -> EventID {
        guard let id = EventID(text) else { preconditionFailure("the event IDs of the tests are good") }
        return id
    }

    /// A payload with the counter; `alert` makes it ring once for this counter.
    static func payload(_ counter: Int, event: EventKind = .update, alert: Bool = false, note: String? = nil) -> [UInt8]
    {
        var text = #"{"aps":{"event":""# + event.name + #"","content-state":{"counter":"# + String(counter)
        if let note { text += #","note":""# + note + "\"" }
        text += "}"
        if alert { text += #","alert":{"title":"Wicket","body":"Event "# + String(counter) + #""}"# }
        return Array((text + "}}").utf8)
    }

    static func update(
        _ target: Target, _ counter: Int, id: String? = nil, event: EventKind = .update, alert: Bool = false
    ) -> Publish {
        Publish(
            target: target, id: self.id(id ?? "e\(counter)"),
            payload: payload(counter, event: event, alert: alert), important: alert)
    }
}
