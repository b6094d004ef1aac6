import Codes
import Messaging
import Testing

@Suite struct SocketTests {
    private func pair(
        _ context: MessagingContext, _ change: (inout SocketOptions) -> Void = { _ in }
    ) throws -> (router: Socket, dealer: Socket) {
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        change(&options)
        let router = try Socket(.router, context: context, options: options)
        let endpoint = try router.bind("tcp://127.0.0.1:*")
        let dealer = try Socket(.dealer, context: context, options: options)
        try dealer.connect(endpoint)
        #expect(wait { dealer.send([bytes("hello")]) == .sent })
        return (router, dealer)
    }

    @Test func messagesGoThereAndBackWhole() throws {
        let (router, dealer) = try pair(MessagingContext())
        var buffer = Multipart(wantsAddress: true)
        #expect(wait { router.receive(into: &buffer) == .received })
        #expect(buffer.frames == [bytes("hello")] && buffer.userID.isEmpty)
        #expect(buffer.peerAddress == "::ffff:127.0.0.1")
        let large = [UInt8](repeating: 7, count: 60_000)
        #expect(router.send([bytes("a"), [], large], to: buffer.identity) == .sent)
        #expect(receive(dealer) == [bytes("a"), [], large])
    }

    @Test func keptFramesSurviveTheNextReceive() throws {
        let (router, dealer) = try pair(MessagingContext())
        _ = receive(router)
        #expect(dealer.send([bytes("tag"), bytes("one"), bytes("first payload, quite long")]) == .sent)
        let first = receive(router)
        #expect(dealer.send([bytes("tag"), bytes("two"), bytes("other payload, quite long")]) == .sent)
        #expect(receive(router) == [bytes("tag"), bytes("two"), bytes("other payload, quite long")])
        #expect(first == [bytes("tag"), bytes("one"), bytes("first payload, quite long")])
    }

    @Test func tooManyFramesAreDroppedToTheirEnd() throws {
        let (router, dealer) = try pair(MessagingContext())
        _ = receive(router)
        #expect(dealer.send([[UInt8]](repeating: [1], count: 500)) == .sent)
        #expect(dealer.send([bytes("next")]) == .sent)
        var buffer = Multipart()
        var result = Socket.ReceiveResult.empty
        #expect(
            wait {
                result = router.receive(into: &buffer)
                return result != .empty
            })
        #expect(result == .tooManyFrames && buffer.frames.count == 3)
        #expect(receive(router) == [bytes("next")])
    }

    @Test func sendingToNobodyIsSaid() throws {
        let context = MessagingContext()
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        let router = try Socket(.router, context: context, options: options)
        try router.bind("tcp://127.0.0.1:*")
        #expect(router.send([bytes("x")], to: bytes("nobody")) == .unreachable)
        let dealer = try Socket(.dealer, context: context, options: options)
        #expect(dealer.send([bytes("x")]) == .full)
        #expect(dealer.send([]) != .sent)
        dealer.close()
        dealer.close()
        #expect(dealer.send([bytes("x")]) != .sent)
        var buffer = Multipart()
        #expect(dealer.receive(into: &buffer) == .empty)
    }

    @Test func aFullPeerIsSaidAndOthersAreNotHeldUp() throws {
        let context = MessagingContext()
        let (router, dealer) = try pair(context) {
            $0.sendHighWater = 10
            $0.receiveHighWater = 10
        }
        var buffer = Multipart()
        #expect(wait { router.receive(into: &buffer) == .received })
        let slow = buffer.identity
        var result = Socket.SendResult.sent
        for _ in 0..<10_000 where result == .sent {
            result = router.send([[UInt8](repeating: 0, count: 50_000)], to: slow)
        }
        #expect(result == .full)
        #expect(dealer.send([bytes("still here")]) == .sent)
        #expect(receive(router) == [bytes("still here")])
    }

    @Test func aRestartedPeerWithItsOwnIdentityIsTakenOverOnlyWhenAllowed() throws {
        for handover in [true, false] {
            let context = MessagingContext()
            var options = SocketOptions()
            options.lingerMilliseconds = 0
            options.routerHandover = handover
            let router = try Socket(.router, context: context, options: options)
            let endpoint = try router.bind("tcp://127.0.0.1:*")
            options.routingID = bytes("n2")
            let first = try Socket(.dealer, context: context, options: options)
            try first.connect(endpoint)
            #expect(wait { first.send([bytes("first")]) == .sent })
            #expect(receive(router) == [bytes("first")])
            let second = try Socket(.dealer, context: context, options: options)
            try second.connect(endpoint)
            guard handover else { continue }
            #expect(wait { second.send([bytes("second")]) == .sent })
            #expect(receive(router) == [bytes("second")])
        }
    }

    @Test func endpointsThatCannotBeUsedAreFaults() throws {
        let context = MessagingContext()
        let socket = try Socket(.router, context: context)
        #expect(throws: Fault.self) { try socket.bind("tcp://999.1.1.1:1") }
        #expect(throws: Fault.self) { try socket.connect("nonsense") }
        let endpoint = try socket.bind("tcp://127.0.0.1:*")
        let other = try Socket(.router, context: context)
        #expect(throws: Fault.self) { try other.bind(endpoint) }
    }
}
