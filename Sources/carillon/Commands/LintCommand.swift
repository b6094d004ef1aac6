internal import Codes
internal import LiveActivity
internal import Loops
internal import Terminal

/// `carillon lint`: what APNs will refuse and the device will drop, before it is sent.
enum LintCommand {
    /// Largest file of one payload; the scanner takes far less.
    private static let payloadFileBytesMax = 1_048_576
    /// Largest file of many payloads.
    private static let linesFileBytesMax = 268_435_456

    static let command = Command(
        "lint", "Find what APNs refuses or the device drops.",
        details: """
            Each FILE holds one payload, JSON with `aps`; - reads standard input. A file that ends in .ndjson, or any \
            with --ndjson, holds one payload in each line. Ends with 65 when there is any error; warnings and infos do \
            not fail. With --schema, content-state and attributes are decoded as the device does: make a schema from \
            the app's source with `carillon schema`. Give all headers of the request with --header, or none. Every \
            rule: Docs/Reference/Lint.md.
            """,
        arguments: [
            CommandArgument("FILE", "Payloads, or - for standard input.", repeated: true, path: true)
        ],
        options: [
            .word(
                "kind", ["device", "start", "broadcast"],
                "Where it is sent: to an update token, a push-to-start token, a channel."
            )
            .required(),
            .path("schema", "FILE", "The app's types, as `carillon schema` prints them."),
            .text("attributes-type", "NAME", "The type that the payloads are of, when the schema has several."),
            .text("now", "TIME", "Judge dates as of this time: seconds since 1970, or 2026-09-21T14:13:20Z."),
            .text("last-timestamp", "TIME", "The timestamp sent last; the payload's must be above it."),
            .flag(
                "sequence",
                "All payloads are of one activity or channel, in order: each timestamp must be above the one before."),
            .integer("attributes-bytes", 0...4096, "Size of the attributes that the activity was started with."),
            .flag("ndjson", "Each line of the input is a payload."),
            .flag("publish", "Judge as a node does: aps.timestamp may be left out, Carillon puts it in."),
            .text("header", "NAME:VALUE", "A header of the request, also :path; as often as there are.").repeatable(),
            .word("policy", ["0", "1"], "What the channel stores: 0 nothing, 1 the most recent message."),
        ],
        examples: [
            CommandExample("carillon lint --kind broadcast goal.json", "Checks one payload."),
            CommandExample(
                "carillon lint --kind device --schema schema.json --attributes-type MatchAttributes match.ndjson",
                "Checks each line against the app's type."),
            CommandExample(
                "carillon lint --kind broadcast --header apns-priority:10 --header apns-expiration:0 -o json -",
                "Checks standard input and headers, for a program."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        var run = try LintRun(invocation)
        for path in invocation.arguments("FILE") {
            let hasLines = invocation.flag("ndjson") || path.hasSuffix(".ndjson")
            let bytesMax = hasLines ? linesFileBytesMax : payloadFileBytesMax
            let bytes = try CommandFiles.read(path, bytesMax: bytesMax).get()
            let name = path == "-" ? "standard input" : path
            if hasLines { run.lintLines(bytes, file: name) } else { run.lint(bytes, file: name, line: nil) }
        }
        run.report.show(program.console)
        return run.report.count(.error) > 0 ? .data : .success
    }
}

/// What one call of the command lints with, and what it has found.
struct LintRun {
    private let linter: PayloadLinter
    private let kind: RequestKind
    private let headers: RequestHeaders?
    private let nowMilliseconds: Int64
    private var history: SentHistory
    private let isSequence: Bool
    private(set) var report = LintReport()

    init(_ invocation: Invocation) throws(Fault) {
        kind = RequestKind(name: invocation.text("kind") ?? "") ?? .device
        linter = PayloadLinter(
            inspector: PayloadInspector(requireTimestamp: !invocation.flag("publish")),
            schemas: try Self.schemas(invocation, kind))
        nowMilliseconds = try Self.seconds(invocation, "now").map { $0 * 1000 } ?? Clock.wallMilliseconds()
        history = SentHistory(
            lastTimestampSeconds: try Self.seconds(invocation, "last-timestamp"),
            attributesBytes: invocation.integer("attributes-bytes") ?? 0)
        isSequence = invocation.flag("sequence")
        headers = try Self.headers(invocation)
    }

    private static func seconds(_ invocation: Invocation, _ option: String) throws(Fault) -> Int64? {
        guard let text = invocation.text(option) else { return nil }
        guard let seconds = TimeText.seconds(text) else {
            throw Fault(.badOptionValue, "seconds since 1970, or a time like 2026-09-21T14:13:20Z", at: "--\(option)")
        }
        return seconds
    }

    private static func schemas(_ invocation: Invocation, _ kind: RequestKind) throws(Fault) -> SchemaSet? {
        guard let path = invocation.text("schema") else {
            guard invocation.text("attributes-type") == nil else {
                throw Fault(.badOptionValue, "give the types with --schema", at: "--attributes-type")
            }
            return nil
        }
        let schemas = try SchemaSet(reading: try CommandFiles.read(path, bytesMax: 1_048_576).get(), place: path)
        if let name = invocation.text("attributes-type") { return try schemas.only(name, place: "--attributes-type") }
        guard schemas.types.count == 1 || kind == .start else {
            let names = schemas.types.map(\.name).prefix(8).joined(separator: ", ")
            throw Fault(
                .schemaTypeUnknown, "only a start names its type; choose one of: \(names)", at: "--attributes-type")
        }
        return schemas
    }

    private static func headers(_ invocation: Invocation) throws(Fault) -> RequestHeaders? {
        let texts = invocation.all("header")
        guard !texts.isEmpty else { return nil }
        var headers = RequestHeaders(
            policy: invocation.integer("policy").flatMap { RequestHeaders.StoragePolicy(rawValue: UInt8($0)) })
        for text in texts {
            // `:path` begins with a colon of its own.
            guard let colon = text.dropFirst().firstIndex(of: ":") else {
                throw Fault(.badOptionValue, "NAME:VALUE", at: "--header")
            }
            headers.add(String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
        }
        return headers
    }

    /// Lints each line that is not blank.
    mutating func lintLines(_ bytes: [UInt8], file: String) {
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let payload = line.last == 0x0D ? line.dropLast() : line
            guard payload.contains(where: { $0 > 0x20 }) else { continue }
            lint(Array(payload), file: file, line: number)
        }
    }

    /// Lints one payload; `line` says where it stands among others.
    mutating func lint(_ bytes: [UInt8], file: String, line: Int?) {
        let result = linter.lint(bytes.span, as: kind, nowMilliseconds: nowMilliseconds, history: history)
        if isSequence, let stamp = result.producerTimestampSeconds {
            history.lastTimestampSeconds = max(stamp, history.lastTimestampSeconds ?? stamp)
        }
        let about = headers.map { PayloadLinter.lint($0, as: kind, nowMilliseconds: nowMilliseconds) } ?? []
        let items = result.findings.map { finding in
            let place = JSONLocation(of: finding.offset, in: bytes.span)
            return LintReport.Item(finding, line: line ?? place.line, column: place.column)
        }
        report.add(
            LintReport.Payload(
                file: file, line: line, bytes: bytes.count, items: items + about.map { LintReport.Item($0) }))
    }
}
