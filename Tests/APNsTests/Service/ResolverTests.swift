import Codes
import HTTP2
import Loops
import Testing

@testable import APNs

@Suite struct ResolverTests {
    private let first = APNsEndpoint(host: "first.test", port: 443)
    private let second = APNsEndpoint(host: "second.test", port: 443)

    /// Answers of a resolver in which the first look-up of `first.test` waits for `mayAnswer`.
    private final class Bench: Sendable {
        let mayAnswer = Wakeup()
        let asked = Lock<[String]>([])
        let names = AsyncStream<String>.makeStream()
        private let resolver = Lock<Resolver?>(nil)

        init() {
            resolver.withLock { $0 = Resolver { [self] in lookUp($0) } }
        }

        private func lookUp(_ endpoint: APNsEndpoint) -> Result<[SocketAddress], Fault> {
            let isFirst = asked.withLock { asked in
                asked.append(endpoint.host)
                return asked.count { $0 == "first.test" } == 1
            }
            if isFirst, endpoint.host == "first.test" {
                let poller = Poller()
                poller.add(mayAnswer.descriptor, tag: 0)
                poller.wait(milliseconds: 10_000) { _ in }
            }
            return Resolver.ask(APNsEndpoint(host: "127.0.0.1", port: endpoint.port))
        }

        func ask(_ endpoint: APNsEndpoint, _ name: String) -> Bool {
            let names = names.continuation
            return resolver.withLock { $0 }?.resolve(endpoint) { _ in names.yield(name) } ?? false
        }

        func next(_ count: Int) async -> [String] {
            var found: [String] = []
            for await name in names.stream {
                found.append(name)
                if found.count == count { break }
            }
            return found
        }

        func stop() { resolver.withLock { $0 }?.stop() }
    }

    /// A look-up that takes longer than anybody waits must not be followed by another one for each who has given up.
    @Test func anAnswerGoesToAllWhoWaitForIt() async {
        let bench = Bench()
        let areAsked = ["one", "two", "three"].map { bench.ask(first, $0) }
        #expect(areAsked == [true, true, true])
        bench.mayAnswer.signal()
        #expect(await bench.next(3) == ["one", "two", "three"])
        #expect(bench.asked.withLock { $0 } == ["first.test"])
        bench.stop()
        #expect(!bench.ask(first, "late"))
    }

    @Test func aHostOfWhichNothingIsHeardHoldsUpNoOther() async {
        let bench = Bench()
        let areAsked = [bench.ask(first, "first"), bench.ask(second, "second")]
        #expect(areAsked == [true, true])
        #expect(await bench.next(1) == ["second"])
        bench.mayAnswer.signal()
        #expect(await bench.next(1) == ["first"])
        #expect(Set(bench.asked.withLock { $0 }) == ["first.test", "second.test"])
        bench.stop()
    }
}
