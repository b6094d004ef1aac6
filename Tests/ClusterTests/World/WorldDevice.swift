import LiveActivity

/// What reaches a device.
struct WorldMessage {
    var key: Int
    var instance: Int
    var number: Int
    var event: EventKind
    var stamp: Int64
    var rings: Bool
}

/// A device that follows a key. It obeys the stamp rule in both readings at once: `strict` takes only newer stamps,
/// `equal` also the same one again.
struct WorldDevice {
    struct View {
        var stamp: Int64 = 0
        var number = -1
        var hasEnded = false
    }

    var key: Int
    var isOnline = true
    /// By instance.
    var strict: [Int: View] = [:]
    var equal: [Int: View] = [:]
    var rings: [Int: Int] = [:]
    /// The one message that APNs keeps while the device is offline.
    var stored: WorldMessage?

    /// Shows a message. Returns what broke.
    mutating func receive(_ message: WorldMessage) -> String? {
        if message.rings {
            let id = message.instance * 100_000 + message.number
            rings[id, default: 0] += 1
            if rings[id]! > 1 { return "event \(message.number) of key \(message.key) rang twice" }
        }
        let first = show(message, in: &strict, again: false)
        return first ?? show(message, in: &equal, again: true)
    }

    private func show(_ message: WorldMessage, in views: inout [Int: View], again: Bool) -> String? {
        var view = views[message.instance] ?? View()
        guard !view.hasEnded, message.stamp > view.stamp || again && message.stamp == view.stamp else { return nil }
        if message.number < view.number {
            return
                "key \(message.key) went back from \(view.number) to \(message.number) (\(again ? "equal" : "strict"))"
        }
        view.stamp = message.stamp
        view.number = message.number
        view.hasEnded = message.event == .end
        views[message.instance] = view
        return nil
    }
}
