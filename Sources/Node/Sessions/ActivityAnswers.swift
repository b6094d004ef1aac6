internal import Cluster
internal import Delivery
internal import LiveActivity
internal import Wire

/// Who follows an activity, in the words of the producer protocol. Here the tokens lose their middle.
extension ActivityReport {
    init(_ answer: ActivityAnswer, sequence: Int64) {
        let state =
            switch answer.event {
            case nil: "none"
            case .end?: "ended"
            case .start?, .update?: "live"
            }
        self.init(
            sequence: sequence, key: answer.key, state: state, event: answer.event?.name ?? "",
            tokenCount: UInt32(clamping: answer.tokenCount), tokens: answer.tokens.map { TokenView($0) },
            starts: answer.starts.map { StartView($0) })
    }
}

extension TokenView {
    init(_ token: ActivityToken) {
        let kind: Registration.TokenKind =
            switch token.destination.kind {
            case .token, .channel: .update
            case .startToken: .start
            case .ordinaryToken: .ordinary
            }
        self.init(
            kind: kind, token: PushToken(token.destination.address)?.description ?? "…",
            attributesType: String(decoding: token.attributesType, as: UTF8.self),
            user: String(decoding: token.name.user, as: UTF8.self),
            device: String(decoding: token.name.device, as: UTF8.self),
            registeredAtMilliseconds: token.registeredAtMilliseconds, isBehind: token.isBehind,
            quarantine: token.fault?.name ?? "")
    }
}

extension StartView {
    init(_ start: ActivityStart) {
        self.init(
            user: String(decoding: start.name.user, as: UTF8.self),
            device: String(decoding: start.name.device, as: UTF8.self), instance: start.instance,
            state: start.state.name, sinceMilliseconds: start.sinceMilliseconds, reason: start.reason)
    }
}
