internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Telemetry
internal import Terminal

/// `carillon metrics`: a node's figures as Prometheus text, for a scrape by the textfile collector until nodes serve
/// them themselves.
enum MetricsCommand {
    static let command = Command(
        "metrics", "Print a node's metrics as Prometheus text.",
        details: """
            Made from the node's status: counters grow from the node's start and begin anew with it. Asks the first \
            node of the configuration unless another is named. `carillon_cluster_ping_seconds` is the health of the \
            control plane between nodes: above 50 ms for one ping in a hundred, a machine or network is overloaded.
            """,
        options: Program.askingOptions,
        examples: [
            CommandExample("carillon metrics", "Prints all metrics."),
            CommandExample(
                "carillon metrics --timeout 2s > /var/lib/node_exporter/carillon.prom", "Feeds a collector."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let settings = try program.settings()
        // Figures of whichever node answers would jump: one node is meant.
        let node = Array(try program.nodes(settings, invocation).prefix(1))
        let bytes = try program.ask(try program.connection(settings, Reach(invocation), node)) {
            client throws(Refusal) in
            try await client.nodeStatus()
        }
        guard let document = try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20)) else {
            throw Fault(.malformed, "the node's status is no JSON")
        }
        program.console.write(NodeMetrics.text(document))
        return .success
    }
}

/// The status document as metrics. Names end in their unit, counters in `_total`; a stage is one of the six words.
enum NodeMetrics {
    private struct Source {
        let name: String
        let help: String
        let labels: [MetricLabel]
        let path: [String]
    }

    private static func source(_ name: String, _ help: String, _ labels: [MetricLabel], _ path: String...) -> Source {
        Source(name: name, help: help, labels: labels, path: path)
    }

    private static let ingested = "carillon_events_ingested_total"
    private static let deferred = "carillon_budget_deferred_total"
    private static let queue = "carillon_stage_queue_depth"
    private static let eventsHelp = "Events by what the node said."
    private static let deferredHelp = "Releases that waited, by budget."
    private static let queueHelp = "What waits, by stage."

    private static let meshSent = "Messages sent to other nodes."
    private static let meshBytes = "Bytes sent to other nodes."
    private static let meshDropped = "Messages for other nodes that could not be sent."

    private static func plane(_ name: String) -> MetricLabel { MetricLabel("plane", name) }

    private static let counters: [Source] = [
        source(
            ingested, eventsHelp, [.init("result", "accepted")], "stages", "replicate", "accepted"),
        source(
            ingested, eventsHelp, [.init("result", "repeated")], "stages", "replicate", "repeated"),
        source(ingested, eventsHelp, [.init("result", "refused")], "stages", "ingest", "refused"),
        source(
            "carillon_messages_undecodable_total", "Messages that could not be read.", [], "stages", "ingest",
            "undecodable"),
        source(
            "carillon_events_conflated_total", "Events replaced by a newer one.", [], "stages", "admit", "conflated"),
        source(
            deferred, deferredHelp, [.init("scope", "key")], "stages", "admit", "deferred_by_key"),
        source(
            deferred, deferredHelp, [.init("scope", "channel")], "stages", "admit",
            "deferred_by_channel"),
        source(
            deferred, deferredHelp, [.init("scope", "app")], "stages", "admit", "deferred_by_app"),
        source("carillon_mesh_messages_sent_total", meshSent, [plane("control")], "mesh", "control", "sent"),
        source("carillon_mesh_messages_sent_total", meshSent, [plane("data")], "mesh", "data", "sent"),
        source("carillon_mesh_sent_bytes_total", meshBytes, [plane("control")], "mesh", "control", "sent_bytes"),
        source("carillon_mesh_sent_bytes_total", meshBytes, [plane("data")], "mesh", "data", "sent_bytes"),
        source("carillon_mesh_dropped_total", meshDropped, [plane("control")], "mesh", "control", "dropped"),
        source("carillon_mesh_dropped_total", meshDropped, [plane("data")], "mesh", "data", "dropped"),
        source("carillon_mesh_undecodable_total", "Mesh messages that could not be read.", [], "mesh", "undecodable"),
        source(
            "carillon_mesh_impostors_total", "Mesh messages under a wrong certificate.", [], "mesh", "impostors"),
        source("carillon_mesh_forwards_total", "Requests handed on to other nodes.", [], "mesh", "forwards"),
        source(
            "carillon_mesh_forwards_unanswered_total", "Requests handed on that nobody answered.", [], "mesh",
            "forwards_unanswered"),
        source("carillon_cluster_take_overs_total", "Shards taken over.", [], "mesh", "take_overs"),
        source("carillon_cluster_suspicions_total", "Members that did not answer.", [], "mesh", "suspicions"),
        source(
            "carillon_cluster_pings_unanswered_total", "Pings to living members that were not answered in 10 s.", [],
            "mesh", "pings", "unanswered"),
        source("carillon_cluster_elections_total", "Elections begun here.", [], "mesh", "elections"),
        source("carillon_store_commits_total", "Transactions on disk.", [], "store", "commits"),
        source("carillon_store_failed_commits_total", "Transactions that failed.", [], "store", "failed_commits"),
    ]

