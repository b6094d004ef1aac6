import CLinux
import Codes
import Testing

@testable import Terminal

@Suite struct HelpTests {
    private func help(_ arguments: [String]) -> String {
        guard case .success(.help(let text)) = sample.parse(arguments, environment: [:]) else { return "no help" }
        return text
    }

    @Test func theProgramShowsExamplesFirst() {
        #expect(help([]) == help(["--help"]))
        #expect(help(["-h"]) == help(["help"]))
        snapshot("program.txt", help([]))
    }

    @Test func aCommandShowsExamplesFirst() {
        snapshot("channel-create.txt", help(["channel", "create", "--help"]))
        #expect(help(["help", "channel", "create"]) == help(["channel", "create", "cricket", "-h"]))
        #expect(help(["--help", "channel"]) == help([]))
    }

    @Test func aNounShowsItsVerbs() {
        snapshot("channel.txt", help(["channel", "--help"]))
    }

    @Test func helpComesInSpiteOfMistakesBehindIt() {
        #expect(help(["publish", "--help", "--nonsense"]).hasPrefix("Publish events."))
    }

    @Test func unknownHelpIsGuessed() {
        #expect(fault(["help", "chanel"])?.detail == "unknown command 'chanel'; did you mean 'channel'?")
    }

    @Test func noLineIsLongerThanAPage() {
        for text in [help([]), help(["publish", "-h"]), help(["channel", "-h"])] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= Grammar.helpColumns })
        }
    }

    @Test func versionIsAskedBeforeTheCommand() {
        guard case .success(.version) = sample.parse(["--version"], environment: [:]) else {
            Issue.record("no version")
            return
        }
        #expect(fault(["channel", "list", "--version"])?.code == .noSuchOption)
    }

    @Test func theReferenceIsMarkdown() {
        snapshot("reference.md", sample.reference())
    }
}

/// Compares with the file in Tests/Fixtures/command-line; `CARILLON_UPDATE_DOCS=1 swift test --filter TerminalTests`
/// writes it anew.
func snapshot(_ name: String, _ text: String) {
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/command-line/"
    if getenv("CARILLON_UPDATE_DOCS") != nil {
        guard case .success = CommandFiles.write(Array(text.utf8), to: folder + name) else {
            Issue.record("cannot write \(name)")
            return
        }
    }
    guard case .success(let bytes) = CommandFiles.read(folder + name, bytesMax: 1_000_000) else {
        Issue.record("no snapshot \(name)")
        return
    }
    let current = String(decoding: bytes, as: UTF8.self)
    #expect(current == text, "\(name) differs: run with CARILLON_UPDATE_DOCS=1 and look at the difference")
}
