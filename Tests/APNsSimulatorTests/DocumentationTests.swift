import SimulatedAPNs
import Testing

@testable import APNsSimulator

/// Docs/Simulator.md says what the simulator does. `CARILLON_UPDATE_DOCS=1 swift test --filter DocumentationTests` writes its
/// tables anew.
@Suite(.serialized) struct DocumentationTests {
    private static let page = "Docs/Simulator.md"

    @Test func theOrderOfChecks() throws {
        try Page.compare(Self.page, part: "order of checks", with: ProvocationPage.order())
    }

    @Test func howToProvokeEveryReason() throws {
        try Page.compare(Self.page, part: "reasons", with: ProvocationPage.reasons())
    }

    /// The order in the page is the order of every kind of request.
    @Test func checksStandInTheirOrder() {
        for operation in Operation.allCases {
            let order = Check.order(of: operation)
            #expect(order == Check.allCases.filter(order.contains))
        }
        #expect(Set(Check.allCases) == Set(Operation.allCases.flatMap(Check.order)))
    }

    @Test func everyNameIsThere() throws {
        let text = String(decoding: try TestFile.contents(Page.root + "/" + Self.page), as: UTF8.self)
        let names =
            Reason.allCases.map(\.rawValue) + Faults.Sabotage.allCases.map(\.rawValue)
            + CountRule.allCases.map(\.rawValue) + SwitchRule.allCases.map(\.rawValue)
        for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
    }
}