    private static let gauges: [Source] = [
        source(queue, queueHelp, [.stage(.replicate)], "stages", "replicate", "held_back"),
        source(queue, queueHelp, [.stage(.admit)], "stages", "admit", "waiting"),
        source("carillon_keys", "Keys in memory.", [], "stages", "route", "keys"),
        source("carillon_tokens", "Registered tokens.", [], "stages", "route", "tokens"),
        source("carillon_cluster_shards_owned", "Shards owned here.", [], "shards", "owned"),
        source("carillon_cluster_shards_active", "Shards served here.", [], "shards", "active"),
        source("carillon_cluster_shards_behind", "Copies here that are behind.", [], "shards", "behind"),
        source("carillon_cluster_term", "The coordinator's term.", [], "cluster", "term"),
        source("carillon_producers", "Open sessions.", [], "stages", "ingest", "producers"),
        source("carillon_resident_bytes", "Resident memory of the process.", [], "process", "resident_bytes"),
    ]

    static func text(_ document: JSONValue) -> String {
        let registry = MetricRegistry()
        let recorder = registry.recorder()
        for source in counters {
            let counter = registry.counter(source.name, help: source.help, labels: source.labels)
            recorder.add(counter, UInt64(clamping: value(document, source.path)))
        }
        for source in gauges {
            recorder.set(
                registry.gauge(source.name, help: source.help, labels: source.labels), value(document, source.path))
        }
        let age = registry.gauge(
            "carillon_newest_unsent_age_seconds", help: "How long the worst key's devices have lacked its newest state."
        )
        recorder.set(age, (value(document, ["age_of_newest_unsent_ms"]) + 999) / 1000)
        addPings(document, registry, recorder)
        for app in document["apps"]?.array ?? [] { add(app, registry, recorder) }
        recorder.publish()
        return PrometheusText.render(registry.snapshot())
    }

    /// Pairs of microseconds and counts become a histogram again.
    private static func addPings(_ document: JSONValue, _ registry: MetricRegistry, _ recorder: MetricRecorder) {
        let histogram = registry.histogram(
            "carillon_cluster_ping_seconds", help: "From sending a ping to a living member to its answer processed.")
        for pair in document["mesh"]?["pings"]?["counts"]?.array ?? [] {
            guard let most = pair[0]?.integer, let times = pair[1]?.integer else { continue }
            let (nanoseconds, overflow) = most.multipliedReportingOverflow(by: 1000)
            recorder.record(histogram, overflow ? .max : nanoseconds, times: UInt64(clamping: times))
        }
    }

    private static func add(_ app: JSONValue, _ registry: MetricRegistry, _ recorder: MetricRecorder) {
        let label = MetricLabel("app", app["app"]?.string ?? "")
        func count(_ name: String, _ help: String, _ value: Int64, _ labels: [MetricLabel] = []) {
            recorder.add(registry.counter(name, help: help, labels: [label] + labels), UInt64(clamping: value))
        }
        func gauge(_ name: String, _ help: String, _ field: String) {
            recorder.set(registry.gauge(name, help: help, labels: [label]), value(app, [field]))
        }
        let requests = "carillon_apns_requests_total"
        let help = "Requests to APNs by answer."
        count(requests, help, value(app, ["accepted"]), [.init("status", "200"), .init("reason", "")])
        for refused in app["refused"]?.array ?? [] {
            let reason = MetricLabel("reason", refused["reason"]?.string ?? "")
            count(
                requests, help, value(refused, ["count"]), [.init("status", "\(value(refused, ["status"]))"), reason])
        }
        count("carillon_apns_goaways_total", "GOAWAYs received.", value(app, ["goaways"]))
        count("carillon_apns_timeouts_total", "Requests without an answer in time.", value(app, ["timeouts"]))
        gauge("carillon_apns_connections", "Open connections.", "connections")
        gauge("carillon_apns_streams_in_use", "Requests in flight.", "streams")
        gauge("carillon_apns_streams_limit", "Streams that may be used.", "streams_limit")
    }

    private static func value(_ document: JSONValue, _ path: [String]) -> Int64 {
        path.reduce(Optional(document)) { $0?[$1] }?.integer ?? 0
    }
}
