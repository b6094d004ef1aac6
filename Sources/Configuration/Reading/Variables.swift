/// The names of environment variables that override keys.
enum Variables {
    static let prefix = "CARILLON_"

    /// Variables of the project that are no settings: switches of the build and the tests.
    static let exceptions: Set<String> = [
        "CARILLON_BENCHMARKS", "CARILLON_SEED", "CARILLON_UPDATE_DOCS", "CARILLON_BINARY", "CARILLON_FAULTS",
        "CARILLON_FAULT_KEYS", "CARILLON_FAULT_RATE",
    ]

    /// `delivery.connections` → `CARILLON_DELIVERY_CONNECTIONS`; upper case, everything else than letters and digits
    /// becomes `_`.
    static func name(of key: String) -> String {
        prefix + String(key.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}
