import Testing

@testable import Delivery

@Suite struct AdmissionTests {
    let activity = Account(app: 0, scope: .activity)
    let unstored = Account(app: 0, scope: .channelUnstored)
    let stored = Account(app: 0, scope: .channelStored)

    func admission(app: Budget = Budget(capacity: 1_000, refillPerSecond: 1_000), reserve: Int = 200) -> Admission {
        var settings = AdmissionSettings()
        settings.apps = [app]
        settings.reservePermille = reserve
        settings.channelUnstored = Budget(capacity: 5, refillPerSecond: 1)
        settings.channelStored = Budget(capacity: 2, refillMillitokensPerSecond: 500)
        return Admission(settings: settings)
    }

    func release(_ admission: inout Admission, _ time: Int64, atMost: Int = .max) -> [UInt64] {
        var released: [UInt64] = []
        admission.release(now: moment(time), atMost: atMost, into: &released)
        return released
    }

    @Test func aKeyIsReleasedOncePerInterval() {
        var admission = admission()
        for _ in 0..<3 { admission.request(ticket: 1, account: activity, cost: 1, urgent: false, now: moment(0)) }
        #expect(admission.waitingCount == 1)
        #expect(release(&admission, 0) == [1])
        #expect(release(&admission, 0).isEmpty)
        admission.request(ticket: 1, account: activity, cost: 1, urgent: true, now: moment(10))
        #expect(admission.nextDeadline == 1_000 && admission.deferral(of: 1) == .key)
        #expect(release(&admission, 999).isEmpty)
        #expect(release(&admission, 1_000) == [1])
        #expect(admission.counters.deferredByKey == 1)
    }

    /// A bound on one release starves no app, however many of another one wait.
    @Test func appsTakeTurnsWhenNotAllMayGoAtOnce() {
        var admission = admission()
        for ticket in 0..<10 {
            let account = Account(app: ticket < 7 ? 0 : 1, scope: .activity)
            admission.request(ticket: UInt64(ticket), account: account, cost: 1, urgent: false, now: moment(0))
        }
        #expect(release(&admission, 0, atMost: 4) == [0, 1, 2, 3])
        #expect(admission.nextDeadline ?? .max <= 0)
        #expect(release(&admission, 0, atMost: 2) == [7, 8])
        #expect(release(&admission, 0, atMost: 2) == [4, 5])
        #expect(release(&admission, 0) == [9, 6])
        #expect(release(&admission, 0).isEmpty)
    }

    @Test func channelsHaveBudgetsByPolicy() {
        for (account, burst, gap) in [(unstored, 4, 1_000), (stored, 2, 2_000)] as [(Account, Int, Int64)] {
            var admission = admission()
            var times: [Int64] = []
            for time in stride(from: Int64(0), to: 30_000, by: 100) {
                admission.request(ticket: 9, account: account, cost: 1, urgent: false, now: moment(time))
                if release(&admission, time) == [9] { times.append(time) }
            }
            #expect(times.count >= burst)
            #expect(times.last! - times[times.count - 2] >= 1_000)
            // Long-term the rate is the channel's, here looked at without the burst at the beginning.
            let late = times.filter { $0 >= 15_000 }
            #expect(late.count <= Int(15_000 / gap) + 1, "\(account.scope)")
            #expect(late.count >= Int(15_000 / gap) - 1, "\(account.scope)")
        }
    }

    @Test func urgentOnesUseTheReserveAndOthersAreNotStarved() {
        var admission = admission(app: Budget(capacity: 10, refillPerSecond: 10))
        for ticket in 0..<20 {
            admission.request(ticket: UInt64(ticket), account: activity, cost: 1, urgent: false, now: moment(0))
        }
        for ticket in 100..<120 {
            admission.request(ticket: UInt64(ticket), account: activity, cost: 1, urgent: true, now: moment(0))
        }
        // Eight in turn, then the reserve's two out of turn.
        #expect(release(&admission, 0) == [0, 1, 2, 3, 4, 5, 6, 7, 100, 101])
        #expect(admission.counters.releasedFromReserve == 2 && admission.deferral(of: 8) == .app)
        // In one second the shared part brings eight, the reserve two.
        var next: [UInt64] = []
        for time in stride(from: Int64(1), through: 1_000, by: 1) { next += release(&admission, time) }
        #expect(next.filter { $0 < 100 } == Array(8..<16))
        #expect(next.filter { $0 >= 100 } == [102, 103])
    }

