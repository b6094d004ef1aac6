internal import Codes
internal import Configuration
internal import Wire

/// Why a request goes no further.
struct RequestRefusal: Error {
    let nack: Nack

    init(_ code: Code, _ sequence: Int64, field: String = "") { nack = Nack(code, sequence: sequence, field: field) }
}

/// What a session may ask for. Requests that other nodes hand on were checked there.
extension CoreLoop {
    /// Refuses what names an unknown app or a name that is not the caller's; gives the app.
    func admit(_ request: ProducerMessage, _ session: Session) -> Result<UInt16, RequestRefusal> {
        switch request {
        case .get(let get): admit(get.target.name, session, get.sequence)
        case .status(let query): admit(query.target.name, session, query.sequence)
        case .activity(let query): admit(query.target.name, session, query.sequence)
        case .register(let registration), .unregister(let registration):
            registration.target.map { admit($0.name, session, registration.sequence) }
                ?? admit(device: registration, session)
        case .channel(let channel): admit(channel, session)
        case .hello, .publish, .batch, .ping, .bye, .nodeStatus, .recover:
            .failure(RequestRefusal(.unknownCommand, request.sequence))
        }
    }

    private func admit(_ key: Key, _ session: Session, _ sequence: Int64) -> Result<UInt16, RequestRefusal> {
        guard let app = appIndex(key.appBytes) else {
            return .failure(RequestRefusal(.unknownApp, sequence, field: "app"))
        }
        let name = settings.apps[Int(app)].name
        guard access.allows(user: session.user, role: session.role, app: name, name: key.ownNameBytes) else {
            return .failure(RequestRefusal(.notAllowed, sequence, field: "app"))
        }
        return .success(app)
    }

    /// Tokens that belong to a device and to no name: whoever may use the app may bring them.
    private func admit(device registration: Registration, _ session: Session) -> Result<UInt16, RequestRefusal> {
        guard let app = appIndex(Array(registration.app.utf8)[...]) else {
            return .failure(RequestRefusal(.unknownApp, registration.sequence, field: "app"))
        }
        guard access.allows(user: session.user, role: session.role, app: registration.app) else {
            return .failure(RequestRefusal(.notAllowed, registration.sequence, field: "app"))
        }
        return .success(app)
    }

    private func admit(_ request: ChannelRequest, _ session: Session) -> Result<UInt16, RequestRefusal> {
        guard let app = appIndex(Array(request.app.utf8)[...]) else {
            return .failure(RequestRefusal(.unknownApp, request.sequence, field: "app"))
        }
        let mayUse = { [access] (name: ArraySlice<UInt8>) in
            access.allows(user: session.user, role: session.role, app: request.app, name: name)
        }
        guard mayUse(Array(request.channel.utf8)[...]) || request.action == .list && mayUse([]) else {
            return .failure(RequestRefusal(.notAllowed, request.sequence, field: "channel"))
        }
        return .success(app)
    }
}
