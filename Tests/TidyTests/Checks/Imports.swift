/// Which target may import which, as `Package.swift` declares it and Docs/Architecture.md draws it.
struct ImportTable: Sendable {
    /// Import nothing but each other.
    static let pureTargets: Set<String> = ["Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "SimulatedAPNs"]

    /// What Docs/Architecture.md calls targets, from the inside out; a target imports its own layer and those within.
    static let kinds = [
        "pure": 0, "service": 1, "shell": 2, "double": 2, "library": 2, "composition": 3, "executable": 4,
    ]

    /// Target → layer, from the table of Docs/Architecture.md.
    let layers: [String: Int]
    /// Target → its declared dependencies.
    let dependencies: [String: Set<String>]

    /// Reads the calls `module("Name", ["A", "B"])`, the executable's declaration, and the rows
    /// `| `Name` | kind | … |`.
    init(manifest: String, architecture: String) {
        var layers: [String: Int] = [:]
        for row in architecture.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } }
            if cells.count > 1, let layer = Self.kinds[cells[1]] { layers[cells[0]] = layer }
        }
        var dependencies: [String: Set<String>] = [:]
        for call in ["module(", "name: "] {
            for piece in manifest.split(separator: call, omittingEmptySubsequences: false).dropFirst() {
                let strings = Self.strings(String(piece.prefix(900)))
                guard let name = strings.name, layers[name] != nil else { continue }
                dependencies[name, default: []].formUnion(strings.list)
            }
        }
        (self.layers, self.dependencies) = (layers, dependencies)
    }

    /// The first string, and the strings of the first list if one follows before the next call.
    private static func strings(_ text: String) -> (name: String?, list: [String]) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return (nil, []) }
        let rest = text.dropFirst(parts[0].count + parts[1].count + 2)
        let gap = rest.prefix { $0 != "[" }
        guard !gap.contains("("), gap.count < 40, let end = rest.firstIndex(of: "]") else {
            return (String(parts[1]), [])
        }
        let list = rest[rest.index(rest.startIndex, offsetBy: gap.count)..<end]
        let names = list.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        return (String(parts[1]), names)
    }

    /// What is wrong with importing `module` in `target`; nil when it is right.
    func problem(importing module: String, in target: String) -> String? {
        let isC =
            module.hasPrefix("C") && module.dropFirst().first?.isUppercase == true && layers[module] == nil
        if Self.pureTargets.contains(target) {
            return Self.pureTargets.contains(module) && declares(target, module)
                ? nil : "\(target) is pure and may not import \(module)"
        }
        guard let layer = layers[target] else { return "\(target) has no row in Docs/Architecture.md" }
        if let other = layers[module] {
            if other > layer { return "\(target) may not import \(module): arrows point inwards" }
            return declares(target, module) ? nil : "\(target) does not declare \(module) in Package.swift"
        }
        if isC { return declares(target, module) ? nil : "\(target) does not declare \(module) in Package.swift" }
        return "\(module) is no module of this package"
    }

    /// Of this repository; nil when one of the files is gone.
    static let repository: ImportTable? = Repository.file("Package.swift").flatMap { manifest in
        Repository.file("Docs/Architecture.md").map { ImportTable(manifest: manifest.text, architecture: $0.text) }
    }

    private func declares(_ target: String, _ module: String) -> Bool {
        dependencies[target]?.contains(module) == true
    }
}

extension Check {
    private static let sampleTable = ImportTable(
        manifest: """
            module("Codes"), module("Wire", ["Codes"]), module("Loops", ["CLinux"]),
            module("HTTP2", ["Codes", "Loops", "COpenSSL"]), module(
                "Node",
                [
                    "Codes", "HTTP2",
                ]),
            .executableTarget(
                name: "carillon",
                dependencies: ["Node"])
            """,
        architecture: """
            | `Codes` | pure | Codes |
            | `Wire` | pure | Bytes |
            | `Loops` | service | Threads |
            | `HTTP2` | shell | Sessions |
            | `Node` | composition | All |
            | `carillon` | executable | Commands |
            """)

    static let importRules = importRules(ImportTable.repository)

    /// With the repository's manifest, or that of the samples.
    private static func importRules(_ table: ImportTable?) -> Check {
        Check(
            "imports follow the arrows", applies: { $0.isSource },
            find: { file in
                let isSample = file.path.contains("/Sample")
                guard let table = isSample ? sampleTable : table, let target = file.target else {
                    return [Violation(file, "no manifest or target")]
                }
                return file.code.enumerated().flatMap { index, line in
                    imported(line).map { violations(file, index + 1, line, table, target, $0) } ?? []
                }
            },
            bad: [
                SourceFile("Sources/Wire/Sample.swift", "import Loops"),
                SourceFile("Sources/Wire/Sample.swift", "import Glibc"),
                SourceFile("Sources/Wire/Sample.swift", "import Dispatch"),
                SourceFile("Sources/Loops/Sample.swift", "import HTTP2"),
                SourceFile("Sources/HTTP2/Sample.swift", "internal import CSQLite"),
                SourceFile("Sources/HTTP2/Sample.swift", "import Wire"),
                SourceFile("Sources/Loops/Sample.swift", "import CLinux"),
                SourceFile("Sources/New/Sample.swift", "import Codes"),
                SourceFile("Sources/Loops/Sample.swift", "import NIO"),
                SourceFile("Sources/HTTP2/Sample.swift", "public import COpenSSL"),
            ],
            good: [
                SourceFile("Sources/Wire/Sample.swift", "public import Codes"),
                SourceFile("Sources/HTTP2/Sample.swift", "internal import COpenSSL\nimport Loops"),
                SourceFile("Sources/Node/Sample.swift", "import HTTP2"),
                SourceFile("Sources/carillon/Sample.swift", "import Node"),
                SourceFile("Sources/Wire/Sample.swift", "// import Glibc"),
            ])
    }

    private static func violations(
        _ file: SourceFile, _ number: Int, _ line: String, _ table: ImportTable, _ target: String, _ module: String
    ) -> [Violation] {
        var found = table.problem(importing: module, in: target).map { [Violation(file, line: number, $0)] } ?? []
        let isC = module.hasPrefix("C") && module.dropFirst().first?.isUppercase == true
        if isC && table.layers[module] == nil && !line.contains("internal import") {
            found.append(Violation(file, line: number, "C modules are imported with `internal import`"))
        }
        return found
    }
}
