extension LocalCluster {
    /// Where a process of the cluster runs.
    public struct Place: Sendable {
        /// Address that it binds and is reached at.
        public var host: String
        /// Program and arguments before its own, which must end in becoming it, for example
        /// `["/usr/bin/nsenter", "--net=/run/netns/h1"]`.
        public var prefix: [String]
        /// `CARILLON_SECTION_KEY` variables for this process only.
        public var variables: [String: String]

        /// A place; by default the loopback address and nothing before the program.
        public init(host: String = "127.0.0.1", prefix: [String] = [], variables: [String: String] = [:]) {
            (self.host, self.prefix, self.variables) = (host, prefix, variables)
        }
    }

    /// What is different from the configuration that `carillon config default` prints.
    public struct Options {
        /// Path of the `carillon` program.
        public var program: String
        /// Nodes of the configuration, 1 to 9: `n1` and so on. None runs until it is started.
        public var nodes = 3
        /// How many of them vote, the first ones; nil: all.
        public var voters: Int?
        /// Where nodes run, by name; on loopback when not named.
        public var places: [String: Place] = [:]
        /// Where the simulator runs.
        public var simulatorPlace = Place()
        /// `CARILLON_SECTION_KEY` variables for all children.
        public var variables: [String: String] = [:]
        /// The text of a schema file for the simulator's devices.
        public var schemas: String?
        /// Run without certificates.
        public var insecure = false

        /// Options for a program.
        public init(program: String) { self.program = program }
    }
}