    @Test func urgencyCanBeRaisedWhileWaiting() {
        var admission = admission(app: Budget(capacity: 5, refillMillitokensPerSecond: 1))
        for ticket in 1...6 {
            admission.request(ticket: UInt64(ticket), account: activity, cost: 1, urgent: false, now: moment(0))
        }
        #expect(release(&admission, 0) == [1, 2, 3, 4])
        admission.request(ticket: 6, account: activity, cost: 1, urgent: true, now: moment(1))
        #expect(release(&admission, 1) == [6])
        admission.request(ticket: 5, account: activity, cost: 1, urgent: true, now: moment(2))
        admission.request(ticket: 5, account: activity, cost: 1, urgent: false, now: moment(3))
        #expect(release(&admission, 3).isEmpty && admission.isWaiting(5))
    }

    @Test func aChangedRequestKeepsItsTurn() {
        var admission = admission(app: Budget(capacity: 1, refillPerSecond: 1), reserve: 0)
        for ticket in 1...3 as ClosedRange<UInt64> {
            admission.request(
                ticket: ticket, account: activity, cost: 1, urgent: false, now: moment(Int64(ticket)))
        }
        #expect(release(&admission, 3) == [1])
        admission.request(ticket: 2, account: activity, cost: 1, urgent: true, now: moment(500))
        admission.request(ticket: 2, account: activity, cost: 1, urgent: false, now: moment(600))
        #expect(release(&admission, 1_003) == [2])
    }

    @Test func aChannelIsRememberedUntilItsBudgetIsFull() {
        var admission = admission()
        admission.request(ticket: 1, account: stored, cost: 1, urgent: false, now: moment(0))
        #expect(release(&admission, 0) == [1])
        #expect(release(&admission, 1_500).isEmpty && admission.count == 1)
        #expect(release(&admission, 2_000).isEmpty && admission.count == 0)
    }

    @Test func withdrawnKeysAreNotReleasedAndKeepTheirPace() {
        var admission = admission()
        admission.request(ticket: 1, account: activity, cost: 1, urgent: false, now: moment(0))
        admission.withdraw(ticket: 1)
        admission.withdraw(ticket: 1)
        admission.withdraw(ticket: 2)
        #expect(release(&admission, 0).isEmpty && admission.count == 0)
        admission.request(ticket: 1, account: activity, cost: 1, urgent: false, now: moment(0))
        #expect(release(&admission, 0) == [1])
        admission.request(ticket: 1, account: activity, cost: 1, urgent: false, now: moment(100))
        admission.withdraw(ticket: 1)
        admission.request(ticket: 1, account: activity, cost: 1, urgent: false, now: moment(200))
        #expect(release(&admission, 999).isEmpty)
        #expect(release(&admission, 1_000) == [1])
    }

    @Test func notBeforeIsHonouredWhenTheWallClockSteps() {
        var admission = admission()
        let wanted = moment(5_000).wallMilliseconds
        admission.request(
            ticket: 1, account: activity, cost: 1, urgent: false, notBeforeMilliseconds: wanted, now: moment(0))
        #expect(admission.deferral(of: 1) == .notBefore && admission.nextDeadline == 5_000)
        // The wall clock was set back by two seconds meanwhile.
        var released: [UInt64] = []
        let back = Moment(wallMilliseconds: wanted - 2_000, bootMilliseconds: 5_000)
        admission.release(now: back, into: &released)
        #expect(released.isEmpty && admission.nextDeadline == 7_000)
        admission.release(now: back.advanced(byMilliseconds: 2_000), into: &released)
        #expect(released == [1])
        admission.request(
            ticket: 2, account: activity, cost: 1, urgent: false, notBeforeMilliseconds: .max, now: moment(8_000))
        #expect(release(&admission, 20_000).isEmpty && admission.isWaiting(2))
    }

    @Test func aLargeAudienceIsPacedNotLockedOut() {
        var admission = admission(app: Budget(capacity: 100, refillPerSecond: 100), reserve: 0)
        admission.request(ticket: 1, account: activity, cost: 1_000, urgent: false, now: moment(0))
        admission.request(ticket: 2, account: activity, cost: 1, urgent: false, now: moment(0))
        #expect(release(&admission, 0) == [1])
        #expect(release(&admission, 1_000).isEmpty && admission.nextDeadline == 9_010)
        #expect(release(&admission, 9_009).isEmpty)
        #expect(release(&admission, 9_010) == [2])
    }

