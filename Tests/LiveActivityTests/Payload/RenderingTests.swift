import LiveActivity
import Testing

@Suite struct RenderingTests {
    private static let now: Int64 = 1_790_000_000

    private func layout(_ payload: String) throws -> PayloadLayout {
        let report = PayloadInspector().inspect(
            Array(payload.utf8).span, as: .device, nowMilliseconds: Self.now * 1000)
        return try #require(report.layout, "\(report.findings)")
    }

    private func render(_ payload: String, quiet: Bool = false, stamp: Int64 = now) throws -> String {
        var output: [UInt8] = []
        let done = try layout(payload).render(
            Array(payload.utf8).span, stampSeconds: stamp, quiet: quiet, into: &output)
        #expect(done)
        #expect(
            try layout(payload).renderedBytes(payloadBytes: payload.utf8.count, stampSeconds: stamp, quiet: quiet)
                == output.count)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func replacesTheProducersStamp() throws {
        #expect(
            try render(#"{"aps":{"timestamp":1,"event":"end"},"x":1.50}"#)
                == #"{"aps":{"timestamp":1790000000,"event":"end"},"x":1.50}"#)
        #expect(
            try render(#"{"aps" : { "event":"end" , "\u0074imestamp" : 1.5e3 } }"#, stamp: 0)
                == #"{"aps" : { "event":"end" , "\u0074imestamp" : 0 } }"#)
    }

    @Test func insertsAStamp() throws {
        #expect(try render(#"{"aps":{"event":"end"}}"#) == #"{"aps":{"timestamp":1790000000,"event":"end"}}"#)
        #expect(
            try render(#"{"a":{"timestamp":5},"aps":{ "event":"end"}}"#)
                == #"{"a":{"timestamp":5},"aps":{"timestamp":1790000000, "event":"end"}}"#)
    }

    @Test(arguments: [
        (#"{"aps":{"alert":{"title":"t"},"timestamp":1,"event":"end"}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
        (#"{"aps":{"timestamp":1,"event":"end","alert":{"title":"t"}}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
        (#"{"aps":{"timestamp":1,"alert":{"body":"}"},"event":"end"}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
        (#"{"aps":{"event":"end","alert":{"title":"t"},"timestamp":1}}"#, #"{"aps":{"event":"end","timestamp":7}}"#),
        (#"{"aps":{"event":"end","timestamp":1 , "alert" : {} } }"#, #"{"aps":{"event":"end","timestamp":7  } }"#),
        (#"{"aps":{"alert":{"title":"t"} ,"event":"end"}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
        (#"{"aps":{"event":"end","alert":{"title":"t"}}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
        (#"{"aps":{"timestamp":1,"event":"end"}}"#, #"{"aps":{"timestamp":7,"event":"end"}}"#),
    ])
    func quietLeavesOutTheAlertWithOneComma(payload: String, expected: String) throws {
        #expect(try render(payload, quiet: true, stamp: 7) == expected)
        let fault = JSONScanner.validate(Array(expected.utf8).span)
        #expect(fault == nil)
    }

    @Test func refusesALayoutThatDoesNotFit() {
        var output: [UInt8] = [1]
        let payload = Array("{}".utf8)
        let far = PayloadLayout(stampOffset: 3, stampLength: 1, stampInsertion: .replace)
        var done = far.render(payload.span, stampSeconds: 1, quiet: false, into: &output)
        #expect(!done)
        let alert = PayloadLayout(
            stampOffset: 0, stampLength: 0, stampInsertion: .replace, alertOffset: 2, alertLength: 60_000)
        done = alert.render(payload.span, stampSeconds: 1, quiet: true, into: &output)
        #expect(!done)
        let fits = PayloadLayout(stampOffset: 1, stampLength: 0, stampInsertion: .alone)
        done = fits.render(payload.span, stampSeconds: -1, quiet: false, into: &output)
        #expect(!done)
        #expect(output == [1])
        // Overlapping ranges from a damaged record: anything but a trap.
        for start in 0..<3 as Range<UInt16> {
            for length in 0..<(3 - start) {
                let odd = PayloadLayout(
                    stampOffset: 0, stampLength: 2, stampInsertion: .replace, alertOffset: start, alertLength: length)
                _ = odd.render(payload.span, stampSeconds: 1, quiet: true, into: &output)
            }
        }
    }

    private static func blank(_ random: inout SplitMix64) -> String {
        ["", "", " ", "\n  ", "\t"][random.below(5)]
    }

    private static func joined(_ members: [String], _ random: inout SplitMix64) -> String {
        var members = members
        for index in members.indices { members.swapAt(index, random.below(members.count)) }
        return "{" + members.map { blank(&random) + $0 + blank(&random) }.joined(separator: ",") + "}"
    }

    /// Payloads with members in random order, spelling and spacing.
    private func randomPayload(_ random: inout SplitMix64) -> (text: String, hasStamp: Bool, hasAlert: Bool) {
        let hasStamp = random.below(2) == 0
        let hasAlert = random.below(2) == 0
        var members = [
            #""event":"update""#, #""content-state":{"b":1e2,"a":75.50,"\u00e9":"\/ ⚽️\ud83c\uddfb\ud83c\uddf3"}"#,
        ]
        if hasStamp { members.append("\"timestamp\":\(Self.blank(&random))\(random.below(99_999))") }
        if hasAlert { members.append(#""alert":{"title":"}{,","body":{"loc-key":"k","loc-args":["a","b"]}}"#) }
        if random.below(2) == 0 { members.append(#""relevance-score":1.0E+2"#) }
        let aps = "\"aps\":" + Self.joined(members, &random)
        return (Self.joined([aps, #""timestamp2":[1]"#, #""own":{"timestamp":9}"#], &random), hasStamp, hasAlert)
    }

    @Test func everyOtherByteSurvives() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            let (payload, hasStamp, hasAlert) = randomPayload(&random)
            let layout = try layout(payload)
            #expect(layout.hasAlert == hasAlert)
            let loud = try render(payload, stamp: 1_234_567_890)
            let again = PayloadInspector(requireTimestamp: true).inspect(
                Array(loud.utf8).span, as: .device, nowMilliseconds: Self.now * 1000)
            #expect(again.producerTimestampSeconds == 1_234_567_890)
            #expect(again.isAcceptable && again.event == .update)
            // Taking the splice out again gives the producer's bytes.
            var bytes = Array(loud.utf8)
            let spliced = bytes.count - payload.utf8.count + Int(layout.stampLength)
            let start = Int(layout.stampOffset)
            let original = Array(payload.utf8)[start..<start + Int(layout.stampLength)]
            bytes.replaceSubrange(start..<start + spliced, with: original)
            #expect(bytes == Array(payload.utf8))
            #expect(hasStamp == (layout.stampInsertion == .replace))
            let quiet = try render(payload, quiet: true, stamp: 1_234_567_890)
            let hushed = PayloadInspector(requireTimestamp: true).inspect(
                Array(quiet.utf8).span, as: .device, nowMilliseconds: Self.now * 1000)
            #expect(hushed.isAcceptable && hushed.layout?.hasAlert == false)
            #expect(hushed.producerTimestampSeconds == 1_234_567_890)
        }
    }
}
