import CLinux

/// What Linux says about a process and the machine.
enum ProcessFigures {
    /// CPU time of a process so far, user and system, in microseconds; in steps of 10 ms (proc(5), `stat`).
    static func cpuMicroseconds(_ process: Int32) -> Double {
        let text = read("/proc/\(process)/stat")
        // The name in parentheses may hold spaces: fields are counted behind it, the first is number 3.
        guard let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) * 1e6 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// A field of /proc/PID/status in MiB, for example `VmRSS` and `VmHWM`.
    static func mebibytes(_ process: Int32, _ field: String) -> Double {
        for line in read("/proc/\(process)/status").split(separator: "\n") where line.hasPrefix(field + ":") {
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count > 1 ? (Double(words[1]) ?? 0) / 1024 : 0
        }
        return 0
    }

    /// The load average of the last minute.
    static var load: Double { read("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0 }

    /// CPUs, kernel and load at this moment, for a table's notes.
    static var machine: String {
        let cpu = read("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { String($0.drop { $0 == " " }) }
        let kernel = read("/proc/sys/kernel/osrelease").split(separator: "\n").first.map { String($0) } ?? "?"
        return "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) CPUs, \(cpu ?? "unknown"), Linux \(kernel); "
            + "load average \(Measure.decimals(load)) at the end"
    }

    /// The whole of a small file; empty when it cannot be read.
    static func read(_ path: String) -> String {
        let file = crl_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = CLinux.read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
