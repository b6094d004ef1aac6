import Codes
import Testing

@testable import Terminal

@Suite struct ParseTests {
    @Test func theSampleIsSound() {
        #expect(sample.problems() == [])
        #expect(sample.variables == ["CARILLON_CONFIG", "CARILLON_OUTPUT", "CARILLON_NO_COLOR", "CARILLON_LIMIT"])
    }

    @Test(arguments: [
        ["channel", "create", "cricket", "match/1", "--storage", "none"],
        ["channel", "create", "--storage=none", "cricket", "match/1"],
        ["channel", "create", "cricket", "--storage", "none", "--", "match/1"],
    ])
    func optionsStandAnywhere(arguments: [String]) throws {
        let invocation = try invoke(arguments)
        #expect(invocation.command == "channel create")
        #expect(invocation.text("storage") == "none")
        #expect(invocation.argument("APP") == "cricket")
        #expect(invocation.argument("NAME") == "match/1")
    }

    @Test func globalsStandBeforeTheCommand() throws {
        let invocation = try invoke(["-o", "json", "--config=x.toml", "channel", "list"])
        #expect(invocation.text("output") == "json")
        #expect(invocation.text("config") == "x.toml")
        #expect(invocation.argument("APP") == nil)
    }

    @Test(arguments: [["-n", "7"], ["-n7"], ["-n=7"], ["--limit", "7"], ["--limit=7"]])
    func everySpellingOfAValue(spelling: [String]) throws {
        #expect(try invoke(["channel", "list"] + spelling).integer("limit") == 7)
    }

    @Test func lettersOfFlagsCanBeJoined() throws {
        let invocation = try invoke(["publish", "--app", "a", "-iq", "x"])
        #expect(invocation.flag("important") && invocation.flag("quiet"))
        #expect(try !invoke(["publish", "--app", "a", "--important=false", "x"]).flag("important"))
    }

    @Test func optionWinsOverVariableOverDefault() throws {
        let environment = ["CARILLON_CONFIG": "env.toml", "CARILLON_LIMIT": "9"]
        let first = try invoke(["channel", "list", "-c", "flag.toml"], environment)
        #expect(first.text("config") == "flag.toml")
        #expect(first.origin("config") == .commandLine)
        #expect(first.integer("limit") == 9)
        #expect(first.origin("limit") == .environment)
        let second = try invoke(["channel", "list"], ["CARILLON_CONFIG": ""])
        #expect(second.text("config") == "cluster.toml")
        #expect(second.origin("config") == .fallback)
        #expect(second.text("limit") == nil)
        #expect(second.origin("limit") == .absent)
    }

    @Test func repeatedOptionsAndArguments() throws {
        let invocation = try invoke(["publish", "a", "--app=x", "--tag", "1", "b", "--tag", "2", "-", "--", "--c"])
        #expect(invocation.all("tag") == ["1", "2"])
        #expect(invocation.arguments("FILE") == ["a", "b", "-", "--c"])
    }

    @Test func aNegativeNumberIsAnArgument() throws {
        #expect(try invoke(["publish", "--app", "x", "-5"]).arguments("FILE") == ["-5"])
        #expect(fault(["channel", "list", "-n", "-5"])?.code == .badOptionValue)
    }

    @Test(arguments: [
        (["chanel"], Code.noSuchCommand, "unknown command 'chanel'; did you mean 'channel'?"),
        (["channel", "lst"], .noSuchCommand, "unknown command 'channel lst'; did you mean 'list'?"),
        (["channel", "zzzzz"], .noSuchCommand, "unknown command 'channel zzzzz'; 'channel' has create, list"),
        (["channel"], .incompleteCommand, "'channel' needs one of create, list"),
        (["-o", "json"], .incompleteCommand, "a command is missing; the first word is one of channel, publish"),
        (
            ["channel", "list", "--limt", "3"], .noSuchOption,
            "unknown option --limt of 'channel list'; did you mean '--limit'?"
        ),
        (["channel", "list", "-z"], .noSuchOption, "unknown option -z of 'channel list'"),
        (["--limit", "3", "channel", "list"], .noSuchOption, "--limit belongs behind its command"),
        (["channel", "list", "-n"], .optionValueMissing, "-n needs NUMBER"),
        (["channel", "list", "-n", "--no-color"], .optionValueMissing, "-n needs NUMBER"),
        (["channel", "list", "-n", "0"], .badOptionValue, "'0' is not a whole number from 1 to 100"),
        (["channel", "list", "-n", "7", "-n", "8"], .badOptionValue, "--limit is given twice"),
        (
            ["channel", "list", "-o", "jsn"], .badOptionValue,
            "'jsn' is not one of table, json, wide; did you mean 'json'?"
        ),
        (["channel", "list", "a", "b"], .tooManyArguments, "'channel list' does not take 'b'"),
        (["channel", "create", "a"], .argumentMissing, "'channel create' needs NAME: the name of the event"),
        (["publish", "--app", "a"], .argumentMissing, "'publish' needs FILE: payloads; - is standard input"),
        (["publish", "x"], .argumentMissing, "--app APP is missing"),
        (
            ["channel", "create", "a", "b", "--timeout", "5"], .badOptionValue,
            "'5' is not a time with its unit, like 250ms, 5s, 2m or 1h"
        ),
        (["a\u{1B}[2J"], .noSuchCommand, "unknown command 'a?[2J'"),
    ])
    func mistakesAreNamed(arguments: [String], code: Code, detail: String) {
        let found = fault(arguments)
        #expect(found?.code == code)
        #expect(found?.detail == detail)
        #expect(found?.code.exit == .usage)
    }

    @Test func aBadVariableIsNamed() {
        let found = fault(["channel", "list"], ["CARILLON_LIMIT": "many"])
        #expect(found?.code == .badOptionValue)
        #expect(found?.place == "environment variable CARILLON_LIMIT")
    }

    @Test(
        arguments: [
            ("250ms", 250), ("5s", 5000), ("2m", 120_000), ("1h", 3_600_000), ("5", nil), ("-1s", nil), ("s", nil),
            ("1.5s", nil), ("9223372036854775807h", nil), ("", nil),
        ] as [(String, Int64?)])
    func durations(text: String, milliseconds: Int64?) {
        #expect(DurationText.milliseconds(text) == milliseconds)
    }

    @Test func anythingAtAllIsUnderstoodOrRefused() {
        var random = SplitMix64(state: 3)
        let tokens = [
            "channel", "list", "create", "publish", "-", "--", "-n", "--limit", "--limit=", "7", "-o", "json", "", "-",
            "--app", "=", "--=x", "-=", "help", "-\u{301}", "é", "--config", "-iq", "-i7",
        ]
        for _ in 0..<3000 {
            let count = Int(random.next() % 7)
            let arguments = (0..<count).map { _ in tokens[Int(random.next() % UInt64(tokens.count))] }
            if case .failure(let fault) = sample.parse(arguments, environment: [:]) {
                #expect(fault.code.exit == .usage)
            }
        }
    }
}

struct SplitMix64 {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
