internal import Delivery

/// The two clocks of one machine in terms of the world's time, which only the world knows. Both run at the same wrong
/// rate; the wall clock is off besides and may be stepped.
struct SimulatedClock: Sendable {
    /// Start of every world, in milliseconds since 1970.
    static let start: Int64 = 1_800_000_000_000

    /// What the wall clock shows beyond the truth, in milliseconds.
    var skewMilliseconds: Int64
    /// How much faster than the world both clocks run, in millionths; within ±10 000.
    let ratePPM: Int64
    /// What the boot clock showed when the world began.
    let bootOffset: Int64

    private func elapsed(_ time: Int64) -> Int64 { time + time * ratePPM / 1_000_000 }

    /// What the clocks show at a time of the world.
    func moment(at time: Int64) -> Moment {
        Moment(
            wallMilliseconds: Self.start + skewMilliseconds + elapsed(time),
            bootMilliseconds: bootOffset + elapsed(time))
    }

    /// The first time of the world at which the boot clock shows `boot` or more.
    func time(ofBoot boot: Int64) -> Int64 {
        guard boot > bootOffset else { return 0 }
        let wanted = boot - bootOffset
        guard wanted < 1 << 40 else { return .max / 4 }
        var time = max(0, wanted * 1_000_000 / (1_000_000 + ratePPM) - 2)
        while elapsed(time) < wanted { time += 1 }
        return time
    }
}
