internal import Codes

/// What must hold between the nodes of the file, and between the times of the cluster.
struct NodeChecks {
    /// More would only make the coordinator's log slower.
    static let votersMax = 9

    let settings: Settings

    func run(_ reader: inout SettingsReader) {
        for (index, node) in settings.nodes.enumerated() {
            checkMesh(node, &reader)
            checkPorts(node, &reader)
            for earlier in settings.nodes.prefix(index) { check(node, against: earlier, &reader) }
        }
        checkVoters(&reader)
        checkSeeds(&reader)
        checkTimes(&reader)
    }

    // MARK: One node

    /// Others must be able to reach it.
    private func checkMesh(_ node: NodeSettings, _ reader: inout SettingsReader) {
        for (name, bound, advertised) in [
            ("control", node.control, node.advertisedControl), ("data", node.data, node.advertisedData),
        ] {
            let key = "node.\(node.name).\(name)"
            if bound.isEmpty {
                guard !settings.isClusterOfOne else { continue }
                reader.report(
                    .settingMissing, "key '\(name)' is missing in [node.\(node.name)]: there are other nodes",
                    at: reader.knows(key) ? key : "node.\(node.name)")
            } else if advertised == nil {
                reader.report(
                    .settingMissing,
                    "\(name): listens on every interface, so [node.\(node.name)] needs advertise_host", at: key)
            }
        }
        if let host = Endpoint("tcp://\(node.advertiseHost):1"), host.isWildcard {
            reader.report(
                .badValue, "advertise_host: nobody can connect to '\(node.advertiseHost)'",
                at: "node.\(node.name).advertise_host")
        }
    }

    /// Its three sockets need three ports.
    private func checkPorts(_ node: NodeSettings, _ reader: inout SettingsReader) {
        let sockets = Self.sockets(of: node)
        for (index, socket) in sockets.enumerated() {
            for earlier in sockets.prefix(index) where earlier.bound.port == socket.bound.port {
                reader.report(
                    .conflictingSettings, "\(socket.key): is the port of \(earlier.key) too",
                    at: "node.\(node.name).\(socket.key)")
            }
        }
    }

    // MARK: Two nodes

    private struct BoundSocket {
        let key: String
        let bound: Endpoint
        /// Where it is reached: two nodes on two machines may both bind every interface.
        let place: Endpoint
    }

    private static func sockets(of node: NodeSettings) -> [BoundSocket] {
        [
            ("producers", node.producers, node.advertisedProducers), ("control", node.control, node.advertisedControl),
            ("data", node.data, node.advertisedData),
        ].compactMap { key, bound, advertised in
            Endpoint(bound).map { BoundSocket(key: key, bound: $0, place: advertised ?? $0) }
        }
    }

    private func check(_ node: NodeSettings, against earlier: NodeSettings, _ reader: inout SettingsReader) {
        let others = Self.sockets(of: earlier)
        for socket in Self.sockets(of: node) {
            for other in others where other.place == socket.place {
                reader.report(
                    .conflictingSettings, "\(socket.key): [node.\(earlier.name)] binds the same endpoint",
                    at: "node.\(node.name).\(socket.key)")
            }
        }
        if node.dataDirectory == earlier.dataDirectory {
            reader.report(
                .conflictingSettings, "data_dir: [node.\(earlier.name)] uses the same directory",
                at: "node.\(node.name).data_dir")
        }
    }

    // MARK: All nodes

    private func checkVoters(_ reader: inout SettingsReader) {
        let known = settings.nodes.map(\.name)
        let voters = settings.voters
        for (index, name) in voters.enumerated() {
            if !known.contains(name) {
                let guess = Suggestion.phrase(for: name, among: known)
                reader.report(
                    .danglingName, "voters: there is no section [node.\(name)]\(guess)", at: "cluster.voters")
            } else if voters.prefix(index).contains(name) {
                reader.report(.conflictingSettings, "voters: '\(name)' is named twice", at: "cluster.voters")
            }
        }
        if voters.count > Self.votersMax {
            reader.report(
                .outOfRange, "voters: \(voters.count) are more than \(Self.votersMax)", at: "cluster.voters")
        } else if voters.count > 0 && voters.count % 2 == 0 {
            reader.warn(
                .evenVoters, "\(voters.count) voters survive as many losses as \(voters.count - 1)",
                at: "cluster.voters")
        }
    }

    private func checkSeeds(_ reader: inout SettingsReader) {
        for seed in settings.cluster.seedEndpoints where settings.node(seed.name) != nil {
            reader.report(
                .conflictingSettings, "seeds: [node.\(seed.name)] is in this file", at: "cluster.seeds")
        }
    }

    private func checkTimes(_ reader: inout SettingsReader) {
        let coordinator = settings.coordinator
        if coordinator.heartbeatMilliseconds * 3 > coordinator.electionMilliseconds {
            reader.report(
                .conflictingSettings, "heartbeat_ms: is more than a third of election_ms",
                at: "coordinator.heartbeat_ms")
        }
        if coordinator.leaseHeartbeatMilliseconds * 3 > coordinator.leaseMilliseconds {
            reader.report(
                .conflictingSettings, "lease_heartbeat_ms: is more than a third of lease_ms",
                at: "coordinator.lease_heartbeat_ms")
        }
        if settings.membership.ackTimeoutMilliseconds >= settings.membership.probeMilliseconds {
            reader.report(
                .conflictingSettings, "ack_timeout_ms: is not less than probe_ms", at: "membership.ack_timeout_ms")
        }
    }
}
