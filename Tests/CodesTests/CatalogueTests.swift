import Codes
import Testing

@Suite struct CatalogueTests {
    @Test func identifiersAndSlugsAreUnique() {
        #expect(Set(Code.all.map(\.id)).count == Code.all.count)
        #expect(Set(Code.all.map(\.slug)).count == Code.all.count)
    }

    @Test func identifiersFollowTheScheme() throws {
        let pattern = try Regex("CRL-[A-Z][0-9]{3}")
        for area in Code.areas {
            for code in area.codes {
                #expect(code.id.wholeMatch(of: pattern) != nil, "\(code)")
                #expect(code.id.dropFirst(4).first == area.letter, "\(code)")
                #expect(code.meaning.hasSuffix(".") && code.action.hasSuffix("."), "\(code)")
            }
        }
    }

    @Test func areasHoldEveryCode() {
        #expect(Code.areas.flatMap(\.codes).count == Code.all.count)
    }

    @Test func codesAreFoundByIdentifierAndSlug() {
        #expect(Code.named("CRL-P104") == .unknownChannel)
        #expect(Code.named("unknown-channel") == .unknownChannel)
        #expect(Code.named("nothing") == nil)
    }

    @Test func faultsNamePlaceCodeAndNextStep() {
        let fault = Fault(.unknownApp, "no app 'shop'", at: "header.app")
        #expect(fault.description.hasPrefix("header.app: no app 'shop' (CRL-P102 unknown-app). "))
    }
}
