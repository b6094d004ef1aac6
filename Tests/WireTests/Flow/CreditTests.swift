import Testing
import Wire

@Suite struct CreditTests {
    /// The macro cannot call mutating methods.
    private func expect(_ expected: Bool, _ result: Bool, _ comment: Comment = "") {
        #expect(result == expected, comment)
    }

    @Test func theNodeCountsUpToTheCreditAndNoFurther() {
        var credit = NodeCredit(credit: 2)
        expect(true, credit.takePublish())
        expect(true, credit.takePublish())
        expect(false, credit.takePublish())
        #expect(credit.unanswered == 2)
        credit.answerPublish()
        expect(true, credit.takePublish())
    }

    @Test func creditIsClamped() {
        #expect(NodeCredit(credit: -1).credit == 0)
        #expect(NodeCredit(credit: 1_000_000).credit == ProducerProtocol.creditMax)
        var credit = NodeCredit(credit: 5)
        expect(false, credit.change(to: 5))
        expect(true, credit.change(to: -3))
        #expect(credit.credit == 0)
    }

    @Test func otherRequestsHaveABoundOfTheirOwn() {
        var credit = NodeCredit(credit: 0)
        for _ in 0..<ProducerProtocol.unansweredRequestsMax { expect(true, credit.takeRequest()) }
        expect(false, credit.takeRequest())
        credit.answerRequest()
        expect(true, credit.takeRequest())
        expect(false, credit.takePublish())
    }

    @Test func whatWasUnderWayWhenTheCreditFellIsLetThrough() {
        var credit = NodeCredit(credit: 10)
        for _ in 0..<4 { expect(true, credit.takePublish()) }
        expect(true, credit.change(to: 2))
        for _ in 0..<6 { expect(true, credit.takePublish()) }
        expect(false, credit.takePublish())
        for _ in 0..<9 { credit.answerPublish() }
        expect(true, credit.takePublish())
        expect(false, credit.takePublish())
    }

    @Test func theProducerSendsWithinItsCreditOnly() {
        var credit = ProducerCredit()
        #expect(credit.available == 0)
        credit.begin(credit: 2)
        credit.send()
        credit.send()
        #expect(credit.available == 0)
        credit.change(to: 1)
        credit.answer()
        #expect(credit.available == 0)
        credit.answer()
        #expect(credit.available == 1)
        credit.answer()
        #expect(credit.unanswered == 0)
        credit.end()
        #expect(credit.available == 0)
    }

    /// A producer that keeps the rules is never refused, however the node changes the credit and however long messages
    /// travel.
    @Test(arguments: 0..<40) func aProducerThatKeepsTheRulesIsNeverRefused(seed: Int) {
        enum Down { case answer, credit(Int) }
        var random = SplitMix64(seed: UInt64(seed))
        var node = NodeCredit(credit: 8)
        var producer = ProducerCredit()
        producer.begin(credit: 8)
        var up = 0
        var waiting = 0
        var down: [Down] = []
        for _ in 0..<3000 {
            switch random.below(6) {
            case 0, 1: if producer.available > 0 { producer.send(); up += 1 }
            case 2:
                if up > 0 {
                    up -= 1
                    expect(true, node.takePublish(), "refused with \(node) and \(producer)")
                    waiting += 1
                }
            case 3:
                if waiting > 0 {
                    waiting -= 1
                    node.answerPublish()
                    down.append(.answer)
                }
            case 4:
                let new = Int(random.below(12))
                if random.below(8) == 0, node.change(to: new) { down.append(.credit(new)) }
            default:
                guard !down.isEmpty else { break }
                switch down.removeFirst() {
                case .answer: producer.answer()
                case .credit(let new): producer.change(to: new)
                }
            }
        }
    }
}
