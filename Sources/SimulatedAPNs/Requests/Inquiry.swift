/// A request while it is judged: what the checks found so far.
struct Inquiry {
    let request: Request
    let listener: ListenerKind
    let now: Int64
    var route: Route?
    var app: SimulatedApp?
    var key: ProviderKey?
    /// The client's certificate; then the provider token is not looked at.
    var certificate: ClientCertificate?
    /// How long the connection had no request before this one.
    var idleMilliseconds: Int64 = 0
    var pushType = PushType.liveactivity
    /// Device token in lower case.
    var token = ""
    /// Milliseconds since 1970; 0: one attempt; nil: not said.
    var expirationMilliseconds: Int64?
    var policy = StoragePolicy.none

    init(_ request: Request, listener: ListenerKind, _ now: Int64) {
        self.request = request
        self.listener = listener
        self.now = now
    }

    var fields: RequestFields { request.fields }

    /// The provider token, where one counts.
    var providerToken: ProviderToken? {
        guard certificate == nil, case .token(let token) = request.credential else { return nil }
        return token
    }

    /// Whether key or certificate allow sending to a topic of an app.
    func covers(_ app: SimulatedApp, topic: String) -> Bool {
        if let certificate { return certificate.topics.contains(topic) }
        return key?.covers(app) ?? false
    }

    /// Whether its answers carry `apns-id`.
    var isDevicePush: Bool {
        switch route {
        case .device: true
        case nil: listener == .send && !request.fields.path.hasPrefix("/4/")
        default: false
        }
    }
}
