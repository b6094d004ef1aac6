/// The APNs environment that one simulator stands for. Tokens, channels and scoped keys of the other one are strangers
/// (Docs/APNs.md 1.1).
public enum Environment: String, Hashable, Sendable, CaseIterable {
    /// `api.push.apple.com`.
    case production
    /// `api.sandbox.push.apple.com`; answers to device pushes carry `apns-unique-id`.
    case sandbox
}
