internal import Codes
internal import LiveActivity
internal import Terminal

/// `carillon schema`: the schema file of an app's types, from its Swift source.
enum SchemaCommand {
    static let command = Command(
        "schema", "Make a schema from Swift source.",
        details: """
            Reads the ActivityAttributes types that the files declare, with the types they use, and prints the schema that `carillon lint \
            --schema` and `schema_file` take. Give all files that belong together. What is not understood is named as file:line:column; then \
            nothing is printed and the command ends with 65.
            """,
        arguments: [CommandArgument("FILE", "Swift source, or - for standard input.", repeated: true, path: true)],
        examples: [
            CommandExample("carillon schema MatchAttributes.swift > schema.json", "Makes a schema file."),
            CommandExample(
                "carillon schema MatchAttributes.swift Phase.swift", "Reads types that are declared in another file."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        var files: [SwiftSource.File] = []
        for path in invocation.arguments("FILE") {
            let bytes = try CommandFiles.read(path, bytesMax: SwiftSource.bytesMax).get()
            files.append(SwiftSource.File(name: path == "-" ? "standard input" : path, bytes: bytes))
        }
        let reading = SwiftSource.read(files)
        if let last = reading.faults.last {
            for fault in reading.faults.dropLast() { program.console.fail(fault) }
            throw last
        }
        program.console.write(Terminal.JSONValue(SchemaSet(reading.schemas).document).pretty + "\n")
        return .success
    }
}

extension Terminal.JSONValue {
    /// The same for printing.
    fileprivate init(_ value: LiveActivity.JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let truth): .boolean(truth)
            case .integer(let number): .integer(number)
            case .decimal(let number): .number(number)
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map { Terminal.JSONValue($0) })
            case .object(let members):
                .object(members.map { Member(name: $0.name, value: Terminal.JSONValue($0.value)) })
            }
    }
}
