import Codes
import Terminal
import Testing

@testable import carillon

@Suite struct GrammarTests {
    @Test func theGrammarIsSoundAndEveryExampleParses() {
        #expect(Grammar.carillon.problems() == [])
    }

    @Test func everyCommandHasHelpThatBeginsWithExamples() throws {
        for (command, _) in CommandTable.all {
            let words = command.name.split(separator: " ").map(String.init)
            guard case .success(.help(let text)) = Grammar.carillon.parse(words + ["--help"], environment: [:]) else {
                Issue.record("no help for \(command.name)")
                continue
            }
            #expect(text.contains("Examples:") && text.contains("carillon \(command.name)"), "\(command.name)")
        }
    }

    @Test(arguments: [
        (["nod"], "CRL-U100", "node"), (["node", "--nam", "n1"], "CRL-U101", "--name"),
    ])
    func aMistakeIsAnsweredWithASuggestion(_ arguments: [String], _ code: String, _ suggestion: String) {
        guard case .failure(let fault) = Grammar.carillon.parse(arguments, environment: [:]) else {
            Issue.record("\(arguments) parses")
            return
        }
        #expect(fault.code.id == code)
        #expect(fault.detail.contains(suggestion))
    }
}
