internal import Codes
internal import Delivery
internal import HTTP2

extension ChannelJob {
    /// What a good answer means; a fault when it lacks what it must bring.
    func read(_ response: ClientResponse, place: String) -> Result<ChannelAnswer, Fault> {
        func unreadable(_ detail: String) -> Result<ChannelAnswer, Fault> {
            .failure(Fault(.apnsAnswerUnreadable, detail, at: place))
        }
        switch operation {
        case .create:
            guard let channelID = response.headers.text("apns-channel-id"), ChannelID.isValid(channelID) else {
                return unreadable("HTTP \(response.status) without a usable apns-channel-id")
            }
            return .success(.created(channelID: channelID))
        case .read:
            guard let number = AnswerBody.storagePolicy(in: response.body),
                let policy = UInt8(exactly: number).flatMap(ChannelStoragePolicy.init)
            else { return unreadable("no message-storage-policy of 0 or 1") }
            return .success(.policy(policy))
        case .delete: return .success(.deleted(existed: response.status < 300))
        case .list:
            guard let channels = AnswerBody.channels(in: response.body) else {
                return unreadable("the list of channels is not whole")
            }
            return .success(.channels(channels))
        }
    }

    /// What a refusal means to the caller.
    func refusal(_ verdict: Verdict, _ context: AppContext) -> Fault {
        let detail = "\(verdict.answer.text) for \(context.app.bundleID) in \(context.app.environment.rawValue)"
        let place = context.app.manage.authority
        return switch verdict.reaction {
        case .later: Fault(.apnsBusy, detail, at: place)
        case .signAgain, .configuration(.credentials): Fault(.providerTokenRefused, detail, at: place)
        case .reconnect: Fault(.apnsBusy, detail, at: place)
        case .accepted, .fix, .dropToken, .configuration(.topic), .channelGone, .channelLimit:
            Fault(.apnsRefused, detail, at: place)
        }
    }
}

/// The form of channel IDs: base64 of a size that Apple does not state (Docs/APNs.md 3.3).
enum ChannelID {
    static let lengthMax = 512

    static func isValid(_ text: String) -> Bool {
        (1...lengthMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=")
            }
    }
}
