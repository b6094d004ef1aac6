import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Testing
import Wire

extension EndToEnd {
    /// Two of three disks are gone for ever: every shard waits, until somebody accepts the loss.
    @Suite struct StuckShardTests {
        private static let keys = 12
        private static let shards = 4097

        /// A cluster whose one voter keeps its disk, so that there is a coordinator all the while.
        private static func cluster() throws -> LocalCluster {
            var options = LocalCluster.Options(program: try Binary.path())
            options.voters = 1
            // Unoptimised nodes on a busy machine are slow to answer.
            options.variables = [
                "CARILLON_COORDINATOR_LEASE_MS": "5000", "CARILLON_COORDINATOR_LEASE_HEARTBEAT_MS": "500",
                "CARILLON_COORDINATOR_MOVES_MAX": "4097",
            ]
            return try LocalCluster(options)
        }

        @Test(.timeLimit(.minutes(4))) func aStuckShardIsServedAgainWhenItsLossIsAccepted() async throws {
            let cluster = try Self.cluster()
            defer {
                cluster.stop()
                cluster.remove()
            }
            _ = try cluster.startSimulator()
            try cluster.startNodes()
            #expect(try isHealthy(cluster))
            #expect(try isCopied(cluster), "all shards have three copies")
            let client = try CarillonProducer(cluster.clientSettings(nodes: ["n1"]))
            for number in 0..<Self.keys { _ = try await client.publish(event(number, 1)) }
            // Two copies make an ack, whichever they are: n1 gets its own a moment later.
            #expect(try isHealthy(cluster))
            try loseTwoDisks(cluster)
            try expectAdvice(cluster)
            try refuseWhoMayNot(cluster)
            #expect(try stuck(cluster).count == Self.shards)
            try recoverOne(cluster)
            try recoverAll(cluster)
            for number in 0..<Self.keys {
                #expect(try await persist { try await client.publish(event(number, 1)) }.repeated, "n1 had \(number)")
                #expect(try await persist { try await client.publish(event(number, 2)) }.repeated == false)
            }
            await client.close()
        }

        private func event(_ number: Int, _ counter: Int) -> Publish {
            Event.update(Event.target(activity: "match/order/\(number)"), counter)
        }

        private func run(_ cluster: LocalCluster, _ arguments: [String]) throws -> CommandRun {
            try CommandRun(
                arguments + ["--config", cluster.configuration], directory: cluster.directory,
                environment: cluster.variables)
        }

        /// All shards got their copies on the two that joined.
        private func isCopied(_ cluster: LocalCluster) throws -> Bool {
            try eventually(within: 60_000, pause: 200) {
                let rows = try run(cluster, ["shards", "--all", "-o", "json"]).json?.array ?? []
                return rows.count { $0["replicas"]?.array?.count == 3 } == Self.shards
            }
        }

        private func isHealthy(_ cluster: LocalCluster) throws -> Bool {
            try eventually(within: 60_000, pause: 200) {
                try run(cluster, ["status", "-o", "json"]).json?["healthy"]?.bool == true
            }
        }

        private func stuck(_ cluster: LocalCluster) throws -> [Int64] {
            let groups = try run(cluster, ["shards", "--stuck", "-o", "json"]).json?.array ?? []
            return groups.flatMap { $0["shards"]?.array?.compactMap(\.integer) ?? [] }.sorted()
        }

        private func loseTwoDisks(_ cluster: LocalCluster) throws {
            cluster.killNodes(["n2", "n3"])
            for name in ["n2", "n3"] { cluster.wipeNode(name) }
            try cluster.startNodes(["n2", "n3"])
            // Both are back as others of the same name: nothing is awaited any more.
            let isStuck = try eventually(within: 60_000, pause: 200) {
                let groups = try run(cluster, ["shards", "--stuck", "-o", "json"]).json?.array ?? []
                let missing = groups.first?["missing"]?.array?.compactMap(\.string)
                return groups.count == 1 && missing == ["n2 (removed)", "n3 (removed)"]
                    && groups[0]["shards"]?.array?.count == Self.shards
            }
            #expect(isStuck, "all shards had copies on all three")
        }

        /// People are told what is wrong, why, and what to do.
        private func expectAdvice(_ cluster: LocalCluster) throws {
            let shown = try run(cluster, ["shards"])
            #expect(
                shown.status == .success && shown.errors.contains("\(Self.shards) shards are stuck"), "\(shown.errors)")
            #expect(shown.errors.contains("carillon shard recover --all --accept-loss"))
            #expect(shown.errors.contains("a copy is left on n1"))
            let plan = try run(cluster, ["shard", "recover", "17"])
            #expect(plan.status == .usage && plan.errors.contains("Lost may be"), "\(plan.errors)")
            #expect(plan.errors.contains("--accept-loss"))
        }

        private func refuseWhoMayNot(_ cluster: LocalCluster) throws {
            let refused = try run(cluster, ["shard", "recover", "17", "--accept-loss", "--as", "scores"])
            #expect(refused.status == .permission && refused.errors.contains("not-allowed"), "\(refused.errors)")
            #expect(try run(cluster, ["shard", "recover", "--accept-loss"]).status == .usage)
            #expect(try run(cluster, ["shard", "recover", "4097", "--accept-loss"]).status == .usage)
        }

        private func recoverOne(_ cluster: LocalCluster) throws {
            // Asked at a node that does not coordinate, so that the word has to travel.
            let done = try run(cluster, ["shard", "recover", "17", "--accept-loss", "--node", "n2", "-o", "json"])
            #expect(done.status == .success && done.json?[0]?["shards"]?.array?.count == 1, "\(done.errors)")
            let isServed = try eventually(within: 30_000, pause: 200) {
                let rows = try run(cluster, ["shards", "--all", "-o", "json"]).json?.array ?? []
                return rows.first { $0["shard"]?.integer == 17 }?["state"]?.string == "active"
            }
            #expect(isServed)
            let left = try stuck(cluster)
            #expect(left.count == Self.shards - 1 && !left.contains(17))
            let log = NodeLog(path: cluster.nodeLog)
            let line = log.lines("an admin accepts loss").first
            #expect(line?["admin"]?.string == "ops" && line?["shard"]?.string == "17")
            #expect(log.count("loss accepted") == 1)
        }

        private func recoverAll(_ cluster: LocalCluster) throws {
            let done = try run(cluster, ["shard", "recover", "--all", "--accept-loss", "-o", "json"])
            #expect(
                done.status == .success && done.json?[0]?["shards"]?.array?.count == Self.shards - 1, "\(done.errors)")
            let isServed = try eventually(within: 60_000, pause: 200) {
                let nodes = try run(cluster, ["shards", "-o", "json"]).json?.array ?? []
                return nodes.reduce(0) { $0 + ($1["active"]?.integer ?? 0) } == Int64(Self.shards)
            }
            #expect(isServed)
            let again = try run(cluster, ["shard", "recover", "--all", "--accept-loss"])
            #expect(again.status == .success && again.errors.contains("No shard is stuck"), "\(again.errors)")
        }

        /// Repeats what is refused while shards move.
        private func persist(_ body: () async throws -> Ack) async throws -> Ack {
            var ack: Ack?
            _ = try await eventually(within: 30_000) {
                do {
                    ack = try await body()
                } catch let refusal as Refusal {
                    guard refusal.fault.code.retryable else { throw refusal }
                }
                return ack != nil
            }
            return try #require(ack)
        }
    }
}
