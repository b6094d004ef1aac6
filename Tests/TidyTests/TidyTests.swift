import Testing

/// The rules of this repository, as tests.
@Suite struct TidyTests {
    @Test(arguments: Check.all)
    func theRepositoryKeepsTheRule(check: Check) {
        let concerned = Repository.files.filter(check.applies)
        #expect(!concerned.isEmpty, "the rule concerns no file at all: it would never fail")
        for violation in concerned.flatMap(check.find) {
            Issue.record("\(violation)")
        }
    }

    /// A check that cannot fail is worth nothing: each must flag its bad snippets, and only those.
    @Test(arguments: Check.all)
    func theRuleCanFail(check: Check) {
        #expect(!check.bad.isEmpty)
        for sample in check.bad {
            #expect(!check.violations(in: sample).isEmpty, "not flagged: \(sample.path): \(sample.text.prefix(80))")
        }
        for sample in check.good {
            #expect(check.violations(in: sample) == [], "flagged: \(sample.path): \(sample.text.prefix(80))")
        }
    }

    @Test func theWholeRepositoryIsRead() {
        let paths = Set(Repository.files.map(\.path))
        for path in [
            "Package.swift", "README.md", "cluster.toml", "Docs/Architecture.md", "Sources/Codes/Code.swift",
            "Sources/CLinux/shim.h", "Tests/TidyTests/TidyTests.swift", "Deploy/test.sh", ".ci/run",
        ] {
            #expect(paths.contains(path), "\(path) was not read")
        }
        #expect(!paths.contains { $0.hasPrefix(".git/") || $0.hasPrefix(".build") })
    }
}

@Suite struct FunctionTests {
    @Test func functionsOfRealFilesAreMeasured() throws {
        let file = try #require(Repository.file("Sources/Loops/Mailbox.swift"))
        let found = Check.functions(in: file)
        let declared = file.code.filter { $0.contains("func ") || $0.contains(" init(") }
        #expect(found.count == declared.count)
        for (line, count) in found {
            let last = file.lines[line + count - 2]
            #expect(last == "    }", "line \(line): the function does not end with \(last)")
        }
    }

    @Test func mostFunctionsAreShort() {
        let counts = Repository.files.filter(\.isSource).flatMap { Check.functions(in: $0).map(\.count) }.sorted()
        #expect(counts.count > 300)
        #expect(counts[counts.count / 2] <= 12, "the median of \(counts.count) functions is too long")
    }
}

@Suite struct ArchitectureTests {
    private func table() throws -> ImportTable { try #require(ImportTable.repository) }

    @Test func everyTargetOfTheArchitectureIsInTheManifest() throws {
        let table = try table()
        for target in table.layers.keys.sorted() {
            #expect(table.dependencies[target] != nil, "\(target) was not found in Package.swift")
        }
        #expect(table.dependencies["Node"]?.contains("Cluster") == true)
        #expect(table.dependencies["Codes"] == [])
        #expect(table.layers.count >= 18)
        #expect(Set(table.layers.filter { $0.value == 0 }.keys) == ImportTable.pureTargets)
    }

    @Test func declaredArrowsPointInwards() throws {
        let table = try table()
        for (target, dependencies) in table.dependencies.sorted(by: { $0.key < $1.key }) {
            let layer = try #require(table.layers[target])
            for dependency in dependencies.sorted() {
                if ImportTable.pureTargets.contains(target) {
                    #expect(ImportTable.pureTargets.contains(dependency), "\(target) → \(dependency)")
                }
                #expect(table.layers[dependency] ?? -1 <= layer, "\(target) → \(dependency)")
            }
        }
    }

    @Test func everyFolderOfSourcesIsATargetOfTheArchitecture() throws {
        let table = try table()
        let folders = Set(Repository.files.filter(\.isSource).compactMap(\.target))
        for folder in folders.sorted() {
            #expect(table.layers[folder] != nil, "\(folder) has no row in Docs/Architecture.md")
        }
        for target in table.layers.keys.sorted() { #expect(folders.contains(target), "\(target) has no sources") }
    }
}

@Suite struct SwiftTextTests {
    @Test(arguments: [
        ("a // b\nc", "a     \nc"), ("a /* b /* c */ d */ e", "a                   e"), ("x(\"a\\\"b\")", "x(      )"),
        ("#\"a\"b\"# c", "        c"), ("\"\\(f(\"x\"))\" y", "            y"),
        ("\"\"\"\na\"b\n\"\"\" z", "   \n   \n    z"),
        ("\"open\nnext", "     \nnext"), ("#if a", "#if a"), ("\"//\" b", "     b"), ("\"", " "), ("/*", "  "),
        ("\"\\", "  "),
    ])
    func commentsAndStringsAreBlanked(text: String, blanked: String) {
        #expect(SwiftText.blanked(text) == blanked)
    }

    @Test func everythingOfAnyLengthKeepsItsLines() {
        var state: UInt64 = 9
        let pieces = ["\"", "\"\"\"", "#", "\\(", ")", "//", "/*", "*/", "\n", "x", "\\"]
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<20 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            let blanked = SwiftText.blanked(text)
            #expect(blanked.utf8.count == text.utf8.count)
            #expect(
                blanked.split(separator: "\n", omittingEmptySubsequences: false).count
                    == text.split(separator: "\n", omittingEmptySubsequences: false).count)
        }
    }
}
