/// Whole clusters in virtual time: network, disks, clocks, APNs, devices, producers and faults from one seed, and the
/// promises watched all along.
///
/// A seed says everything: the same seed and options give the same run, event by event. Threads: none; several runs may
/// be made on several threads.
public enum Simulation {
    /// Makes one run. It ends at the first promise that does not hold.
    public static func run(seed: UInt64, options: SimulationOptions = SimulationOptions()) -> SimulationReport {
        var world = World(seed: seed, options: options)
        return world.live()
    }
}
