import Codes
import Foundation
import LiveActivity
import Testing

@Suite struct SwiftSourceTests {
    private func read(_ texts: String...) -> SwiftSource.Reading {
        SwiftSource.read(
            texts.enumerated().map { SwiftSource.File(name: "F\($0.offset).swift", bytes: Array($0.element.utf8)) })
    }

    private func wrapped(_ state: String, _ rest: String = "") -> String {
        "struct A: ActivityAttributes {\n struct ContentState: Codable, Hashable {\n \(state)\n }\n}\n\(rest)"
    }

    /// The shapes of the content state of a source.
    private func shapes(_ state: String, _ rest: String = "") throws -> [Shape.Property] {
        let reading = read(wrapped(state, rest))
        #expect(reading.faults == [], "\(state)")
        return try #require(reading.schemas.first).contentState
    }

    @Test(
        arguments: [
            ("var a: Int", Shape.integer(.int)), ("var a: Int64 = 3", .integer(.int)),
            ("let a: UInt8", .integer(.uint8)),
            ("var a: Double?", .optional(.double)), ("var a: Bool!", .optional(.boolean)),
            ("var a = 3", .integer(.int)),
            ("var a = -3.5", .double), ("var a = \"x\"", .string), ("var a = true", .boolean),
            ("var a: [[String]]", .array(.array(.string))),
            ("var a: [String: Date]", .dictionary(keysAreIntegers: false, .date)),
            ("var a: [Int: UUID]", .dictionary(keysAreIntegers: true, .uuid)),
            ("var a: [UUID: URL]", .pairs(key: .uuid, .url)),
            ("var a: Swift.Array<Foundation.Data>", .array(.data)), ("var a: ClosedRange<Int>", .range(.integer(.int))),
            ("@available(iOS 17, *) public private(set) var a: Duration", .duration),
            ("var a: ((Int))", .integer(.int)),
            ("var a: TimeInterval", .double), ("var a: String? = nil // b", .optional(.string)),
            ("var a: Int = [1, 2]\n .reduce(0, +)", .integer(.int)), ("var a: Int = x ?? 3; ", .integer(.int)),
            ("var a: E; enum E: String, Codable { case b, c = \"d\" }", .enumeration(["b", "d"])),
            ("var a: E; enum E: Int, Codable { case b = -1, c, d = 1_000 }", .numbers([-1, 0, 1000])),
            (
                "var a: E; enum E: Codable { case b; case c(d: Int, _ e: Bool) }",
                .cases([.init("b"), .init("c", [.init("d", .integer(.int)), .init("_1", .boolean)])])
            ),
            (
                "var a: E; enum E: Codable { case b(c: Int); enum CodingKeys: String, CodingKey { case b = \"B\" }\n"
                    + "enum BCodingKeys: String, CodingKey { case c = \"C\" } }",
                .cases([.init("B", [.init("C", .integer(.int))])])
            ),
            ("var a: S; struct S: Codable { var b: Int; var c: Int { b } }", .structure([.init("b", .integer(.int))])),
            ("var a: T; typealias T = [Int]", .array(.integer(.int))),
            ("var a: Int { willSet { print(\"}\") } }", .integer(.int)),
            ("var a: Int = 5 { didSet { } }", .integer(.int)),
        ] as [(String, Shape)])
    func understood(_ state: String, _ shape: Shape) throws {
        #expect(try shapes(state) == [Shape.Property("a", shape)], "\(state)")
    }

    @Test(arguments: [
        "let a: Int = 5", "var a: Int { 3 }", "static var a = 3", "func a() { var b: Int }", "class func a() {}",
        "init(b: Int) { self.b = b }", "subscript(a: Int) -> Int { 3 }",
        "enum CodingKeys: CodingKey {}\nvar a: Int = 3",
    ])
    func notDecoded(_ state: String) throws {
        #expect(try shapes(state) == [], "\(state)")
    }

