import Codes
import Testing
import Wire

@Suite struct FaultTests {
    private func fault(_ header: String, _ payload: String? = nil, tag: String = "CRL1") -> WireFault? {
        var frames = [Array(tag.utf8), Array(header.utf8)]
        if let payload { frames.append(Array(payload.utf8)) }
        guard case .failure(let fault) = ProducerMessage.decode(frames) else { return nil }
        return fault
    }

    @Test func framesMustBeTwoOrThreeAndTheFirstTheVersion() {
        #expect(ProducerMessage.decode([]) == .failure(WireFault(.malformed, "no frames")))
        #expect(fault("{}", tag: "")?.code == .malformed)
        #expect(fault("{}", tag: "HTTP")?.code == .malformed)
        #expect(fault("{}", tag: "CRL12345678")?.code == .malformed)
        for tag in ["CRL2", "CRL9", "CRL10"] { #expect(fault("{}", tag: tag)?.code == .unsupportedVersion) }
        let tagOnly = ProducerMessage.decode([ProducerProtocol.tag])
        #expect(tagOnly == .failure(WireFault(.malformed, "1 frames")))
        let four = [ProducerProtocol.tag, Array(#"{"command":"ping","seq":1}"#.utf8), [], []]
        #expect(ProducerMessage.decode(four) == .failure(WireFault(.malformed, "4 frames")))
    }

    @Test func headersMustBeJSONObjectsWithACommand() {
        for header in ["", "x", "[]", "1", "null", #"{"command":"ping""#, #"{"command":"ping","command":"bye"}"#] {
            #expect(fault(header)?.code == .malformed, "\(header)")
        }
        #expect(fault("{}")?.field == "command")
        #expect(fault(#"{"command":7}"#)?.code == .badField)
        #expect(fault(#"{"command":"\u0000"}"#)?.code == .badField)
        let long = "{\"command\":\"ping\",\"seq\":1,\"x\":\"" + String(repeating: "x", count: 4096) + "\"}"
        #expect(fault(long)?.code == .malformed)
    }

    @Test func unknownCommandsKeepTheirNumber() {
        let unknown = fault(#"{"command":"dance","seq":17}"#)
        #expect(unknown?.code == .unknownCommand && unknown?.sequence == 17)
        #expect(fault(#"{"command":"dance","seq":-1}"#)?.sequence == nil)
    }

    @Test(arguments: [
        (#""app":"a","channel":"c","id":"i""#, "seq"), (#""seq":1.0,"app":"a","channel":"c","id":"i""#, "seq"),
        (#""seq":"1","app":"a","channel":"c","id":"i""#, "seq"),
        (#""seq":9007199254740992,"app":"a","channel":"c","id":"i""#, "seq"),
        (#""seq":99999999999999999999,"app":"a","channel":"c","id":"i""#, "seq"),
        (#""seq":1,"channel":"c","id":"i""#, "app"), (#""seq":1,"app":"","channel":"c","id":"i""#, "app"),
        (#""seq":1,"app":null,"channel":"c","id":"i""#, "app"), (#""seq":1,"app":"a","id":"i""#, "channel"),
        (#""seq":1,"app":"a","channel":"c","activity":"b","instance":1,"id":"i""#, "instance"),
        (#""seq":1,"app":"a","channel":"c\n","id":"i""#, "channel"), (#""seq":1,"app":"a","channel":"c""#, "id"),
        (#""seq":1,"app":"a","channel":"c","instance":0,"id":"i""#, "instance"),
        (#""seq":1,"app":"a","channel":"c","instance":4294967296,"id":"i""#, "instance"),
        (#""seq":1,"app":"a","channel":"c","id":"i","event":"stop""#, "event"),
        (#""seq":1,"app":"a","channel":"c","id":"i","important":1"#, "important"),
        (#""seq":1,"app":"a","channel":"c","id":"i","priority":7"#, "priority"),
        (#""seq":1,"app":"a","channel":"c","id":"i","revision":9223372036854775808"#, "revision"),
        (#""seq":1,"app":"a","channel":"c","id":"i","expires_at_ms":-1"#, "expires_at_ms"),
        (#""seq":1,"app":"a","channel":"c","id":"i","not_before_ms":1e3"#, "not_before_ms"),
    ])
    func badMembersAreNamed(members: String, field: String) {
        let fault = fault(#"{"command":"publish","# + members + "}", "{}")
        #expect(fault?.code == .badField)
        #expect(fault?.field == field)
    }

    @Test func publishNeedsItsPayloadWithinBounds() {
        let header = #"{"command":"publish","seq":4,"app":"a","channel":"c","id":"i"}"#
        #expect(fault(header)?.code == .malformed)
        #expect(fault(header)?.sequence == 4)
        #expect(fault(header, String(repeating: "x", count: 32_769))?.code == .tooLarge)
        #expect(fault(header, "") == nil)
    }

    @Test func registrationsAreForActivitiesAndTokensHexadecimal() {
        let start = #"{"command":"register","seq":1,"app":"a","#
        #expect(fault(start + #""channel":"c","token":"ab"}"#)?.field == "channel")
        #expect(fault(start + #""activity":"c","token":"xy"}"#)?.field == "token")
        #expect(fault(start + #""activity":"c","token":"ab","kind":"voip"}"#)?.field == "kind")
        #expect(fault(start + #""activity":"c","token":"ab","kind":"start"}"#)?.field == "device")
        #expect(fault(start + #""activity":"c","token":"ab","reason":"bored"}"#)?.field == "reason")
        #expect(fault(start + #""token":"ab"}"#)?.field == "channel")
    }

    @Test func membersInAnyOrderEscapedOrUnknownAreFine() throws {
        let header =
            #"{"id":"i","x":{"y":[1,{"z":null}]},"channel":"c","s\u0065q":2,"app":"\u0061","command":"publish"}"#
        let frames = [ProducerProtocol.tag, Array(header.utf8), Array("{}".utf8)]
        let target = try #require(Target(app: "a", kind: .channel, name: "c"))
        let expected = Publish(sequence: 2, target: target, id: try Samples.id("i"), payload: Array("{}".utf8))
        #expect(ProducerMessage.decode(frames) == .success(.publish(expected)))
    }

    @Test func documentsAreAskedForByName() throws {
        let start = #"{"command":"node-status","seq":1"#
        #expect(fault(start + #","what":"weather"}"#)?.field == "what")
        #expect(fault(start + #","what":"trace"}"#)?.field == "id")
        #expect(fault(start + #","what":"shards","app":"a"}"#)?.field == "channel")
        let frames = [ProducerProtocol.tag, Array((start + #","what":"shards","channel":"c"}"#).utf8)]
        #expect(
            ProducerMessage.decode(frames) == .success(.nodeStatus(DocumentQuery(sequence: 1, .shards(of: nil)))))
        let plain = [ProducerProtocol.tag, Array((start + #","what":"status"}"#).utf8)]
        #expect(ProducerMessage.decode(plain) == .success(.nodeStatus(DocumentQuery(sequence: 1))))
    }

    @Test func aLossIsAcceptedInSoManyWords() {
        let start = #"{"command":"shard-recover","seq":1"#
        #expect(fault(start + "}")?.field == "accept_loss")
        #expect(fault(start + #","accept_loss":false}"#)?.field == "accept_loss")
        #expect(fault(start + #","shard":4097,"accept_loss":true}"#)?.field == "shard")
        #expect(fault(start + #","shard":-1,"accept_loss":true}"#)?.field == "shard")
        #expect(fault(start + #","shard":"all","accept_loss":true}"#)?.field == "shard")
    }

    @Test func onlyStatusOfTheNodeAndLossesNeedAnAdmin() throws {
        for sample in try Samples.producer() {
            let isAdmins = ["node-status", "shard-recover"].contains { sample.name.hasPrefix($0) }
            #expect(sample.message.needsAdmin == isAdmins)
        }
    }

    @Test func refusalsCarryTheTableAndTheParticulars() throws {
        let nack = Nack(WireFault(.badField, "missing", field: "id", sequence: 9))
        #expect(nack.code == "CRL-P112" && nack.slug == "bad-field" && nack.field == "id" && nack.sequence == 9)
        #expect(nack.text.hasPrefix("missing. ") && nack.known == .badField)
        #expect(nack.fault.code == .badField && nack.fault.place == "id")
        let many = Nack(
            .lintFailed, sequence: 1,
            findings: Array(
                repeating: WireFinding(rule: "r", severity: .info, path: "", line: 0, column: 0), count: 50))
        #expect(many.findings.count == ProducerProtocol.findingsMax)
    }
}
