import Loops
import Testing

private actor Pinned {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    var turns = 0

    init(thread: LoopThread) { self.thread = thread }

    func turn() { turns += 1 }
    func onOwnThread() -> Bool { thread.isCurrent }
}

@Suite struct LoopThreadTests {
    @Test func aPinnedActorRunsOnItsThreadFromInsideAndOutside() async {
        let thread = LoopThread(name: "pinned")
        let pinned = Pinned(thread: thread)
        let stop = Lock(false)
        thread.start {
            let poller = Poller()
            poller.add(thread.wakeup.descriptor, tag: 0)
            while !stop.withLock({ $0 }) {
                poller.wait(milliseconds: 1000) { _ in thread.wakeup.clear() }
                pinned.assumeIsolated { $0.turn() }
                thread.runJobs()
            }
        }
        #expect(await pinned.onOwnThread())
        #expect(await pinned.turns > 0)
        #expect(!thread.isCurrent)
        stop.withLock { $0 = true }
        thread.wakeup.signal()
        thread.join()
    }

    @Test func clocksGoForward() {
        let boot = Clock.bootMilliseconds()
        let nanoseconds = Clock.monotonicNanoseconds()
        #expect(Clock.bootMilliseconds() >= boot)
        #expect(Clock.monotonicNanoseconds() >= nanoseconds)
        #expect(Clock.wallMilliseconds() > 1_700_000_000_000)
    }
}
