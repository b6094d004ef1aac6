import Codes
import Delivery
import Loops
import Testing

@testable import APNs

@Suite struct ProviderTokenSourceTests {
    private func source(_ faults: Lock<[Fault]> = Lock([])) throws -> ProviderTokenSource {
        let signer = ProviderTokenSigner(key: try ProviderKey.generate(), keyID: "KEY", teamID: "TEAM")
        return ProviderTokenSource(signer: signer, renewAfterMilliseconds: 45 * 60_000) { fault in
            faults.withLock { $0.append(fault) }
        }
    }

    @Test func manyFirstSendersGetOneToken() throws {
        let source = try source()
        let now = Moment(wallMilliseconds: 1_790_000_000_000, bootMilliseconds: 5000)
        let seen = Lock<Set<[UInt8]>>([])
        let threads = (0..<8).map { LoopThread(name: "sender-\($0)") }
        for thread in threads {
            thread.start {
                for _ in 0..<8 {
                    guard case .token(let token) = source.current(now) else { return }
                    seen.withLock { _ = $0.insert(token.headerValue) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(seen.withLock { $0.count } == 1)
        #expect(source.figures(bootMilliseconds: 65_000).signings == 1)
        #expect(source.figures(bootMilliseconds: 65_000).ageMilliseconds == 60_000)
    }

    @Test func expiryUnderLoadSignsOnce() throws {
        let source = try source()
        var now = Moment(wallMilliseconds: 1_790_000_000_000, bootMilliseconds: 5000)
        guard case .token(let first) = source.current(now) else { return }
        now.bootMilliseconds += 25 * 60_000
        now.wallMilliseconds += 25 * 60_000
        for _ in 0..<10_000 {
            source.expired(generation: first.generation, now)
            guard case .token(let token) = source.current(now) else {
                Issue.record("no token")
                return
            }
            #expect(token.generation == 2)
        }
        #expect(source.figures(bootMilliseconds: 0).signings == 2)
    }
}
