internal import Codes
internal import Delivery
internal import HTTP2

/// What all loops share of one app.
final class AppContext: Sendable {
    let index: UInt16
    let app: APNsApp
    let tokens: ProviderTokenSource
    let tls: TLSClientContext
    let reporter: Reporter

    init(index: UInt16, app: APNsApp, tokens: ProviderTokenSource, tls: TLSClientContext, reporter: Reporter) {
        self.index = index
        self.app = app
        self.tokens = tokens
        self.tls = tls
        self.reporter = reporter
    }

    /// The name that the certificate at `endpoint` must carry.
    func serverName(_ endpoint: APNsEndpoint) -> String { app.serverName ?? endpoint.host }

    /// What a refusal says to an operator, with the app and its environment.
    func refusal(_ code: Code, _ reason: String) -> Fault {
        Fault(code, "\(reason) for \(app.bundleID) in \(app.environment.rawValue)", at: app.keyFile)
    }

    /// Acts on an answer about the credentials: tells the token source, and the operator once.
    func judge(_ verdict: Verdict, tokenGeneration: UInt32, _ now: Moment) {
        switch verdict.reaction {
        case .signAgain:
            tokens.expired(generation: tokenGeneration, now)
            reporter.raise(.token, .warning, refusal(.providerTokenRefused, verdict.answer.text), app: index)
        case .configuration(.credentials):
            // No new token would cure that; the pool stops by itself.
            reporter.raise(.token, .error, refusal(.providerTokenRefused, verdict.answer.text), app: index)
        case .configuration(.topic):
            reporter.raise(.token, .error, refusal(.apnsRefused, verdict.answer.text), app: index)
        case .dropToken where verdict.answer.reason?.text == "BadDeviceToken":
            let detail =
                "BadDeviceToken for \(app.bundleID) in \(app.environment.rawValue): the token may belong to "
                + app.environment.other.rawValue
            reporter.raise(.environment, .warning, Fault(.wrongEnvironment, detail), app: index)
        default: break
        }
    }

    /// Loads keys and trust for every app. Apps with the same key share its one signer; fails with the first thing that
    /// cannot work.
    static func make(_ settings: APNsSettings, _ reporter: Reporter) throws(Fault) -> [AppContext] {
        if let problem = settings.problems().first { throw problem }
        var sources: [SigningKey: ProviderTokenSource] = [:]
        var trusts: [String?: TLSClientContext] = [:]
        var contexts: [AppContext] = []
        for (index, app) in settings.apps.enumerated() {
            let number = UInt16(index)
            let key = SigningKey(keyID: app.keyID, teamID: app.teamID)
            if sources[key] == nil { sources[key] = try source(app, number, settings, reporter) }
            if trusts[app.caFile] == nil {
                trusts[app.caFile] = try TLSClientContext(
                    TLSClientSettings(authorities: app.caFile.map { .file($0) }))
            }
            guard let tokens = sources[key], let tls = trusts[app.caFile] else { continue }
            contexts.append(AppContext(index: number, app: app, tokens: tokens, tls: tls, reporter: reporter))
        }
        return contexts
    }

    private struct SigningKey: Hashable {
        var keyID: String
        var teamID: String
    }

    private static func source(
        _ app: APNsApp, _ index: UInt16, _ settings: APNsSettings, _ reporter: Reporter
    ) throws(Fault) -> ProviderTokenSource {
        let key = try ProviderKey.load(path: app.keyFile)
        if let exposure = key.exposure { reporter.raise(.token, .warning, exposure, app: index) }
        let signer = ProviderTokenSigner(key: key, keyID: app.keyID, teamID: app.teamID)
        return ProviderTokenSource(signer: signer, renewAfterMilliseconds: settings.tokenRenewalMilliseconds) {
            reporter.raise(.token, .error, $0, app: index)
        }
    }
}
