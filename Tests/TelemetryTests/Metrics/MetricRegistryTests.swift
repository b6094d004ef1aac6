import Loops
import Testing

@testable import Telemetry

@Suite struct MetricRegistryTests {
    @Test func pageFollowsTheTextFormat() {
        let registry = MetricRegistry()
        let events = registry.counter(
            "carillon_events_ingested_total", help: "Events \\ by\nresult.",
            labels: [MetricLabel("result", "a\"b\\c\n")])
        let depth = registry.gauge("carillon_stage_queue_depth", help: "Waiting.", labels: [.stage(.admit)])
        let time = registry.histogram("carillon_stage_duration_seconds", help: "Time.", labels: [.stage(.settle)])
        let recorder = registry.recorder()
        recorder.add(events, 3)
        recorder.set(depth, -2)
        recorder.record(time, 1_500_000)
        recorder.record(time, 20_000_000_000)
        #expect(registry.snapshot().value(events) == 0, "nothing is visible before publish")
        recorder.publish()
        let page = PrometheusText.render(registry.snapshot())
        let lines = page.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"# HELP carillon_events_ingested_total Events \\ by\nresult."#))
        #expect(lines.contains("# TYPE carillon_stage_duration_seconds histogram"))
        #expect(lines.contains(#"carillon_events_ingested_total{result="a\"b\\c\n"} 3"#))
        #expect(lines.contains(#"carillon_stage_queue_depth{stage="admit"} -2"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_bucket{stage="settle",le="0.001"} 0"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_bucket{stage="settle",le="0.0025"} 1"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_bucket{stage="settle",le="10"} 1"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_bucket{stage="settle",le="+Inf"} 2"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_sum{stage="settle"} 20.0015"#))
        #expect(lines.contains(#"carillon_stage_duration_seconds_count{stage="settle"} 2"#))
        #expect(page.hasSuffix("\n"))
    }

    @Test func recordersOfSeveralThreadsAreAddedUp() {
        let registry = MetricRegistry()
        let counter = registry.counter("carillon_x_total", help: "X.")
        let time = registry.histogram("carillon_x_seconds", help: "X.")
        let threads = (0..<4).map { number in
            let thread = LoopThread(name: "count-\(number)")
            thread.start {
                let recorder = registry.recorder()
                for round in 0..<1000 {
                    recorder.add(counter)
                    recorder.record(time, Int64(round))
                    if round % 100 == 0 { recorder.publish() }
                }
                recorder.publish()
            }
            return thread
        }
        for thread in threads { thread.join() }
        #expect(registry.snapshot().value(counter) == 4000)
        #expect(registry.snapshot().value(time).count == 4000)
    }

    @Test func declaringTwiceFindsTheSameSeries() {
        let registry = MetricRegistry()
        let first = registry.counter("carillon_x_total", help: "X.", labels: [MetricLabel("result", "a")])
        let second = registry.counter("carillon_x_total", help: "X.", labels: [MetricLabel("result", "a")])
        let other = registry.counter("carillon_x_total", help: "X.", labels: [MetricLabel("result", "b")])
        #expect(first == second)
        #expect(first != other)
    }

    @Test func labelCombinationsAreBounded() {
        let registry = MetricRegistry()
        let recorder = registry.recorder()
        for number in 0..<1000 {
            let label = MetricLabel("reason", "r\(number)")
            recorder.add(registry.counter("carillon_x_total", help: "X.", labels: [label]))
        }
        recorder.publish()
        let page = PrometheusText.render(registry.snapshot())
        let other = 1000 - MetricRegistry.seriesMax
        #expect(page.contains("carillon_x_total{reason=\"other\"} \(other)\n"))
    }

    @Test(arguments: [
        ("carillon_events", MetricKind.counter, []), ("carillon_depth_total", .gauge, []),
        ("events_total", .counter, []), ("carillon_Wait_seconds", .histogram, []),
        ("carillon_wait", .histogram, []), ("carillon_wait_ms", .gauge, []),
        ("carillon_x_total", .counter, ["token"]), ("carillon_x_total", .counter, ["Bad-Label"]),
    ])
    func badNamesAreFound(name: String, kind: MetricKind, labels: [String]) {
        #expect(!MetricName.problems(name: name, kind: kind, labels: labels).isEmpty)
    }

    @Test func usageOfThisProcessIsPlausible() {
        let usage = ProcessUsage.current()
        #expect(usage.residentBytes > 1_000_000)
        #expect(usage.residentBytesMax > 1_000_000)
        #expect(usage.cpuMicroseconds > 0)
    }
}