    @Test(arguments: [
        ("var a: (Int, Int)", 3, 9, "tuple"), ("var a: () -> Void", 3, 9, "function"),
        ("var a: Thing", 3, 9, "Thing is not declared"), ("var a: any P", 3, 9, "any type"),
        ("var a: C; class C {}", 3, 9, "C is a class"), ("@Wrapped var a: Int", 3, 15, "@Wrapped"),
        ("lazy var a: Int = 3", 3, 11, "lazy"), ("var a = f()", 3, 6, "write the type of a"),
        ("var (a, b) = (1, 2)", 3, 6, "pattern"), ("var a: S; struct S { var b: [S] }", 3, 31, "S contains itself"),
        ("init(from decoder: any Decoder) throws {}", 3, 2, "init(from:)"),
        ("var a: G<Int>; struct G<T> { var b: T }", 3, 9, "G is generic"), ("var a: Range<Int>", 3, 9, "Range"),
        ("var a: E; enum E: Double { case b }", 3, 9 + 8, "raw values of type Double"),
        ("var a: E; enum E: String { case b = \"\\u{41}\" }", 3, 9 + 25, "no plain string"),
        ("var a: [", 4, 2, "not understood"), ("var a: Int = (3", 4, 2, "closes another one"),
        ("var a: Int /* b", 3, 13, "the comment does not end"), ("var a = \"b", 3, 10, "the string does not end"),
    ])
    func namedWithItsPlace(_ state: String, _ line: Int, _ column: Int, _ text: String) {
        let reading = read(wrapped(state))
        #expect(reading.schemas.isEmpty, "\(state)")
        let fault = reading.faults.first
        #expect(
            fault?.code == .sourceNotUnderstood && fault?.detail.contains(text) == true, "\(state): \(reading.faults)")
        #expect(fault?.place.hasPrefix("F0.swift:\(line):") == true, "\(state): \(fault?.place ?? "")")
    }

    @Test func severalFilesAndExtensionsBelongTogether() throws {
        let reading = read(
            "struct A {}\nextension A: ActivityKit.ActivityAttributes { typealias ContentState = Outer.State }",
            "extension Outer.State { enum P: String { case x } }\nenum Outer {}\n"
                + "extension Outer { struct State: Codable { var p: P } }")
        #expect(reading.faults == [])
        #expect(reading.schemas.first?.contentState == [.init("p", .enumeration(["x"]))])
    }

    @Test func sourcesWithoutTheProtocolAreSaidToBe() {
        let reading = read("struct A { var b: Int }\n#Preview { A() }\nimport X")
        #expect(reading.faults.map(\.code) == [.sourceWithoutAttributes])
        #expect(read("struct A: ActivityAttributes { var b: Int }").faults.first?.detail == "A has no ContentState")
        #expect(read("}").faults.first?.place == "F0.swift:1:1")
    }

    @Test func repeatedStructsStayFinite() {
        var text = wrapped("var a: S0")
        for index in 0..<11 {
            text += "struct S\(index) { "
            for name in 0..<8 { text += "var b\(name): S\(index + 1)\n" }
            text += "}\n"
        }
        let reading = read(text + "struct S11 { var b: Int }")
        #expect(reading.faults.contains { $0.detail.contains("too large") || $0.detail.contains("too deeply") })
    }

    @Test func schemaFilesSayTheSame() throws {
        let schemas = SchemaSet([try AgreementTests.schema()])
        let text = schemas.document.pretty
        #expect(try SchemaSet(reading: Array(text.utf8), place: "") == schemas)
    }

    /// Takes any bytes: pieces of a real source deleted, doubled and exchanged.
    @Test func damagedSourcesNeverTrap() throws {
        let source = try Array(Data(contentsOf: AgreementTests.source))
        var random = SplitMix64(seed: 7)
        for _ in 0..<400 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 1...12, using: &random))
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.removeSubrange(start..<end)
                case 1:
                    bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
                default: bytes[start] = UInt8.random(in: 0...255, using: &random)
                }
                if bytes.isEmpty { break }
            }
            let reading = SwiftSource.read([SwiftSource.File(name: "F.swift", bytes: bytes)])
            #expect(!(reading.schemas.isEmpty && reading.faults.isEmpty))
            for schema in reading.schemas { #expect(!schema.name.isEmpty) }
        }
        for _ in 0..<300 {
            let pieces = [
                "struct A: ActivityAttributes {", "}", "(", "<", "[", "var a:", "case", "=", "\"", "#", "/*", "@", "`",
                "?", ",", "enum", "\n",
            ]
            let text = (0..<40).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined(
                separator: " ")
            let reading = SwiftSource.read([SwiftSource.File(name: "F.swift", bytes: Array(text.utf8))])
            #expect(!(reading.schemas.isEmpty && reading.faults.isEmpty), "\(text)")
        }
    }
}
