internal import APNs
internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
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
        traces = true
    }
}

extension NodeCoreSettings {
    /// What one node is told.
    init(_ settings: Settings, _ node: NodeSettings) {
        self.init(
            core: CoreSettings(settings), clusterName: settings.cluster.name, voters: settings.voters,
            seeds: Self.seeds(settings, besides: node))
        admission = AdmissionSettings(settings)
        membership = Cluster.MembershipSettings(settings.membership)
        let coordination = settings.coordinator
        consensus.electionMilliseconds =
            Int64(coordination.electionMilliseconds)...Int64(coordination.electionMaxMilliseconds)
        consensus.heartbeatMilliseconds = Int64(coordination.heartbeatMilliseconds)
        coordinator = Cluster.CoordinatorSettings(
            leaseMilliseconds: Int64(coordination.leaseMilliseconds),
            rebalanceAfterMilliseconds: Int64(coordination.rebalanceAfterMilliseconds))
        coordinator.movesMax = coordination.movesMax
        coordinator.replicas = settings.cluster.replicas
        let heartbeat = Int64(coordination.leaseHeartbeatMilliseconds)
        lease = LeaseSettings(heartbeatMilliseconds: heartbeat, patienceMilliseconds: heartbeat + heartbeat / 2)
    }

    private static func seeds(_ settings: Settings, besides node: NodeSettings) -> [Seed] {
        let nodes = settings.nodes.filter { $0.name != node.name }.compactMap { other in
            other.advertisedControl.map { Seed(name: other.name, control: $0.description) }
        }
        let others = settings.cluster.seedEndpoints.filter { $0.name != node.name }
        return nodes + others.map { Seed(name: $0.name, control: $0.control.description) }
    }
}

extension Cluster.MembershipSettings {
    init(_ settings: Configuration.MembershipSettings) {
        self.init(
            probeMilliseconds: Int64(settings.probeMilliseconds),
            timeoutMilliseconds: Int64(settings.ackTimeoutMilliseconds), indirectProbes: settings.indirectProbes,
            suspicionFactor: settings.suspicionFactor, suspicionMaxFactor: settings.suspicionMaxFactor,
            confirmations: settings.confirmations, gossipMilliseconds: Int64(settings.gossipMilliseconds),
            gossipPeers: settings.gossipPeers, deadProbeMilliseconds: Int64(settings.deadProbeMilliseconds),
            exchangeMilliseconds: Int64(settings.exchangeMilliseconds), healthMax: settings.healthMax)
    }
}

extension NodeDescription {
    /// How a node describes itself; `producers` is where its port for producers listens.
    init(_ node: NodeSettings, producers: String) {
        self.init(
            name: node.name, zone: node.zone, weight: UInt16(clamping: node.weight),
            control: node.advertisedControl?.description ?? "", data: node.advertisedData?.description ?? "",
            producers: node.advertisedProducers?.description ?? producers)
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
        // Nothing is sent before the core says that it holds a lease.
        leasedUntilBootMilliseconds = 0
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
