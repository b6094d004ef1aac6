extension Check {
    static let bannedCalls = Check(
        "dangerous words in Sources have their reason on the same line",
        applies: { $0.isSource },
        find: { file in
            let banned = ["try!", "as!", "fatalError(", "@unchecked Sendable", "nonisolated(unsafe)"]
            return file.code.enumerated().flatMap { index, code in
                // A reason is a comment behind the code: in the blanked line nothing is left of it.
                let isJustified = file.lines[index].contains(" // ") && code.contains { !$0.isWhitespace }
                return isJustified
                    ? []
                    : banned.filter { occurs($0, in: code) }.map {
                        Violation(file, line: index + 1, "\($0) without a reason")
                    }
            }
                + file.code.enumerated().filter { imported($0.element) == "Synchronization" }.map {
                    Violation(file, line: $0.offset + 1, "use Loops.Lock instead of Synchronization")
                }
        },
        bad: [
            SourceFile("Sources/Wire/Key.swift", "let x = try! f()"),
            SourceFile("Sources/Wire/Key.swift", "let x = y as! Z"),
            SourceFile("Sources/Wire/Key.swift", "fatalError()"),
            SourceFile("Sources/Wire/Key.swift", "final class A: @unchecked Sendable {}"),
            SourceFile("Sources/Wire/Key.swift", "// a reason\nnonisolated(unsafe) var x = 1"),
            SourceFile("Sources/Wire/Key.swift", "internal import Synchronization // reason"),
            SourceFile("Sources/Wire/Key.swift", "let url = \"http://x\"; fatalError(url)"),
        ],
        good: [
            SourceFile(
                "Sources/Wire/Key.swift", "final class A: @unchecked Sendable {  // the value is behind a mutex\n}"),
            SourceFile("Sources/Wire/Key.swift", "// never fatalError( here\nlet text = \"try! it\""),
            SourceFile("Sources/Wire/Key.swift", "let canvas = x as Z; let entry = retry != 1"),
            SourceFile("Tests/WireTests/KeyTests.swift", "let x = y as! Z"),
        ])

    /// Files that may import Foundation, each with its reason.
    static let foundationFiles: Set<String> = []

    static let foundation = Check(
        "no source file imports Foundation",
        applies: { $0.isSource && !foundationFiles.contains($0.path) },
        find: { file in
            file.code.enumerated().filter { imported($0.element).map { $0.hasPrefix("Foundation") } == true }.map {
                Violation(file, line: $0.offset + 1, "Foundation doubles the binary; use CLinux")
            }
        },
        bad: [
            SourceFile("Sources/Node/Node.swift", "import Foundation\n"),
            SourceFile("Sources/Node/Node.swift", "internal import FoundationEssentials\n"),
            SourceFile("Sources/Node/Node.swift", "@preconcurrency public import struct Foundation.URL\n"),
        ],
        good: [SourceFile("Sources/Node/Node.swift", "// import Foundation\n")])

    static let printing = Check(
        "only the executable prints",
        applies: { $0.isSource && $0.target != "carillon" },
        find: { file in
            file.code.indices.filter { index in
                ["print(", "debugPrint(", "dump("].contains { word in
                    occurs(word, in: file.code[index]) && !file.code[index].contains("func " + word)
                }
            }.map { Violation(file, line: $0 + 1, "use the Logger or return the text") }
        },
        bad: [SourceFile("Sources/Node/Node.swift", "    print(x)"), SourceFile("Sources/Wire/Key.swift", "dump(x)")],
        good: [
            SourceFile("Sources/carillon/Run.swift", "print(x)"),
            SourceFile("Sources/Terminal/Help.swift", "let text = fingerprint(x)"),
        ])

    static let sleeping = Check(
        "tests wait for conditions, never for time",
        applies: { $0.isTest },
        find: { file in
            file.code.indices.filter { index in
                ["Task.sleep", "usleep(", "nanosleep(", "sleep("].contains { occurs($0, in: file.code[index]) }
            }.map { Violation(file, line: $0 + 1, "wait for the condition with a bounded deadline") }
        },
        bad: [
            SourceFile("Tests/NodeTests/A.swift", "try await Task.sleep(for: .seconds(1))"),
            SourceFile("Tests/NodeTests/A.swift", "usleep(10)"), SourceFile("Tests/NodeTests/A.swift", "    sleep(1)"),
        ],
        good: [SourceFile("Tests/NodeTests/A.swift", "// sleep(1)\nlet asleep = oversleep(1)")])

    static let leftovers = Check(
        "nothing is left to do",
        applies: {
            $0.isSwift || $0.path.hasPrefix("Docs/") || $0.path.hasPrefix("Deploy/") || $0.path.hasPrefix("Sources/")
        },
        find: { file in
            let words = ["TO" + "DO", "FIX" + "ME"]
            return file.lines.enumerated().flatMap { index, line in
                words.filter { occurs($0, in: line, after: true) }.map {
                    Violation(file, line: index + 1, "\($0) left behind")
                }
            }
        },
        bad: [
            SourceFile("Sources/Wire/Key.swift", "// TO" + "DO: more"), SourceFile("Docs/A.md", "FIX" + "ME later"),
        ],
        good: [SourceFile("Sources/Wire/Key.swift", "let toDo = fixMe")])

    static let pureCores = Check(
        "pure targets know no clock and no global randomness",
        applies: { $0.isSource && ImportTable.pureTargets.contains($0.target ?? "") },
        find: { file in
            let banned = [
                ".random(", ".shuffled()", ".shuffle()", ".randomElement()", "SystemRandomNumberGenerator",
                "ContinuousClock", "SuspendingClock", "Task.detached", "Task {", "@MainActor",
            ]
            return file.code.enumerated().flatMap { index, line in
                banned.filter { line.contains($0) }.map { Violation(file, line: index + 1, "\($0) in a pure target") }
            }
        },
        bad: [
            SourceFile("Sources/Cluster/A.swift", "let x = Int.random(in: 0..<3)"),
            SourceFile("Sources/Delivery/A.swift", "let now = ContinuousClock().now"),
        ],
        good: [
            SourceFile("Sources/Node/A.swift", "let now = ContinuousClock().now"),
            SourceFile("Sources/Cluster/A.swift", "let x = random.next() // not Int.random(in:)"),
        ])

    /// Whether `word` occurs in `line` and no longer name ends (or, with `after`, goes on) there.
    static func occurs(_ word: String, in line: String, after: Bool = false) -> Bool {
        var rest = line[...]
        while let range = rest.firstRange(of: word) {
            let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
            let next = range.upperBound < line.endIndex ? line[range.upperBound] : " "
            let isName: (Character) -> Bool = { $0.isLetter || $0.isNumber || $0 == "_" }
            let begins = !isName(before) || !isName(word.first ?? " ")
            if begins && !(after && isName(next)) { return true }
            rest = line[range.upperBound...]
        }
        return false
    }

    /// The module that a line imports.
    static func imported(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import") else { return nil }
        let accepted: Set<Substring> = ["public", "internal", "private", "fileprivate", "package"]
        guard words[..<keyword].allSatisfy({ accepted.contains($0) || $0.hasPrefix("@") }) else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "let", "var", "typealias"]
        let name = words[(keyword + 1)...].first { !kinds.contains($0) }
        return name?.split(separator: ".").first.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }
}
