import Testing

@testable import APNs

/// Boot time starts at an odd place and the wall clock at a real date, so that mixing them up shows.
private let boot: Int64 = 777_000
private let wall: Int64 = 1_790_000_000_000
private let minute: Int64 = 60_000

private func signedSchedule(renewAfterMilliseconds: Int64 = 45 * minute) -> ProviderTokenSchedule {
    var schedule = ProviderTokenSchedule(renewAfterMilliseconds: renewAfterMilliseconds)
    schedule.signed(bootMilliseconds: boot, wallMilliseconds: wall)
    return schedule
}

@Suite struct ProviderTokenScheduleTests {
    @Test func signsFirstAndThenAfter45Minutes() {
        var schedule = ProviderTokenSchedule()
        #expect(schedule.decide(bootMilliseconds: boot, wallMilliseconds: wall) == .sign)
        schedule.signed(bootMilliseconds: boot, wallMilliseconds: wall)
        for (minutes, decision) in [(0, ProviderTokenSchedule.Decision.keep), (44, .keep), (45, .sign), (300, .sign)] {
            let later = Int64(minutes) * minute
            #expect(schedule.decide(bootMilliseconds: boot + later, wallMilliseconds: wall + later) == decision)
        }
    }

    /// A pool made long before its first send must not age a token that does not exist yet.
    @Test func ageCountsFromTheSigning() {
        var schedule = ProviderTokenSchedule()
        let late = boot + 45 * minute
        #expect(schedule.decide(bootMilliseconds: late, wallMilliseconds: wall) == .sign)
        schedule.signed(bootMilliseconds: late, wallMilliseconds: wall)
        #expect(
            schedule.decide(bootMilliseconds: late + 10 * minute, wallMilliseconds: wall + 10 * minute) == .keep)
    }

    @Test func settingIsHeldBetween20And55Minutes() {
        #expect(ProviderTokenSchedule(renewAfterMilliseconds: 1).renewAfterMilliseconds == 20 * minute)
        #expect(ProviderTokenSchedule(renewAfterMilliseconds: 90 * minute).renewAfterMilliseconds == 55 * minute)
    }

    @Test(arguments: [-120, 120] as [Int64])
    func clockStepRenewsOnceAndNotBefore20Minutes(stepMinutes: Int64) {
        var schedule = signedSchedule()
        let step = stepMinutes * minute
        var signings: [Int64] = []
        for minutes in Int64(1)...120 {
            let now = boot + minutes * minute
            let shown = wall + minutes * minute + (minutes >= 5 ? step : 0)
            if schedule.decide(bootMilliseconds: now, wallMilliseconds: shown) == .sign {
                signings.append(minutes)
                schedule.signed(bootMilliseconds: now, wallMilliseconds: shown)
            }
        }
        #expect(signings == [20, 65, 110])
    }

    @Test func smallCorrectionsOfTheClockChangeNothing() {
        var schedule = signedSchedule()
        let later = 30 * minute
        #expect(schedule.decide(bootMilliseconds: boot + later, wallMilliseconds: wall + later + 4 * minute) == .keep)
    }

    @Test func expiryReportedLateRenewsAtOnceAndOnlyOnce() {
        var schedule = signedSchedule()
        let now = boot + 30 * minute
        for _ in 0..<10_000 { schedule.expired(generation: 1, bootMilliseconds: now) }
        #expect(schedule.decide(bootMilliseconds: now, wallMilliseconds: wall + 30 * minute) == .sign)
        schedule.signed(bootMilliseconds: now, wallMilliseconds: wall + 30 * minute)
        // Answers to requests with the old token still come in.
        for _ in 0..<10_000 { schedule.expired(generation: 1, bootMilliseconds: now + 10) }
        #expect(schedule.decide(bootMilliseconds: now + 10, wallMilliseconds: wall + 30 * minute) == .keep)
    }

    @Test func expiryReportedEarlyHoldsAndNeverSpins() {
        var schedule = signedSchedule()
        var now = boot
        var signings: [Int64] = []
        var tries = 0
        while now < boot + 61 * minute {
            switch schedule.decide(bootMilliseconds: now, wallMilliseconds: wall + now - boot) {
            case .sign:
                schedule.signed(bootMilliseconds: now, wallMilliseconds: wall + now - boot)
                signings.append((now - boot) / minute)
            case .hold(let until):
                #expect(until > now)
                now = until
            case .keep:
                tries += 1
                schedule.expired(generation: schedule.generation, bootMilliseconds: now)
            }
        }
        #expect(signings == [20, 40, 60])
        #expect(tries < 40)
    }

    @Test func refusalsHoldWithGrowingWaitsAndEndWithAGoodAnswer() {
        var schedule = signedSchedule()
        var waits: [Int64] = []
        var now = boot
        for _ in 0..<4 {
            schedule.expired(generation: 1, bootMilliseconds: now)
            guard case .hold(let until) = schedule.decide(bootMilliseconds: now, wallMilliseconds: wall) else {
                Issue.record("expected a hold")
                return
            }
            waits.append(until - now)
            now = until
        }
        #expect(waits == [15_000, 30_000, 60_000, 120_000])
        schedule.accepted(generation: 1)
        #expect(schedule.decide(bootMilliseconds: now, wallMilliseconds: wall) == .keep)
        schedule.expired(generation: 1, bootMilliseconds: now)
        #expect(
            schedule.decide(bootMilliseconds: now, wallMilliseconds: wall) == .hold(untilMilliseconds: now + 15_000))
    }

    @Test func illegalSequencesAreHarmless() {
        var schedule = ProviderTokenSchedule()
        schedule.expired(generation: 1, bootMilliseconds: boot)
        schedule.accepted(generation: 7)
        #expect(schedule.decide(bootMilliseconds: boot, wallMilliseconds: wall) == .sign)
        schedule.signed(bootMilliseconds: boot, wallMilliseconds: wall)
        #expect(schedule.decide(bootMilliseconds: boot - 5000, wallMilliseconds: wall) == .keep)
    }
}
