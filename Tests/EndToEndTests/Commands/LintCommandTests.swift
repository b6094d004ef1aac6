import Codes
import LiveActivity
import LocalCluster
import Testing

extension EndToEnd {
    /// `carillon lint` and `carillon schema` as a developer types them.
    @Suite struct LintCommandTests {
        static let folder =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/payloads"

        private func lint(_ arguments: [String]) throws -> CommandRun {
            try CommandRun(["lint"] + arguments, directory: "/tmp")
        }

        /// All payloads of the manifest, those of one kind and type in one call.
        @Test(.timeLimit(.minutes(2))) func everyExamplePayloadGetsItsVerdict() throws {
            let bytes = Array(TextFile.read(Self.folder + "/manifest.json").utf8)
            let manifest = try JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20))
            let payloads = manifest["payloads"]?.array ?? []
            #expect(payloads.count == 55)
            var groups: [[String]: [JSONValue]] = [:]
            for payload in payloads {
                let group = [payload["kind"]?.string ?? "", payload["schema"]?.string ?? ""]
                groups[group, default: []].append(payload)
            }
            for (group, members) in groups.sorted(by: { $0.key[0] + $0.key[1] < $1.key[0] + $1.key[1] }) {
                let files = members.compactMap { $0["file"]?.string }.map { "\(Self.folder)/\($0)" }
                var options = ["--kind", group[0], "--now", "1790000000", "-o", "json"]
                if !group[1].isEmpty {
                    options += ["--schema", Self.folder + "/schemas.json", "--attributes-type", group[1]]
                }
                let run = try lint(options + files)
                let isRefused = members.contains { $0["verdict"]?.string == "reject" }
                #expect(run.status == (isRefused ? .data : .success), "\(group): \(run.errors)")
                let results = run.json?["payloads"]?.array ?? []
                #expect(results.count == members.count, "\(run.errors)")
                for (member, result) in zip(members, results) {
                    #expect(result["verdict"] == member["verdict"], "\(result)")
                    let rules = Set((result["findings"]?.array ?? []).compactMap { $0["rule"]?.string })
                    #expect(rules == Set([member["rule"]?.string].compactMap(\.self)), "\(result)")
                }
            }
        }

        @Test(.timeLimit(.minutes(1))) func linesAreNamed() throws {
            let path = "/tmp/lint-\(UInt64.random(in: 0...UInt64.max)).ndjson"
            defer { TextFile.remove(path) }
            let line = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{"percent":1}}}"#
            try TextFile.write("\(line)\n\n\(line)\r\n[]\n", to: path)
            let run = try lint(["--kind", "device", "--now", "1790000000", "--sequence", path])
            #expect(run.status == .data)
            let rows = run.output.split(separator: "\n")
            #expect(rows.count == 3 && rows[1].contains("timestamp-not-newer") && rows[1].contains("\(path):3:"))
            #expect(rows[2].contains("body-not-object") && rows[2].contains("\(path):4:1"))
            #expect(run.errors == "3 payloads: 2 errors, 0 warnings, 0 infos\n")
            let good = try lint(["--kind", "device", "--now", "1790000000", "--publish", path, "-o", "json"])
            #expect(good.json?["payloads"]?[2]?["line"]?.integer == 4)
        }

        @Test(.timeLimit(.minutes(1))) func mistakesAreSaid() throws {
            let file = Self.folder + "/valid/broadcast-end-match.json"
            #expect(try lint([file]).status == .usage, "--kind is needed")
            #expect(try lint(["--kind", "broadcast", "/nowhere"]).status == .noInput)
            let several = try lint(["--kind", "broadcast", "--schema", Self.folder + "/schemas.json", file])
            #expect(several.status == .usage && several.errors.contains("MatchAttributes"))
            let wrong = try lint(["--kind", "broadcast", "--schema", Self.folder + "/manifest.json", file])
            #expect(wrong.status == .data && wrong.errors.contains("schema-unreadable"))
            #expect(try lint(["--kind", "broadcast", "--now", "1790000000000", file]).status == .usage)
            let header = try lint(["--kind", "broadcast", "--header", "apns-priority: 7", file])
            #expect(header.status == .data && header.output.contains("header-priority"))
        }

        @Test(.timeLimit(.minutes(1))) func aSchemaIsMadeFromSource() throws {
            let source =
                #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
                + "/LiveActivityTests/SwiftSource/SampleActivities.swift"
            let run = try CommandRun(["schema", source], directory: "/tmp")
            #expect(run.status == .success, "\(run.errors)")
            let schemas = try SchemaSet(reading: Array(run.output.utf8), place: "")
            #expect(schemas.types.map(\.name) == ["SampleAttributes"])
            let other = try CommandRun(["schema", #filePath], directory: "/tmp")
            #expect(other.status == .data && other.output.isEmpty && other.errors.contains("CRL-L9"))
        }
    }
}
