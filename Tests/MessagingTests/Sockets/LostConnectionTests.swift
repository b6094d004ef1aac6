import Messaging
import Testing

/// A connection may be lost while a message is being received.
@Suite struct LostConnectionTests {
    /// libzmq looks for news of its connections with every hundredth frame that is received in a row: with messages of
    /// two frames that is between the frames of the fiftieth.
    @Test func aLossBetweenTwoFramesHarmsNobody() throws {
        let context = MessagingContext()
        var options = SocketOptions()
        let router = try Socket(.router, context: context, options: options)
        let endpoint = try router.bind("tcp://127.0.0.1:*")
        options.lingerMilliseconds = 0
        let dealer = try Socket(.dealer, context: context, options: options)
        let monitor = try SocketMonitor(dealer, context: context)
        try dealer.connect(endpoint)
        #expect(wait { dealer.send([bytes("hello")]) == .sent })
        var buffer = Multipart()
        #expect(wait { router.receive(into: &buffer) == .received })
        for _ in 0..<200 { #expect(router.send([bytes("tag"), bytes("header")], to: buffer.identity) == .sent) }
        let poll = SocketPoll()
        _ = poll.add(dealer)
        #expect(wait { poll.wait(milliseconds: 10) })
        router.close()
        #expect(
            wait {
                while let event = monitor.next() { if event == .disconnected { return true } }
                return false
            })
        var received = 0
        while dealer.receive(into: &buffer) == .received {
            #expect(buffer.frames == [bytes("tag"), bytes("header")])
            received += 1
        }
        #expect(received == 200)
    }
}
