internal import Cluster
internal import LiveActivity
internal import Messaging
internal import Telemetry

/// What happened between the nodes, for the status document and metrics.
extension CoreLoop {
    /// Writes the section `mesh`.
    func writeMesh(_ json: inout JSONWriter) {
        json.object("mesh") { json in
            for (plane, name) in [(MeshPlane.control, "control"), (.data, "data")] {
                guard let statistics = mesh?.statistics(plane) else { continue }
                json.object(name) { json in write(statistics, &json) }
            }
            json.object("pings") { json in write(pingTimes, &json) }
            json.count("forwards", counters.forwards)
            json.count("forwards_taken", counters.forwardsTaken)
            json.count("forwards_under_way", forwards.count)
            json.count("forwards_unanswered", counters.forwardsUnanswered)
            json.count("forwards_unsent", counters.forwardsUnsent)
            json.count("answers_late", counters.forwardsLate)
            json.count("undecodable", counters.meshUndecodable)
            json.count("impostors", counters.impostors)
            json.count("misaddressed", core.counters.misaddressed)
            json.count("take_overs", core.counters.takeOvers)
            json.count("let_go", core.counters.letGo)
            json.count("suspicions", core.membershipCounters.suspicions)
            json.count("deaths", core.membershipCounters.deaths)
            json.count("stalls", core.membershipCounters.stalls)
            json.count("elections", core.consensusCounters.elections)
            json.count("digests_differed", core.shardCounters.digestsDiffered)
            json.count("whole_transfers", core.shardCounters.wholeTransfers)
            json.count("fenced", core.shardCounters.fenced)
        }
    }

    /// `counts` holds pairs: so many round trips took at most so many microseconds, and more than the pair before says.
    private func write(_ times: PingTimes, _ json: inout JSONWriter) {
        json.count("answered", times.roundTrips.count)
        json.count("unanswered", times.unanswered)
        json.member("p50_us", times.roundTrips.percentile(0.5))
        json.member("p99_us", times.roundTrips.percentile(0.99))
        json.member("max_us", times.roundTrips.maximum)
        json.name("counts")
        json.beginArray()
        for (upTo, times) in times.roundTrips.counts {
            json.beginArray()
            json.integer(upTo)
            json.integer(Int64(clamping: times))
            json.endArray()
        }
        json.endArray()
    }

    private func write(_ statistics: MeshStatistics, _ json: inout JSONWriter) {
        json.count("sent", statistics.sent)
        json.count("sent_bytes", statistics.sentBytes)
        json.count("received", statistics.received)
        json.count("received_bytes", statistics.receivedBytes)
        json.count("dropped", statistics.sendsFull + statistics.sendsUnreachable + statistics.sendsUnknown)
        json.count("revoked", statistics.revoked)
        json.count("handshakes_refused", statistics.handshakesRefused)
        json.count("dialled", statistics.dialled)
    }
}
