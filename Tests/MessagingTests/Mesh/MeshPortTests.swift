import Codes
import Foundation
import Loops
import Messaging
import Testing

@Suite struct MeshPortTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func pair() throws -> (MeshNode, MeshNode) {
        let nodes = (
            try MeshNode("n1", directory: directory.path), try MeshNode("n2", directory: directory.path)
        )
        try nodes.0.meet(nodes.1)
        try nodes.1.meet(nodes.0)
        return nodes
    }

    /// Sends until the peer is there.
    private func reach(_ from: MeshNode, _ to: MeshNode, _ text: String = "hello") -> Bool {
        wait(from, to) { from.port.sendControl(bytes(text), to: to.name) == .sent }
            && wait(from, to) { to.control.contains { $0.bytes == bytes(text) } }
    }

    /// The node n2 in its next generation on the same ports, once libzmq has let go of them.
    private func restarted(_ certificate: Certificate, _ control: String, _ data: String) throws -> MeshNode {
        var node: MeshNode?
        _ = wait {
            node = try? MeshNode(
                "n2", directory: directory.path, certificate: certificate, identity: "2", control: control, data: data)
            return node != nil
        }
        return try #require(node)
    }

    @Test func bothPlanesCarryMessagesUnderTheSendersName() throws {
        let (one, two) = try pair()
        #expect(reach(one, two) && reach(two, one))
        #expect(two.control.last?.name == "n1" && one.control.last?.name == "n2")
        #expect(wait(one, two) { one.port.sendData(bytes("bulk"), to: "n2") == .sent })
        #expect(wait(one, two) { two.data.last?.bytes == bytes("bulk") && two.data.last?.name == "n1" })
        #expect(one.port.isReachable("n2", .control) && one.port.isReachable("n2", .data))
        #expect(two.port.statistics(.data).received == 1 && two.port.statistics(.data).receivedBytes == 4)
        #expect(one.port.statistics(.data).sent == 1 && one.port.statistics(.control).dialled == 1)
        #expect(wait { one.port.dataBytesInFlight(to: "n2") == 0 })
    }

    @Test func withoutCertificatesAnybodyMayTalk() throws {
        let (one, two) = (try MeshNode("n1", directory: nil), try MeshNode("n2", directory: nil))
        try one.meet(two)
        #expect(reach(one, two))
        #expect(two.control.last?.name.isEmpty == true)
    }

    @Test func nothingWaitsForAPeerThatIsAbsent() throws {
        let one = try MeshNode("n1", directory: directory.path)
        let two = try MeshNode("n2", directory: directory.path)
        let (control, data) = (two.port.endpoint(.control), two.port.endpoint(.data))
        try one.meet(two)
        two.port.close()
        _ = wait(one) { !one.port.isReachable("n2", .control) }
        for _ in 0..<20 {
            #expect(one.port.sendControl(bytes("lost"), to: "n2") == .unreachable)
            #expect(one.port.sendData(bytes("lost"), to: "n2") == .unreachable)
        }
        #expect(one.port.sendControl(bytes("lost"), to: "n3") == .unknown)
        #expect(one.port.statistics(.control).sendsUnreachable == 20)
        #expect(one.port.statistics(.control).sendsUnknown == 1)
        let again = try restarted(two.certificate, control, data)
        #expect(reach(one, again))
        #expect(!again.control.contains { $0.bytes == bytes("lost") } && again.data.isEmpty)
    }

    @Test func aNodeThatStartsAgainOnTheSamePortIsFoundAgain() throws {
        let one = try MeshNode("n1", directory: directory.path)
        var two: MeshNode? = try MeshNode("n2", directory: directory.path)
        let certificate = try #require(two?.certificate)
        let (control, data) = (try #require(two?.port.endpoint(.control)), try #require(two?.port.endpoint(.data)))
        try one.meet(try #require(two))
        #expect(reach(one, try #require(two)))
        two = nil
        let again = try restarted(certificate, control, data)
        try again.meet(one)
        #expect(reach(one, again, "again") && reach(again, one, "back"))
        #expect(one.port.statistics(.control).dialled == 1)
    }

    @Test func aNewAddressMakesANewConnection() throws {
        let (one, two) = try pair()
        #expect(reach(one, two))
        let moved = try MeshNode("n2", directory: directory.path, certificate: two.certificate, identity: "2")
        try one.meet(moved)
        #expect(reach(one, moved, "there"))
        try one.meet(moved)
        #expect(one.port.statistics(.control).dialled == 2)
        one.port.disconnect("n2")
        #expect(one.port.sendControl(bytes("x"), to: "n2") == .unknown)
    }

    @Test func namesAreResolvedAwayFromTheSockets() throws {
        let one = try MeshNode("n1", directory: directory.path)
        let two = try MeshNode("n2", directory: directory.path)
        try one.list?.reload()
        try two.list?.reload()
        let ports = [two.port.endpoint(.control), two.port.endpoint(.data)].map {
            String($0.split(separator: ":").last ?? "")
        }
        try one.port.connect(
            "n2", control: "tcp://localhost:\(ports[0])", data: "tcp://nowhere.invalid:\(ports[1])",
            now: Clock.bootMilliseconds())
        #expect(reach(one, two))
        #expect(wait(one) { one.port.statistics(.data).resolvesFailed > 0 })
        #expect(one.port.sendData(bytes("x"), to: "n2") == .unreachable)
    }

    @Test(arguments: [
        "inproc://zeromq.zap.01", "ipc:///run/x", "tcp://:1", "tcp://host", "tcp://h:0", "tcp://h:70000", "",
        "tcp://0.0.0.0:1", "tcp://0:1", "tcp://[::]:1", "tcp://*:1",
        "tcp://a;b:1",
    ])
    func onlyTCPIsFollowed(endpoint: String) throws {
        let one = try MeshNode("n1", directory: nil)
        #expect(throws: Fault.self) {
            try one.port.connect("n2", control: endpoint, data: nil, now: Clock.bootMilliseconds())
        }
        one.turn()
        #expect(one.port.sendControl(bytes("x"), to: "n2") == .unknown)
    }

    @Test func whatIsTooLongOrHasTwoFramesIsKeptOut() throws {
        let one = try MeshNode("n1", directory: nil)
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        let stranger = try Socket(.dealer, context: one.context, options: options)
        try stranger.connect(one.port.endpoint(.data))
        #expect(wait { stranger.send([bytes("a"), bytes("b")]) == .sent })
        #expect(wait(one) { one.port.statistics(.data).tooManyFrames == 1 })
        #expect(stranger.send([[UInt8](repeating: 1, count: Int(MeshPort.frameBytesMax) + 1)]) == .sent)
        #expect(wait(one) { one.port.statistics(.data).disconnected == 1 })
        #expect(one.data.isEmpty)
    }
}
