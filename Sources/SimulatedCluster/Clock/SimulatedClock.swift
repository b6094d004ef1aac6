internal import Delivery

/// The two clocks of one machine in terms of the world's time, which only the world knows. Both run at the same rate,
/// which may be wrong; the wall clock is off besides and may be stepped. The boot clock never jumps.
struct SimulatedClock: Sendable {
    /// Start of every world, in milliseconds since 1970.
    static let start: Int64 = 1_800_000_000_000

    /// How the clocks go from a time of the world on.
    private struct Course: Sendable {
        var since: Int64
        /// What the boot clock shows then.
        var boot: Int64
        /// What the wall clock shows then.
        var wall: Int64
        /// How much faster than the world both run, in millionths; within ±10 000.
        var ratePPM: Int64

        func elapsed(_ time: Int64) -> Int64 { time - since + (time - since) * ratePPM / 1_000_000 }
    }

    private var course: Course
    /// How they went before they were set, for what is asked about the past.
    private var former: Course?

    /// `skewMilliseconds`: what the wall clock shows beyond the truth; `bootOffset`: what the boot clock showed when
    /// the world began.
    init(skewMilliseconds: Int64, ratePPM: Int64, bootOffset: Int64) {
        course = Course(since: 0, boot: bootOffset, wall: Self.start + skewMilliseconds, ratePPM: ratePPM)
    }

    /// What the clocks show at a time of the world.
    func moment(at time: Int64) -> Moment {
        let course = time < course.since ? former ?? course : course
        let elapsed = course.elapsed(time)
        return Moment(wallMilliseconds: course.wall + elapsed, bootMilliseconds: course.boot + elapsed)
    }

    /// The first time of the world, from when the clocks were set last, at which the boot clock shows `boot` or more.
    func time(ofBoot boot: Int64) -> Int64 {
        guard boot > course.boot else { return course.since }
        let wanted = boot - course.boot
        guard wanted < 1 << 40 else { return .max / 4 }
        var time = course.since + max(0, wanted * 1_000_000 / (1_000_000 + course.ratePPM) - 2)
        while course.elapsed(time) < wanted { time += 1 }
        return time
    }

    /// Somebody sets the clocks: the wall clock steps, both run at another rate from now on, and the boot clock goes on
    /// from what it shows.
    mutating func set(at time: Int64, skewMilliseconds: Int64, ratePPM: Int64) {
        let boot = moment(at: time).bootMilliseconds
        former = course
        course = Course(since: time, boot: boot, wall: Self.start + time + skewMilliseconds, ratePPM: ratePPM)
    }
}
