import Codes

extension LintRule {
    /// Docs/Reference/Lint.md, made from the rules so that it cannot say anything else.
    public static var reference: String {
        var text = opening
        for rule in all {
            text += "\n### `\(rule.code.slug)`\n\n"
            text +=
                "`\(rule.code.id)`, \(rule.severity.name)\(rule.needText). \(rule.code.meaning)"
            text += " **Do:** \(rule.code.action)\n"
            if let example = rule.shownExample { text += "\n```\(rule.language)\n\(example)\n```\n" }
        }
        return text
    }

    private var needText: String {
        switch need {
        case .nothing: ""
        case .schema: "; needs `--schema`"
        case .history(let history): history.attributesBytes > 0 ? "" : "; needs `--last-timestamp` or `--sequence`"
        case .headers: "; needs `--header`"
        }
    }

    private var language: String { need == .headers ? "" : "json" }

    /// Nil for what cannot be shown in a line of text.
    private var shownExample: String? {
        let isText = example.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }
        return example.isEmpty || !isText ? nil : example
    }

    private static let opening = """
        # Lint rules

        What `carillon lint` says about a payload and its headers before they are sent, and what a node answers in the
        `findings` of a NACK. Severity `error`: APNs refuses it or the device drops it, mostly without a sign;
        `warning`: allowed and probably not meant; `info`: allowed and probably meant. Only errors make `carillon
        lint` end with 65 and a node refuse an event. The reasons stand in [Docs/APNs.md](../APNs.md), sections 3 to
        5.

        ```
        carillon lint --kind broadcast goal.json
        carillon lint --kind device --schema schema.json --attributes-type MatchAttributes match.ndjson
        carillon schema MatchAttributes.swift > schema.json
        ```

        `--kind` says where the payload goes: to an update token (`device`), a push-to-start token (`start`) or a
        channel (`broadcast`). Every finding has a severity, a code, the rule, its place in the file, the path in the
        payload, what it means and what to do. In NDJSON the line is that of the file.

        ## Schemas

        APNs does not look into `content-state` and `attributes`; the device decodes them with a plain `JSONDecoder`
        and drops what does not fit. A schema says what fits:

        ```json
        \(exampleSchema)
        ```

        | written | Swift |
        |---|---|
        | `"Int"` `"Int8"`…`"UInt32"` `"UInt"` `"Double"` `"Bool"` `"String"` | the type of this name |
        | `"Date"` `"URL"` `"UUID"` `"Data"` `"Duration"` | the type of this name |
        | `"T?"` `"[T]"` `"ClosedRange<Date>"` | as in Swift |
        | `"[String: T]"` `"[Int: T]"` `"[K: T]"` | an object for String and Int, else an alternating array |
        | `{"enum": ["a", "b"]}` `{"enum": [0, 1]}` | an enum of String or Int: its raw values |
        | `{"cases": {"idle": {}, "moving": {"km": "Double"}}}` | an enum with associated values; `_0` has no label |
        | `{"struct": {"name": "String"}}` | a nested struct |
        | `{"array": SHAPE}` `{"dictionary": {"key": SHAPE, "value": SHAPE}}` | of what has no spelling of its own |
        | `{"enum?": …}` `{"cases?": …}` `{"struct?": …}` `{"array?": …}` `{"dictionary?": …}` | the optional of it |

        `carillon schema FILE.swift` makes it from the `ActivityAttributes` types of the app. It understands structs
        with stored properties, optionals, arrays, sets, dictionaries, closed ranges, nested structs, enums of String
        or Int or with associated values, `CodingKeys` with string values, type aliases, extensions that add types,
        default values, comments, attributes, conditional compilation (both branches are read) and several files. A
        property with a default value is required all the same, as synthesised decoding wants it; a constant with a
        value is not decoded. It does not understand `init(from:)`, property wrappers, generics, classes, tuples,
        `CodingKeyRepresentable` and types of other modules, and names each with file, line and column.

        A node compares events in the same way when `[app.NAME]` has a `schema_file`; `attributes_types` says which
        type an event is of.

        ## Rules

        The examples are judged as of 1790000000 (2026-09-21T14:13:20Z) and against the schema above.

        """
}
