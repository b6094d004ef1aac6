import Codes
import Configuration
import LiveActivity
import Testing

@testable import Node

@Suite struct AppSchemasTests {
    private static let file =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/payloads/schemas.json"

    private func schemas(_ types: String?) throws -> AppSchemas {
        var variables = ["CARILLON_APP_CRICKET_SCHEMA_FILE": Self.file]
        if let types { variables["CARILLON_APP_CRICKET_ATTRIBUTES_TYPES"] = types }
        return try AppSchemas(TestSettings.make(variables))
    }

    private func rules(_ schemas: AppSchemas, _ name: String, _ state: String, _ event: String = "update") -> [String] {
        let payload = Array(#"{"aps":{"event":"\#(event)","content-state":\#(state)}}"#.utf8)
        let linter = schemas.linter(app: 0, name: Array(name.utf8)[...])
        return linter.lint(payload.span, as: .broadcast, nowMilliseconds: 0).findings.map(\.code.slug)
    }

    @Test func withoutAFileNothingIsCompared() throws {
        let schemas = try AppSchemas(TestSettings.make())
        #expect(rules(schemas, "match/1", "{}") == [])
    }

    @Test func theFirstThatFitsCounts() throws {
        let schemas = try schemas("match/task=TaskAttributes,match/=DeliveryAttributes,*,TaskAttributes")
        #expect(rules(schemas, "match/task/1", "{}") == ["schema-missing-key"])
        #expect(rules(schemas, "match/task/1", #"{"percent":1}"#) == [])
        #expect(rules(schemas, "match/1", "{}").count == 3)
        #expect(rules(schemas, "other", "{}") == [], "several types, and an update names none")
        #expect(rules(try self.schemas(nil), "match/1", "{}") == [])
        #expect(rules(try self.schemas("TaskAttributes"), "any", "{}") == ["schema-missing-key"])
    }

    @Test(arguments: [
        ("TaskAttribute", Code.schemaTypeUnknown, "did you mean 'TaskAttributes'?"),
        ("match/=Nothing", .schemaTypeUnknown, "there is no type Nothing"),
    ])
    func unknownTypesStopTheStart(_ types: String, _ code: Code, _ text: String) throws {
        let fault = #expect(throws: Fault.self) { try schemas(types) }
        #expect(fault?.code == code && fault?.detail.contains(text) == true)
        #expect(fault?.place == "app.cricket.attributes_types")
    }

    @Test(arguments: ["", "a b", "match/=", "=*", "1,", "A-B"])
    func malformedTypesAreRefused(_ types: String) {
        #expect(throws: (any Error).self) { try schemas(types) }
    }
}
