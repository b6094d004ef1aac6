import CLinux

/// Which scenarios are run. They take a minute each: `CARILLON_FAULTS=1`, or the name of one, like `killOwner`.
enum FaultChoice {
    private static var text: String? { getenv("CARILLON_FAULTS").map { String(cString: $0) } }

    static var isWanted: Bool { text != nil }

    static var scenarios: [FaultScenario] {
        let named = FaultScenario.allCases.filter { "\($0)" == text }
        return named.isEmpty ? FaultScenario.allCases : named
    }
}