    @Test func appsDoNotShareBudgets() {
        var admission = admission(app: Budget(capacity: 1, refillPerSecond: 1), reserve: 0)
        for app in [0, 1, 300] as [UInt16] {
            for ticket in 0..<2 as Range<UInt64> {
                admission.request(
                    ticket: UInt64(app) * 10 + ticket, account: Account(app: app, scope: .activity), cost: 1,
                    urgent: false, now: moment(0))
            }
        }
        #expect(release(&admission, 0) == [0, 10, 11, 3000, 3001])
        #expect(release(&admission, 1_000) == [1])
    }

    @Test func bounds() {
        var settings = AdmissionSettings()
        settings.ticketsMax = 2
        var admission = Admission(settings: settings)
        let costs = [-5, .max, 1]
        var taken: [Bool] = []
        for (ticket, cost) in costs.enumerated() {
            taken.append(
                admission.request(
                    ticket: UInt64(ticket + 1), account: activity, cost: cost, urgent: false, now: moment(0)))
        }
        #expect(taken == [true, true, false])
        #expect(release(&admission, 0, atMost: 1) == [1])
        #expect(admission.nextDeadline! <= 0)
        #expect(release(&admission, 0) == [2])
        #expect(admission.counters.overloaded == 1)
    }

    @Test func theAccountMayChange() {
        var admission = admission()
        admission.request(ticket: 1, account: stored, cost: 1, urgent: false, now: moment(0))
        admission.request(
            ticket: 1, account: Account(app: 1, scope: .channelUnstored), cost: 1, urgent: true, now: moment(0))
        #expect(release(&admission, 0) == [1])
        #expect(admission.waitingCount == 0)
    }

    /// Producers ask at random; every promise of Admit is checked, and in the end everything asked for was released.
    @Test(arguments: 0..<16) func property(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let rate = 5 + Int(random.below(40))
        var admission = admission(app: Budget(capacity: rate, refillPerSecond: rate))
        var lastRelease: [UInt64: Int64] = [:]
        var asked: [UInt64: Int64] = [:]
        var spent = 0
        var time: Int64 = 0
        var worstWait: Int64 = 0

        func step(_ released: [UInt64]) {
            for ticket in released {
                #expect(asked[ticket] != nil, "released unasked")
                if let last = lastRelease[ticket] { #expect(time - last >= 1_000) }
                lastRelease[ticket] = time
                worstWait = max(worstWait, time - (asked.removeValue(forKey: ticket) ?? time))
                spent += 1
            }
            #expect(spent <= rate + rate * Int(time) / 1_000 + 1)
        }

        for _ in 0..<3_000 {
            time += random.below(40)
            let ticket = UInt64(random.below(60))
            if random.once(in: 12) {
                admission.withdraw(ticket: ticket)
                asked[ticket] = nil
            } else {
                admission.request(
                    ticket: ticket, account: ticket % 3 == 0 ? unstored : activity, cost: 1,
                    urgent: random.once(in: 3), now: moment(time - random.below(3)))
                asked[ticket] = asked[ticket] ?? time
            }
            if random.once(in: 2) { step(release(&admission, time)) }
        }
        while let deadline = admission.nextDeadline {
            #expect(deadline > time || asked.isEmpty || admission.waitingCount > 0)
            time = max(time, deadline)
            let before = admission.waitingCount + admission.count
            step(release(&admission, time))
            // Each deadline brings something: a release, or a key that can be forgotten.
            #expect(admission.waitingCount + admission.count <= before)
        }
        #expect(asked.isEmpty, "seed \(seed): never released")
        #expect(admission.count == 0 && admission.waitingCount == 0)
        // 60 keys at `rate` per second, twice round, and the channels' own pace of one per second.
        #expect(worstWait <= Int64(60 * 1_000 / rate) * 3 + 10_000, "seed \(seed): \(worstWait)")
    }

    /// 100,000 keys: a release takes what is due and nothing else has to be looked at.
    @Test func manyKeys() {
        var admission = admission(app: Budget(capacity: 200_000, refillPerSecond: 200_000), reserve: 0)
        for ticket in 0..<100_000 {
            admission.request(
                ticket: UInt64(ticket), account: activity, cost: 1, urgent: ticket % 7 == 0, now: moment(0))
        }
        var released: [UInt64] = []
        admission.release(now: moment(0), into: &released)
        #expect(released.count == 100_000)
        #expect(admission.count == 100_000)
        released.removeAll()
        admission.release(now: moment(1_000), into: &released)
        #expect(admission.count == 0)
    }
}
