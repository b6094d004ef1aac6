import Codes
import HTTP2
import Loops
import Testing

@testable import APNs

@Suite struct ResolverTests {
    private let first = APNsEndpoint(host: "first.test", port: 443)
    private let second = APNsEndpoint(host: "second.test", port: 443)

    /// A look-up that takes longer than anybody waits must not be followed by another one for each who has given up.
    @Test func anAnswerGoesToAllWhoWaitForIt() async throws {
        let asked = Lock<[String]>([])
        let mayAnswer = Wakeup()
        let resolver = Resolver { endpoint in
            asked.withLock { $0.append(endpoint.host) }
            if asked.withLock({ $0.count }) == 1 {
                let poller = Poller()
                poller.add(mayAnswer.descriptor, tag: 0)
                poller.wait(milliseconds: 10_000) { _ in }
            }
            do throws(Fault) {
                return .success(try SocketAddress.resolve(host: "127.0.0.1", port: endpoint.port))
            } catch {
                return .failure(error)
            }
        }
        let answered = AsyncStream<String>.makeStream()
        func ask(_ endpoint: APNsEndpoint, _ name: String) {
            #expect(resolver.resolve(endpoint) { _ in answered.continuation.yield(name) })
        }
        resolver.start()
        ask(first, "one")
        ask(second, "two")
        ask(first, "three")
        ask(first, "four")
        mayAnswer.signal()
        var names: [String] = []
        for await name in answered.stream {
            names.append(name)
            if names.count == 4 { break }
        }
        resolver.stop()
        #expect(names == ["one", "three", "four", "two"])
        #expect(asked.withLock { $0 } == ["first.test", "second.test"])
    }
}
