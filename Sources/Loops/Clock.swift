internal import CLinux

/// The clocks of the process. Pure modules never read them: shells do and pass the time in.
public enum Clock {
    /// Milliseconds since 1970 (UTC). Steps when the machine's clock is set.
    public static func wallMilliseconds() -> Int64 {
        read(CLOCK_REALTIME) / 1_000_000
    }

    /// Milliseconds since boot, suspend included; never steps. For leases, time-outs and pacing.
    public static func bootMilliseconds() -> Int64 {
        read(CLOCK_BOOTTIME) / 1_000_000
    }

    /// Nanoseconds since boot without suspend; for measuring durations.
    public static func monotonicNanoseconds() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
