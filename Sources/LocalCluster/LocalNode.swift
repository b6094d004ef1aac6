internal import Loops

extension LocalCluster {
    /// One node: where it is reached, where its files lie, and its process while it runs.
    public struct Node {
        /// What the configuration calls it.
        public let name: String
        /// Where producers connect.
        public let producers: String
        /// Where the control plane of other nodes connects.
        public let control: String
        /// Where the data plane of other nodes connects.
        public let data: String
        /// Its database; losing it makes it another node.
        public let dataDirectory: String
        /// Path of its log.
        public let log: String
        let place: Place
        var process: ChildProcess?

        /// The process while it was started and not waited for.
        public var processID: Int32? { process?.processID }

        init(_ number: Int, _ place: Place, ports: ArraySlice<UInt16>, directory: String) {
            let ports = Array(ports)
            name = "n\(number)"
            producers = "tcp://\(place.host):\(ports[0])"
            control = "tcp://\(place.host):\(ports[1])"
            data = "tcp://\(place.host):\(ports[2])"
            dataDirectory = "\(directory)/data/n\(number)"
            // The first node's log keeps the name that a single node's has.
            log = number == 1 ? directory + "/node.log" : "\(directory)/node-n\(number).log"
            self.place = place
        }

        /// What all processes must know of it.
        var variables: [String: String] {
            let prefix = "CARILLON_NODE_\(name.uppercased())_"
            return [prefix + "PRODUCERS": producers, prefix + "CONTROL": control, prefix + "DATA": data]
        }
    }
}
