internal import APNs
internal import Cluster
internal import Codes
internal import Configuration
internal import Storage
internal import Telemetry

/// The configuration in the terms of the modules that do the work; they do not know cluster.toml.
extension CoreSettings {
    init(_ settings: Settings) {
        self.init(apps: settings.apps.map(\.name))
        keysMax = settings.limits.keys
        tokensPerActivityMax = settings.limits.tokensPerActivity
        startsPerDeviceHourMax = settings.limits.startsPerDeviceHour
        startTokenWaitMilliseconds = Int64(settings.delivery.startTokenWaitMilliseconds)
        endedKeepMilliseconds = Int64(settings.storage.endedKeepMilliseconds)
    }
}

extension APNsSettings {
    init(_ settings: Settings) {
        self.init(apps: settings.apps.map { APNsApp($0, settings) })
        loops = settings.delivery.loops
        requestTimeoutMilliseconds = Int64(settings.delivery.streamTimeoutMilliseconds)
        connectTimeoutMilliseconds = Int64(settings.delivery.connectTimeoutMilliseconds)
        tokenRenewalMilliseconds = Int64(settings.delivery.tokenRenewMilliseconds)
        offersMax = settings.limits.dispatchQueue
    }
}

extension APNsApp {
    init(_ app: AppSettings, _ settings: Settings) {
        let place = settings.environments[app.environment]
        self.init(
            bundleID: app.bundleID, environment: APNsEnvironment(app.environment), keyFile: app.keyFile,
            keyID: app.keyID, teamID: app.teamID,
            send: APNsEndpoint(host: place.sendHost, port: UInt16(clamping: place.sendPort)),
            broadcast: place.broadcastHost.isEmpty
                ? nil : APNsEndpoint(host: place.broadcastHost, port: UInt16(clamping: place.sendPort)),
            manage: APNsEndpoint(host: place.manageHost, port: UInt16(clamping: place.managePort)),
            caFile: place.caFile.isEmpty ? nil : place.caFile,
            serverName: place.serverName.isEmpty ? nil : place.serverName,
            connections: settings.delivery.connections * settings.delivery.loops,
            streamsPerConnection: settings.delivery.streamsMax)
    }
}

extension APNsEnvironment {
    init(_ environment: PushEnvironment) {
        switch environment {
        case .production: self = .production
        case .sandbox: self = .sandbox
        case .simulator: self = .simulator
        }
    }
}

extension StoreSettings {
    init(_ settings: Settings) {
        self.init()
        waitingBatchesMax = settings.limits.storeQueue
        checkpointPagesWhenIdle = min(settings.storage.checkpointPages, checkpointPagesWhenIdle)
        checkpointPagesMax = settings.storage.checkpointPages
    }
}

extension Logger {
    /// Writes what the APNs client finds worth saying.
    func note(_ notice: APNsNotice, _ settings: Settings) {
        let app = notice.app.map { settings.apps[Int($0)].name } ?? ""
        let level: LogLevel =
            switch notice.level {
            case .info: .notice
            case .warning: .warning
            case .error: .error
            }
        with("apns").log(
            level, "apns", stage: .dispatch,
            ["app": .string(app), "code": .string(notice.fault.code.id), "text": .text(notice.fault)])
    }
}
