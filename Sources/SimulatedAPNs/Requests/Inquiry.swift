/// A request while it is judged: what the checks found so far.
struct Inquiry {
    let request: Request
    let listener: ListenerKind
    let now: Int64
    var route: Route?
    var app: SimulatedApp?
    var key: ProviderKey?
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

    /// Whether its answers carry `apns-id`.
    var isDevicePush: Bool {
        switch route {
        case .device: true
        case nil: listener == .send
        default: false
        }
    }
}
