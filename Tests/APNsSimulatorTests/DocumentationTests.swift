import SimulatedAPNs
import Testing

/// Docs/Simulator.md names every reason.
@Suite struct DocumentationTests {
    private static let page =
        "\(#filePath)".split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        + "/Docs/Simulator.md"

    @Test func everyReasonIsNamed() throws {
        let text = String(decoding: try TestFile.contents(Self.page), as: UTF8.self)
        for reason in Reason.allCases { #expect(text.contains("`\(reason.rawValue)`"), "\(reason.rawValue)") }
        for sabotage in Faults.Sabotage.allCases { #expect(text.contains("`\(sabotage.rawValue)`")) }
    }
}
