/// What is wrong inside an `alert` object (Docs/APNs.md 4.2): the first place of each kind.
///
/// Depth 3 holds the alert's members, depth 4 those of a title or body object, depth 5 the elements of `loc-args`.
struct AlertShape {
    /// Where a rule is broken.
    struct Place {
        let offset: Int
        let path: String
    }

    private enum Part {
        case title, body, sound, other
    }

    private enum LocPart {
        case key, arguments, other
    }

    /// Localisation keys directly in the alert.
    private(set) var flat: Place?
    /// A title or body that is neither a string nor a loc-key object.
    private(set) var shape: Place?
    /// A sound that is no string.
    private(set) var sound: Place?

    private var part = Part.other
    private var locPart = LocPart.other
    private var hasLocKey = false

    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        func named(_ text: StaticString) -> Bool { JSONText.equals(bytes, range, escaped: escaped, text) }
        if depth == 3 {
            if named("title") {
                part = .title
            } else if named("body") {
                part = .body
            } else if named("sound") {
                part = .sound
            } else {
                part = .other
                if flat == nil, Self.flatKeys.contains(where: { named($0) }) {
                    flat = Place(offset: range.lowerBound - 1, path: "aps.alert.\(JSONText.string(bytes, range))")
                }
            }
        } else if depth == 4, part == .title || part == .body {
            locPart = named("loc-key") ? .key : named("loc-args") ? .arguments : .other
        }
    }

    private static var flatKeys: [StaticString] {
        ["loc-key", "loc-args", "title-loc-key", "title-loc-args", "subtitle-loc-key", "subtitle-loc-args"]
    }

    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
        if depth == 3 { hasLocKey = false }
        if depth == 5, part == .title || part == .body, locPart == .arguments { mark(offset) }
    }

    mutating func value(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        let offset = range.lowerBound
        switch (depth, part) {
        case (3, .title), (3, .body):
            if !kind.isString { mark(offset) }
        case (3, .sound):
            if !kind.isString, sound == nil { sound = Place(offset: offset, path: "aps.alert.sound") }
        case (4, .title), (4, .body):
            if locPart == .key, kind.isString { hasLocKey = true }
            if locPart == .arguments || locPart == .key && !kind.isString { mark(offset) }
        case (5, .title), (5, .body):
            if locPart == .arguments, !kind.isString { mark(offset) }
        default:
            break
        }
    }

    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        let offset = range.lowerBound
        switch (depth, part) {
        case (3, .title), (3, .body):
            if kind != .object || !hasLocKey { mark(offset) }
        case (3, .sound):
            if sound == nil { sound = Place(offset: offset, path: "aps.alert.sound") }
        case (4, .title), (4, .body):
            if locPart == .key || locPart == .arguments && kind != .array { mark(offset) }
        default:
            break
        }
    }

    private mutating func mark(_ offset: Int) {
        guard shape == nil else { return }
        shape = Place(offset: offset, path: part == .title ? "aps.alert.title" : "aps.alert.body")
    }
}
