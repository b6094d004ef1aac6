import Codes
import Foundation
import Testing

@Suite struct ReferenceTests {
    /// Run with CARILLON_UPDATE_DOCS=1 to write the page anew after a code was added.
    @Test func theErrorReferenceIsWhatTheTablesSay() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Docs/Reference/Errors.md")
        if ProcessInfo.processInfo.environment["CARILLON_UPDATE_DOCS"] != nil {
            try Code.reference.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == Code.reference)
    }
}
