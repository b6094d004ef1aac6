/// Whole clusters in virtual time: network, disks, clocks, APNs, devices, producers and faults from one seed, and the
/// promises watched all along.
///
/// A seed says everything: the same seed and options give the same run, event by event. Threads: none; several runs may
/// be made on several threads.
public enum Simulation {
    static func run<Core: ClusterCore>(seed: UInt64, options: SimulationOptions, of: Core.Type) -> SimulationReport {
        var world = World<Core>(seed: seed, options: options)
        return world.live()
    }
}
