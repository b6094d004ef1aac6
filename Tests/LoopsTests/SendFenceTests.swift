import Testing

@testable import Loops

@Suite struct SendFenceTests {
    @Test func opensAndShuts() {
        let fence = SendFence(openUntilBootMilliseconds: .max)
        #expect(fence.isOpen)
        fence.set(openUntilBootMilliseconds: Clock.bootMilliseconds())
        #expect(!fence.isOpen)
        fence.set(openUntilBootMilliseconds: Clock.bootMilliseconds() + 60_000)
        #expect(fence.isOpen)
        #expect(!SendFence(openUntilBootMilliseconds: 0).isOpen)
    }

    @Test func aMailboxCountsWhatItTook() {
        let mailbox = Mailbox<Int>(capacity: 3)
        #expect(mailbox.post([1, 2]) && !mailbox.post([3, 4]) && mailbox.post(5))
        var taken: [Int] = []
        mailbox.take(into: &taken)
        #expect(mailbox.posted == 3 && taken == [1, 2, 5])
    }
}
