/// Which target may import which, as `Package.swift` declares it and Docs/Architecture.md draws it.
struct ImportTable: Sendable {
    /// Import nothing but each other.
    static let pureTargets: Set<String> = ["Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "SimulatedAPNs"]

    /// Layers from the inside out; a target imports its own layer and those within.
    static let layers: [[String]] = [
        pureTargets.sorted(),
        ["Loops", "Telemetry", "Configuration", "Terminal"],
        ["Messaging", "HTTP2", "Storage", "APNs", "APNsSimulator", "CarillonClient"],
        ["Node"],
        ["carillon"],
    ]

    /// Target → its declared dependencies.
    let dependencies: [String: Set<String>]

    /// Reads the calls `module("Name", ["A", "B"])` and the executable's declaration.
    init(manifest: String) {
        var dependencies: [String: Set<String>] = [:]
        for call in ["module(", "name: "] {
            for piece in manifest.split(separator: call, omittingEmptySubsequences: false).dropFirst() {
                let strings = Self.strings(String(piece.prefix(900)))
                guard let name = strings.name, Self.layers.joined().contains(name) else { continue }
                dependencies[name, default: []].formUnion(strings.list)
            }
        }
        self.dependencies = dependencies
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

    static func layer(of target: String) -> Int? { layers.firstIndex { $0.contains(target) } }

    /// What is wrong with importing `module` in `target`; nil when it is right.
    func problem(importing module: String, in target: String) -> String? {
        let isC =
            module.hasPrefix("C") && module.dropFirst().first?.isUppercase == true && Self.layer(of: module) == nil
        if Self.pureTargets.contains(target) {
            return Self.pureTargets.contains(module) && declares(target, module)
                ? nil : "\(target) is pure and may not import \(module)"
        }
        guard let layer = Self.layer(of: target) else { return "\(target) is in no layer: see ImportTable" }
        if let other = Self.layer(of: module) {
            if other > layer { return "\(target) may not import \(module): arrows point inwards" }
            return declares(target, module) ? nil : "\(target) does not declare \(module) in Package.swift"
        }
        if isC { return declares(target, module) ? nil : "\(target) does not declare \(module) in Package.swift" }
        return "\(module) is no module of this package"
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
            """)

    static let importRules = importRules(Repository.file("Package.swift").map { ImportTable(manifest: $0.text) })

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
        if isC && ImportTable.layer(of: module) == nil && !line.contains("internal import") {
            found.append(Violation(file, line: number, "C modules are imported with `internal import`"))
        }
        return found
    }
}
