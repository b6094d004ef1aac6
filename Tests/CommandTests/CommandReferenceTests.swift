import Foundation
import Terminal
import Testing

@testable import carillon

@Suite struct CommandReferenceTests {
    /// Run with CARILLON_UPDATE_DOCS=1 to write the page anew after a command changed.
    @Test func theCommandReferenceIsWhatTheGrammarSays() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Docs/Reference/CommandLine.md")
        let reference = Grammar.carillon.reference()
        if ProcessInfo.processInfo.environment["CARILLON_UPDATE_DOCS"] != nil {
            try reference.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == reference)
    }
}
