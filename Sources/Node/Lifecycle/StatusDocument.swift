internal import APNs
internal import Cluster
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Loops
internal import Messaging
internal import Storage
internal import Telemetry

/// What `carillon status` shows: one JSON object, `format` 1. Members are only ever added.
extension CoreLoop {
    /// Writes the document.
    func statusDocument(now: Moment) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("format", 1)
        json.member("node", nodeName)
        json.count("nodes", settings.nodes.count)
        if settings.isClusterOfOne {
            json.member("note", "a cluster of one node: R = W = 1, its disk holds the only copy")
        }
        json.member("version", CarillonNode.version)
        json.member("phase", phase == .running ? "running" : "draining")
        json.member("uptime_ms", now.wallMilliseconds - startedAtMilliseconds)
        json.member("age_of_newest_unsent_ms", core.ageOfNewestUnsent(now: now))
        let view = ClusterView(core, settings, nodeName, now: now)
        view.write(core, &json)
        writeMesh(&json)
        writeStages(&json)
        writeStore(&json)
        writeApps(&json)
        writeProcess(&json)
        json.endObject()
        return json.bytes
    }

    private func writeStages(_ json: inout JSONWriter) {
        json.name("stages")
        json.beginObject()
        writeIntake(&json)
        writeWayOut(&json)
        json.endObject()
    }

    private func writeIntake(_ json: inout JSONWriter) {
        let port = port.statistics
        json.object("ingest") { json in
            json.count("messages", counters.messages)
            json.count("producers", sessions.count)
            json.count("batches", counters.batches)
            json.count("undecodable", counters.undecodable + port.tooManyFrames)
            json.count("refused", counters.refused)
            json.count("over_credit", counters.overCredit)
            json.count("credit_changes", counters.creditChanges)
            json.count("credit", backpressure.credit)
            json.count("revoked", counters.revoked)
            json.count("handshakes_failed", port.handshakesFailed)
            json.count("handshakes_refused", port.handshakesRefused)
        }
        json.object("route") { json in
            json.count("keys", core.owner.keyCount)
            json.count("tokens", core.owner.tokenCount)
            json.count("device_tokens", core.owner.deviceTokenCount)
            json.count("tokens_quarantined", core.owner.quarantinedCount)
            json.count("starts_pending", core.owner.startsPendingCount)
            json.count("under_way", requests.count)
        }
        json.object("replicate") { json in
            json.count("accepted", core.owner.counters.accepted)
            json.count("repeated", core.owner.counters.repeated)
            json.count("refused", core.owner.counters.refused)
            json.count("held_back", core.heldBackCount)
            json.count("restamped", core.owner.counters.restamped)
            json.member("ack_p50_us", answerNanoseconds.percentile(0.5) / 1000)
            json.member("ack_p99_us", answerNanoseconds.percentile(0.99) / 1000)
        }
    }

    private func writeWayOut(_ json: inout JSONWriter) {
        let lanes = apns.statistics().loops
        json.object("admit") { json in
            json.count("waiting", core.owner.waitingCount)
            json.count("released", core.owner.counters.released)
            json.count("conflated", core.owner.counters.conflated)
            json.count("deferred_by_key", core.owner.admissionCounters.deferredByKey)
            json.count("deferred_by_channel", core.owner.admissionCounters.deferredByChannel)
            json.count("deferred_by_app", core.owner.admissionCounters.deferredByApp)
        }
        json.object("dispatch") { json in
            json.count("offered", core.owner.counters.offered)
            json.count("lanes", lanes.reduce(0) { $0 + $1.lanes })
            json.count("queue_full", counters.dispatchFull)
        }
        writeSettle(&json)
    }

    private func writeSettle(_ json: inout JSONWriter) {
        json.object("settle") { json in
            json.count("reports", core.owner.counters.reports)
            json.count("receipts", counters.receipts)
            json.count("receipts_dropped", counters.receiptsDropped)
            json.count("tokens_gone", core.owner.counters.tokensGone)
            json.count("tokens_unregistered", core.owner.counters.tokensUnregistered)
            json.count("tokens_expired", core.owner.counters.tokensExpired)
            json.count("tokens_wrong_environment", core.owner.counters.tokensWrongEnvironment)
            json.count("tokens_wrong_topic", core.owner.counters.tokensWrongTopic)
            json.count("tokens_replaced", core.owner.counters.tokensReplaced)
            json.count("starts_sent", core.owner.counters.startsSent)
            json.count("starts_limited", core.owner.counters.startsLimited)
            json.count("starts_overdue", core.owner.counters.startsOverdue)
            json.count("starts_dropped", core.owner.counters.startsDropped)
            json.count("fallbacks", core.owner.counters.fallbacks)
        }
    }

    private func writeStore(_ json: inout JSONWriter) {
        let statistics = store.statistics()
        json.object("store") { json in
            json.count("commits", statistics.commits)
            json.count("rows", statistics.rows)
            json.count("failed_commits", statistics.failedCommits)
            json.count("queue_full", counters.storeFull)
            json.count("journal_rows", statistics.journalRows)
            json.member("last_commit_us", statistics.lastCommitMicroseconds)
            json.member("worst_commit_us", statistics.worstCommitMicroseconds)
        }
    }

    private func writeApps(_ json: inout JSONWriter) {
        let statistics = apns.statistics()
        json.name("apps")
        json.beginArray()
        for (settings, app) in zip(settings.apps, statistics.apps) {
            json.beginObject()
            json.member("app", settings.name)
            json.member("environment", settings.environment.rawValue)
            json.count("connections", app.connections.count)
            json.count("streams", app.connections.reduce(0) { $0 + $1.streamsInUse })
            json.count("streams_limit", app.connections.reduce(0) { $0 + $1.streamsAllowed })
            json.count("requests", app.requests)
            json.count("accepted", app.accepted)
            json.count("goaways", app.goAways)
            json.count("timeouts", app.timeouts)
            json.count("answers_lost", app.answersLost)
            json.member("latency_p50_us", app.latencyNanosecondsP50 / 1000)
            json.member("latency_p99_us", app.latencyNanosecondsP99 / 1000)
            if let age = app.tokenAgeMilliseconds { json.member("token_age_ms", age) }
            json.name("refused")
            json.beginArray()
            for answer in app.refused {
                json.beginObject()
                json.count("status", answer.status)
                json.member("reason", answer.reason)
                json.count("count", answer.count)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }

    private func writeProcess(_ json: inout JSONWriter) {
        let usage = ProcessUsage.current()
        json.object("process") { json in
            json.member("cpu_us", usage.cpuMicroseconds)
            json.member("resident_bytes", usage.residentBytes)
        }
    }
}

extension JSONWriter {
    mutating func count(_ name: String, _ value: some BinaryInteger) {
        member(name, Int64(clamping: value))
    }

    mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        self.name(name)
        beginObject()
        body(&self)
        endObject()
    }
}
