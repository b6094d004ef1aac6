internal import CLinux

/// The variables of this process.
enum ProcessEnvironment {
    static func read() -> [String: String] {
        var variables: [String: String] = [:]
        guard var entry = crl_environment() else { return variables }
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
