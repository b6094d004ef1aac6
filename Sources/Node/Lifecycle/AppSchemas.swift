public import Codes
public import Configuration
internal import LiveActivity

/// What the events of each app are compared with: `schema_file` and `attributes_types` of [app.NAME].
public struct AppSchemas: Sendable {
    /// The linter of names that begin alike.
    private struct Rule {
        let prefix: [UInt8]
        let linter: PayloadLinter
    }

    /// For each app its rules in order; the last one fits every name.
    private let apps: [[Rule]]
    /// Finds the places in payloads that another node has judged.
    let finder = PayloadLinter(inspector: PayloadInspector())

    /// Reads the schema files. Throws `configuration-unreadable`, `schema-unreadable` or `schema-type-unknown` with the
    /// place.
    public init(_ settings: Settings) throws(Fault) {
        var apps: [[Rule]] = []
        for app in settings.apps { apps.append(try Self.rules(app)) }
        self.apps = apps
    }

    private static func rules(_ app: AppSettings) throws(Fault) -> [Rule] {
        // The stamp is put in later: aps.timestamp may be missing.
        let inspector = PayloadInspector()
        guard let bytes = try app.readSchemaFile() else {
            return [Rule(prefix: [], linter: PayloadLinter(inspector: inspector))]
        }
        let schemas = try SchemaSet(reading: bytes, place: app.schemaFile)
        let place = "app.\(app.name).attributes_types"
        let any = Rule(prefix: [], linter: PayloadLinter(inspector: inspector, schemas: schemas))
        var rules: [Rule] = []
        for text in app.attributesTypes {
            guard text != "*" else { return rules + [any] }
            let sign = text.lastIndex(of: "=")
            let name = sign.map { String(text[text.index(after: $0)...]) } ?? text
            let prefix = sign.map { Array(text[..<$0].utf8) } ?? []
            let only = try schemas.only(name, place: place)
            rules.append(Rule(prefix: prefix, linter: PayloadLinter(inspector: inspector, schemas: only)))
        }
        return rules + [any]
    }

    /// The linter for events of this app and name.
    func linter(app: UInt16, name: ArraySlice<UInt8>) -> PayloadLinter {
        let rules = apps[Int(app)]
        if rules.count == 1 { return rules[0].linter }
        return (rules.first { name.starts(with: $0.prefix) } ?? rules[rules.count - 1]).linter
    }
}
