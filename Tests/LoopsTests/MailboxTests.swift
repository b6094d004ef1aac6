import CLinux
import Loops
import Testing

@Suite struct MailboxTests {
    @Test func batchesKeepTheirOrderAndOverflowIsAllOrNothing() {
        let mailbox = Mailbox<Int>(capacity: 4)
        #expect(mailbox.post([1, 2, 3]))
        #expect(!mailbox.post([4, 5]))
        #expect(mailbox.post(4))
        #expect(!mailbox.post(5))
        var batch: [Int] = [9]
        mailbox.take(into: &batch)
        #expect(batch == [1, 2, 3, 4])
        mailbox.take(into: &batch)
        #expect(batch.isEmpty)
    }

    @Test func aClosedMailboxRefusesButGivesWhatItHas() {
        let mailbox = Mailbox<Int>(capacity: 4)
        mailbox.post(1)
        mailbox.close()
        #expect(!mailbox.post(2))
        var batch: [Int] = []
        mailbox.take(into: &batch)
        #expect(batch == [1])
    }

    @Test func everyElementOfEverySenderArrivesOnce() {
        let mailbox = Mailbox<Int>(capacity: 1_000_000)
        let senders = (0..<4).map { sender in
            let thread = LoopThread(name: "sender\(sender)")
            thread.start {
                for value in 0..<10_000 { mailbox.post(sender * 10_000 + value) }
            }
            return thread
        }
        let poller = Poller()
        poller.add(mailbox.wakeup.descriptor, tag: 1)
        var received: [Int] = []
        var batch: [Int] = []
        while received.count < 40_000 {
            var woken = false
            poller.wait(milliseconds: 10_000) { woken = $0.tag == 1 }
            guard woken else { break }
            mailbox.wakeup.clear()
            mailbox.take(into: &batch)
            received += batch
        }
        for sender in senders { sender.join() }
        #expect(received.sorted() == Array(0..<40_000))
        for sender in 0..<4 {
            let own = received.filter { $0 / 10_000 == sender }
            #expect(own == own.sorted())
        }
    }
}
