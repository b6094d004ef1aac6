extension Check {
    /// State machines may be long: their table is easier to read in one file.
    static let longFiles: Set<String> = [
        "OwnerCore.swift", "ConnectionPool.swift", "SimulatedAPNs.swift", "PayloadScanner.swift", "JSONScanner.swift",
    ]

    static let fileLength = Check(
        "files have at most 500 lines, named state machines 900",
        applies: { $0.isSwift || $0.path.hasSuffix(".h") || $0.path.hasSuffix(".cpp") || $0.path.hasSuffix(".c") },
        find: { file in
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            let most = longFiles.contains(name) ? 900 : 500
            let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
            return count > most ? [Violation(file, "\(count) lines, at most \(most)")] : []
        },
        bad: [
            SourceFile("Sources/Wire/Key.swift", String(repeating: "\n", count: 501)),
            SourceFile("Sources/Cluster/OwnerCore.swift", String(repeating: "\n", count: 901)),
            SourceFile("Tests/WireTests/KeyTests.swift", String(repeating: "\n", count: 501)),
        ],
        good: [
            SourceFile("Sources/Wire/Key.swift", String(repeating: "\n", count: 500)),
            SourceFile("Sources/Cluster/OwnerCore.swift", String(repeating: "\n", count: 900)),
        ])

    static let lineLength = Check(
        "lines have at most 120 characters",
        applies: {
            $0.isSwift || $0.path.hasSuffix(".h") || $0.path.hasSuffix(".cpp") || $0.path.hasSuffix(".c")
                || $0.path.hasSuffix(".sh")
        },
        find: { file in
            file.lines.enumerated().filter { $0.element.count > 120 }.map {
                Violation(file, line: $0.offset + 1, "\($0.element.count) characters, at most 120")
            }
        },
        bad: [SourceFile("Sources/Wire/Key.swift", "// " + String(repeating: "x", count: 118))],
        good: [SourceFile("Sources/Wire/Key.swift", "// " + String(repeating: "é", count: 117) + "\n")])

    static let functionLength = Check(
        "functions have at most 60 lines",
        applies: { $0.isSwift },
        find: { file in
            functions(in: file).filter { $0.count > 60 }.map {
                Violation(file, line: $0.line, "function of \($0.count) lines, at most 60")
            }
        },
        bad: [
            SourceFile("Sources/Wire/Key.swift", function("func f() {", lines: 61)),
            SourceFile("Sources/Wire/Key.swift", function("    init?(\n        x: Int\n    ) {", lines: 61)),
            SourceFile("Sources/Wire/Key.swift", "let brace = \"}\"\n" + function("deinit { _ = \"}\"", lines: 61)),
        ],
        good: [
            SourceFile("Sources/Wire/Key.swift", function("func f() {", lines: 60)),
            SourceFile(
                "Sources/Wire/Key.swift",
                "protocol P {\n    func f()\n    init()\n}\n" + String(repeating: "let x = 1\n", count: 80)),
        ])

    /// Where functions begin and how many lines they have.
    static func functions(in file: SourceFile) -> [(line: Int, count: Int)] {
        file.code.indices.compactMap { start in
            guard isFunction(file.code[start]), let end = closing(file.code, from: start) else { return nil }
            return (start + 1, end - start + 1)
        }
    }

    private static func function(_ head: String, lines: Int) -> String {
        let heads = head.split(separator: "\n").count
        return head + "\n" + String(repeating: "    x += 1\n", count: lines - heads - 1) + "}\n"
    }

    private static func isFunction(_ line: String) -> Bool {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@" || $0 == ".") }
        guard let first = words.firstIndex(where: { !modifiers.contains(String($0)) && !$0.hasPrefix("@") }) else {
            return false
        }
        return ["func", "init", "deinit", "subscript"].contains(String(words[first]))
    }

    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "package", "static", "mutating", "nonmutating", "override",
        "final", "nonisolated", "isolated", "required", "convenience", "borrowing", "consuming", "class", "unsafe",
        "async", "prefix", "set",
    ]

    /// The line of the brace that closes the body of the function that begins at `start`; nil when it has no body.
    private static func closing(_ code: [String], from start: Int) -> Int? {
        var (braces, brackets) = (0, 0)
        var opened = false
        for (offset, line) in code[start...].enumerated() {
            for character in line {
                switch character {
                case "(", "[": brackets += 1
                case ")", "]": brackets -= 1
                case "{":
                    braces += 1
                    // Braces of closures among the parameters' defaults open no body.
                    opened = opened || brackets <= 0
                case "}":
                    braces -= 1
                    if braces < 0 { return nil }
                    if opened && braces == 0 { return start + offset }
                default: break
                }
            }
            // A requirement of a protocol: the declaration ends with its line.
            if !opened && brackets == 0 && offset > 0 && !line.hasSuffix(",") && !line.contains("where") { return nil }
            if !opened && brackets == 0 && offset == 0 && isComplete(code, after: start) { return nil }
        }
        return nil
    }

    /// Whether no brace can follow on the next lines.
    private static func isComplete(_ code: [String], after start: Int) -> Bool {
        let next = code.dropFirst(start + 1).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let head = next.drop(while: \.isWhitespace)
        return !head.hasPrefix("{") && !head.hasPrefix("where") && !head.hasPrefix("->") && !head.hasPrefix("async")
    }
}
