import CLinux
import Codes
import LiveActivity
import Testing

@testable import Terminal

@Suite struct OutputTests {
    @Test(
        arguments: [
            (true, [:], false, true), (false, [:], false, false), (true, ["NO_COLOR": "1"], false, false),
            (true, ["NO_COLOR": ""], false, true), (true, ["TERM": "dumb"], false, false), (true, [:], true, false),
        ] as [(Bool, [String: String], Bool, Bool)])
    func colourPolicy(terminal: Bool, environment: [String: String], noColour: Bool, isOn: Bool) {
        #expect(ColourPolicy.isOn(terminal: terminal, environment: environment, noColour: noColour) == isOn)
    }

    @Test func jsonKeepsItsOrder() {
        let value: JSONValue = [
            "b": 1, "a": [true, nil, 0.5, "x\"y"], "empty": [:], "none": [], "odd": .decimal(.infinity),
        ]
        #expect(value.line == #"{"b":1,"a":[true,null,0.5,"x\"y"],"empty":{},"none":[],"odd":null}"#)
        #expect(
            (["a": [1, ["b": "c"]], "d": []] as JSONValue).pretty == """
                {
                  "a": [
                    1,
                    {
                      "b": "c"
                    }
                  ],
                  "d": []
                }
                """)
    }

    @Test func humanisedNumbers() {
        #expect(Humanised.count(0) == "0")
        #expect(Humanised.count(-1_234_567) == "-1,234,567")
        #expect(Humanised.count(UInt64.max) == "18,446,744,073,709,551,615")
        #expect(Humanised.bytes(1023) == "1023 B")
        #expect(Humanised.bytes(4096) == "4.0 KiB")
        #expect(Humanised.bytes(.max) == "8388608.0 TiB")
        #expect(Humanised.rate(12.34) == "12.3/s")
        #expect(Humanised.rate(12_345.6) == "12,346/s")
        #expect(Humanised.rate(.nan) == "-")
        #expect(Humanised.fixed(-0.04, 1) == "0.0")
        #expect(Humanised.fixed(2.5, 0) == "3")
    }

    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (12_345, "12.3 µs"), (999_999, "1000 µs"), (4_560_000, "4.56 ms"),
            (1_230_000_000, "1.23 s"), (125_000_000_000, "2m 05s"), (11_520_000_000_000, "3h 12m"),
            (187_200_000_000_000, "2d 4h"), (-1_500, "-1.50 µs"),
        ] as [(Int64, String)])
    func durations(nanoseconds: Int64, text: String) {
        #expect(Humanised.duration(nanoseconds: nanoseconds) == text)
    }

    @Test func extremeDurationsDoNotTrap() {
        #expect(Humanised.duration(nanoseconds: .min).hasPrefix("-"))
        #expect(Humanised.duration(milliseconds: .max).hasSuffix("h"))
    }

    @Test func dataAndTalkGoToDifferentStreams() throws {
        var (data, talk): ([Int32], [Int32]) = ([0, 0], [0, 0])
        try #require(pipe(&data) == 0 && pipe(&talk) == 0)
        let console = Console(format: .json, environment: [:], output: data[1], diagnostics: talk[1])
        console.show(Table([.text("NAME")]), json: ["name": "n1"])
        console.say("working")
        #expect(console.fail(Fault(.noSuchCommand, "unknown command 'a\u{1B}'")) == .usage)
        close(data[1])
        close(talk[1])
        let (output, diagnostics) = (text(data[0]), text(talk[0]))
        #expect(output == "{\n  \"name\": \"n1\"\n}\n")
        #expect(
            diagnostics
                == "working\nerror: unknown command 'a?' (CRL-U100 no-such-command). See carillon --help.\n")
        #expect(!console.isTerminal)
    }

    private func text(_ descriptor: Int32) -> String {
        defer { close(descriptor) }
        let bytes = try? Descriptor.readAll(descriptor, bytesMax: 10_000, name: "pipe").get()
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
