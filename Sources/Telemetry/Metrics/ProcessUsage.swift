internal import CLinux

/// What the process has used so far, as the kernel counts it.
public struct ProcessUsage: Sendable, Hashable {
    /// CPU time of all threads, user and system, in microseconds.
    public var cpuMicroseconds: Int64
    /// Resident memory in bytes.
    public var residentBytes: Int64
    /// Largest resident memory so far in bytes.
    public var residentBytesMax: Int64

    /// Reads getrusage(2) and /proc/self/statm.
    public static func current() -> ProcessUsage {
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        let peak = Int64(usage.ru_maxrss) * 1024
        return ProcessUsage(
            cpuMicroseconds: microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            residentBytes: residentPages().map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) } ?? peak,
            residentBytesMax: peak)
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    private static func residentPages() -> Int64? {
        let descriptor = crl_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let words = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int64(words[1]) : nil
    }
}
