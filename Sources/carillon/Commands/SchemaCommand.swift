internal import Codes
internal import LiveActivity
internal import Terminal

/// `carillon schema`: the schema file of an app's types, from its Swift source.
enum SchemaCommand {
    static let command = Command(
        "schema", "Make a schema from Swift source.",
        details: """
            Reads the ActivityAttributes types that the files declare, with the types they use, and prints the schema \
            that `carillon lint --schema` and `schema_file` take. Give all files that belong together. What is not \
            understood is named as file:line:column; then nothing is printed and the command ends with 65.
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
        program.console.write(SchemaSet(reading.schemas).document.pretty + "\n")
        return .success
    }
}
