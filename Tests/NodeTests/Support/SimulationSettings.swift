import APNsSimulator

/// The simulator's own settings; `Configuration` has a section of the same name.
typealias SimulationSettings = SimulatorSettings
