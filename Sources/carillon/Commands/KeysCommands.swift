internal import CLinux
internal import Codes
internal import Configuration
internal import LiveActivity
internal import Messaging
internal import Terminal

/// `carillon keys new` and `carillon keys list`: CURVE certificates as czmq and pyzmq read them.
enum KeysCommands {
    static let new = Command(
        "keys new", "Make a key pair for a producer, node or admin.",
        details: """
            Writes NAME.key, the public certificate, and NAME.key_secret (mode 0600) into the directory of the \
            role below [keys] directory. A running node lets the new key in within a second. What a producer may \
            do stands in [producer.NAME].
            """,
        arguments: [CommandArgument("NAME", "Name of the owner; logs and access rules use it.")],
        options: [
            .word("role", KeySettings.Role.allCases.map(\.rawValue), "What the owner is.").required(),
            .path("dir", "DIR", "Write here instead of where the configuration says."),
        ],
        examples: [
            CommandExample("carillon keys new --role producer scores", "Lets a producer called scores in."),
            CommandExample("carillon keys new --role node n1", "Makes the key of node n1."),
        ])

    static let list = Command(
        "keys list", "List the public certificates that are let in.",
        examples: [CommandExample("carillon keys list -o json", "Prints them for a program.")])

    static func new(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        guard let role = invocation.text("role").flatMap(KeySettings.Role.init(rawValue:)),
            let name = invocation.argument("NAME"), let certificateRole = Certificate.Role(rawValue: role.rawValue)
        else { return .usage }
        let directory: String
        if let chosen = invocation.text("dir") {
            directory = chosen
        } else {
            directory = try program.settings().keys.directory(of: role)
        }
        try makeDirectory(directory)
        let certificate = try Certificate.generate(name: name, role: certificateRole)
        let paths = try certificate.write(directory: directory)
        let table = Table([.text("NAME"), .text("ROLE"), .text("PUBLIC FILE"), .text("SECRET FILE")])
        program.console.show(
            table.with([[.init(name), .init(role.rawValue), .init(paths.publicPath), .init(paths.secretPath)]]),
            json: [
                "name": .string(name), "role": .string(role.rawValue), "public_file": .string(paths.publicPath),
                "secret_file": .string(paths.secretPath),
            ])
        if role == .producer {
            program.console.say("Next: say what it may do in [producer.\(name)] of the configuration.")
        }
        return .success
    }

    static func list(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let settings = try program.settings()
        var rows: [[Table.Cell]] = []
        var items: [JSONValue] = []
        for role in KeySettings.Role.allCases {
            let directory = settings.keys.directory(of: role)
            guard access(directory, F_OK) == 0 else { continue }
            let snapshot = try AllowList(directories: [directory]).snapshot
            for fault in snapshot.faults { program.console.warn(fault) }
            for certificate in snapshot.byName.values.sorted(by: { $0.name < $1.name }) {
                rows.append([.init(certificate.name), .init(role.rawValue), .init(certificate.publicKey.description)])
                items.append([
                    "name": .string(certificate.name), "role": .string(role.rawValue),
                    "public_key": .string(certificate.publicKey.description),
                ])
            }
        }
        program.console.show(
            Table([.text("NAME"), .text("ROLE"), .text("PUBLIC KEY")]).with(rows), json: .array(items))
        return .success
    }

    private static func makeDirectory(_ directory: String) throws(Fault) {
        var path = directory.hasPrefix("/") ? "" : "."
        for part in directory.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o755) != 0, crl_errno() != EEXIST {
                throw Fault(.certificateNotWritten, String(cString: strerror(crl_errno())), at: path)
            }
        }
    }
}

extension Table {
    /// The table with rows.
    func with(_ rows: [[Cell]]) -> Table {
        var table = self
        for row in rows { table.append(row) }
        return table
    }
}
