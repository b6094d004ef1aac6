/// The push types APNs knows and the topic each wants.
enum PushType: String, CaseIterable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

    static let liveActivitySuffix = ".push-type.liveactivity"

    /// What is appended to the bundle ID for this type's topic.
    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: Self.liveActivitySuffix
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The bundle ID inside `topic`, nil when the topic has not this type's suffix.
    func bundleID(in topic: String) -> Substring? {
        let suffix = topicSuffix
        guard topic.hasSuffix(suffix) else { return nil }
        return topic.dropLast(suffix.count)
    }
}
