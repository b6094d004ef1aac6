import CarillonClient
import Codes
import Loops
import Messaging
import Testing
import Wire

func event(_ number: Int, name: String = "match/1", revision: Int64? = nil) throws -> Publish {
    let target = try #require(Target(app: "cricket", kind: .channel, name: name))
    let id = try #require(EventID("e\(number)"))
    return Publish(target: target, id: id, payload: Array("{}".utf8), revision: revision)
}

func settings(_ nodes: String...) -> ProducerSettings {
    var settings = ProducerSettings(nodes: nodes.map { ProducerSettings.Node($0) }, name: "tests")
    settings.answerMilliseconds = 8000
    settings.resendMilliseconds = 400
    settings.connectMilliseconds = 1000
    return settings
}

/// The code of what is thrown; nil when nothing is.
func code(_ body: () async throws(Refusal) -> Void) async -> Code? {
    do throws(Refusal) {
        try await body()
        return nil
    } catch {
        return error.fault.code
    }
}

/// Waits for at most ten seconds until `condition` holds.
func wait(until condition: () -> Bool) -> Bool {
    let deadline = Clock.bootMilliseconds() + 10_000
    let poll = SocketPoll()
    while !condition() {
        guard Clock.bootMilliseconds() < deadline else { return false }
        poll.wait(milliseconds: 5)
    }
    return true
}
