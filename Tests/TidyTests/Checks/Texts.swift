extension Check {
    static let documentation = Check(
        "every source file has a doc comment",
        applies: { $0.isSource && !$0.path.hasSuffix("/Placeholder.swift") },
        find: { file in
            let documented = file.lines.contains { $0.drop { $0 == " " }.hasPrefix("///") }
            return documented ? [] : [Violation(file, "no doc comment")]
        },
        bad: [SourceFile("Sources/Wire/Key.swift", "// A plain comment.\nstruct Key {}\n")],
        good: [SourceFile("Sources/Wire/Key.swift", "extension Key {\n    /// A thing.\n    var x: Int { 1 }\n}\n")])

    static let links = Check(
        "links of the documentation lead somewhere",
        applies: { $0.path.hasSuffix(".md") && !$0.isFixture },
        find: { file in
            let folder = file.path.split(separator: "/").dropLast().map(String.init)
            return MarkdownLinks.targets(file.lines).compactMap { line, target in
                let path = MarkdownLinks.resolved(target, from: folder)
                return known.contains(path) ? nil : Violation(file, line: line, "\(target) leads nowhere")
            }
        },
        bad: [
            SourceFile("Docs/A.md", "See [this](Missing.md)."), SourceFile("Docs/A.md", "[up](../Missing/)"),
            SourceFile("README.md", "![picture](Docs/none.svg#part)"),
        ],
        good: [
            SourceFile("Docs/A.md", "[a](../README.md#words) [b](https://example.org/x) [c](#here)"),
            SourceFile("Docs/A.md", "`[code](Missing.md)`\n```\n[code](Missing.md)\n```\n"),
        ])

    private static let known = Set(Repository.paths).union([""])

    /// Where this was built is nobody's business, and would be wrong elsewhere.
    static let machinePlaces = Check(
        "no path or host of one machine",
        applies: { !$0.isFixture },
        find: { file in
            let places = [
                "/wo" + "rk/", "/tmp/" + "wt", "/ro" + "ot/", "/ho" + "me/", "proxy.gol" + "ang", "py" + "pi.org",
                "python" + "hosted", "crates" + ".io", "npm" + "js", "artifact" + "ory",
            ]
            return file.lines.enumerated().flatMap { index, line in
                places.filter { line.contains($0) }.map { Violation(file, line: index + 1, "\($0) names a machine") }
            }
        },
        bad: [
            SourceFile("Docs/A.md", "cd /wo" + "rk/main"), SourceFile("Deploy/a.sh", "pip -i https://py" + "pi.org"),
            SourceFile("Sources/Wire/Key.swift", "// see /tmp/" + "wt/x"),
            SourceFile("cluster.toml", "a = \"/ro" + "ot/x\""),
        ],
        good: [SourceFile("Docs/A.md", "the framework/ and network/ folders, /tmp/x")])

    /// The papers that the project was planned on are not part of it.
    static let planningPapers = Check(
        "no reference to papers that are not here",
        applies: { !$0.isFixture },
        find: { file in
            let papers = [
                "DES" + "IGN.md", "CLUS" + "TER.md", "HTTP" + "2.md", "RUN" + "TIME.md", "STY" + "LE.md",
                "FAIL" + "URES.md", "REFER" + "ENCE.md", "../sha" + "red/", "DES" + "IGN:",
            ]
            return file.lines.enumerated().flatMap { index, line in
                papers.filter { line.contains($0) }.map { Violation(file, line: index + 1, "\($0) is not here") }
            }
        },
        bad: [
            SourceFile("Sources/Wire/Key.swift", "/// See DES" + "IGN.md 3."),
            SourceFile("README.md", "../sha" + "red/x"),
        ],
        good: [SourceFile("README.md", "Docs/Architecture.md, Docs/APNs.md 3.1")])

    static let names = Check(
        "names say what is inside",
        applies: { $0.path.hasPrefix("Sources/") || $0.path.hasPrefix("Tests/") },
        find: { file in
            let empty: Set<String> = ["utils", "util", "common", "misc", "helpers", "helper", "extensions", "stuff"]
            let parts = file.path.split(separator: "/").map { $0.split(separator: ".")[0].lowercased() }
            return parts.filter { part in
                empty.contains(part)
                    || empty.contains { $0.count > 4 && part.hasSuffix($0) && part.count < $0.count + 12 }
            }.map { Violation(file, "'\($0)' says nothing") }
        },
        bad: [
            SourceFile("Sources/Wire/Utils/Key.swift", ""), SourceFile("Sources/Wire/StringHelpers.swift", ""),
            SourceFile("Tests/WireTests/Misc.swift", ""),
        ],
        good: [SourceFile("Sources/Wire/Key/Key.swift", "")])

    static let lastLine = Check(
        "files end with one line break",
        applies: { !$0.isFixture && !$0.text.isEmpty },
        find: { file in
            file.text.hasSuffix("\n") && !file.text.hasSuffix("\n\n")
                ? [] : [Violation(file, "does not end with one line break")]
        },
        bad: [SourceFile("Docs/A.md", "x"), SourceFile("Docs/A.md", "x\n\n")],
        good: [SourceFile("Docs/A.md", "x\n")])
}

/// Links of Markdown, as far as this repository uses them.
enum MarkdownLinks {
    /// Relative targets with their line; code and addresses with a scheme aside.
    static func targets(_ lines: [String]) -> [(line: Int, target: String)] {
        var found: [(Int, String)] = []
        var inCode = false
        for (index, line) in lines.enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                inCode.toggle()
                continue
            }
            guard !inCode else { continue }
            var rest = withoutCode(line)[...]
            while let open = rest.firstRange(of: "]("), let close = rest[open.upperBound...].firstIndex(of: ")") {
                let target = rest[open.upperBound..<close].prefix { $0 != " " && $0 != "#" }
                let isAddress = target.contains("://") || target.hasPrefix("mailto:")
                if !target.isEmpty && !isAddress { found.append((index + 1, String(target))) }
                rest = rest[rest.index(after: close)...]
            }
        }
        return found
    }

    /// The target as a path from the root.
    static func resolved(_ target: String, from folder: [String]) -> String {
        var parts = target.hasPrefix("/") ? [] : folder
        for part in target.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    private static func withoutCode(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset % 2 == 0 ? String($0.element) : "" }.joined()
    }
}
