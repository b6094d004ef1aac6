import Codes
import Testing

@testable import Configuration

/// A valid file of three nodes to which tests add lines; the last section is [node.n3].
private let three = """
    config_version = 1
    [app.cricket]
    bundle_id = "com.example.cricket"
    environment = "simulator"
    team_id = "SIMTEAM001"
    key_id = "SIMKEY0001"
    key_file = "key.p8"
    [node.n1]
    producers = "tcp://127.0.0.1:7701"
    control = "tcp://127.0.0.1:7711"
    data = "tcp://127.0.0.1:7721"
    data_dir = "data/n1"
    [node.n2]
    producers = "tcp://127.0.0.1:7702"
    control = "tcp://127.0.0.1:7712"
    data = "tcp://127.0.0.1:7722"
    data_dir = "data/n2"
    [node.n3]
    producers = "tcp://127.0.0.1:7703"
    control = "tcp://127.0.0.1:7713"
    data = "tcp://127.0.0.1:7723"
    data_dir = "data/n3"

    """

@Suite struct NodeChecksTests {
    @Test func everyNodeVotesUnlessSomeAreNamed() throws {
        #expect(try load(three).settings.voters == ["n1", "n2", "n3"])
        let named = try load(three + "[cluster]\nvoters = [\"n2\"]\n")
        #expect(named.settings.voters == ["n2"])
        #expect(named.warnings.isEmpty)
        #expect(try load(base).settings.isClusterOfOne)
        #expect(try !load(three).settings.isClusterOfOne)
    }

    @Test func votersAreSectionsOnceAndPreferablyOdd() throws {
        let dangling = faults(three + "[cluster]\nvoters = [\"n1\", \"n4\"]\n")
        #expect(dangling.map(\.code) == [.danglingName])
        #expect(dangling.first?.place == "cluster.toml:24:10")
        #expect(dangling.first?.detail == "voters: there is no section [node.n4]; did you mean 'n1'?")
        let twice = faults(three + "[cluster]\nvoters = [\"n1\", \"n2\", \"n1\"]\n")
        #expect(twice.map(\.code) == [.conflictingSettings])
        let even = try load(three + "[cluster]\nvoters = [\"n1\", \"n2\"]\n").warnings
        #expect(even.map(\.code) == [.evenVoters])
        #expect(even.first?.place == "cluster.toml:24:10")
        let many = (1...10).map { "\"n\($0 % 3 + 1)\"" }.joined(separator: ",")
        #expect(faults(three + "[cluster]\nvoters = [\(many)]\n").contains { $0.code == .outOfRange })
    }

    @Test func aNodeAmongOthersNeedsBothPlanes() {
        let found = faults(base + "[node.n2]\nproducers = \"tcp://127.0.0.1:7702\"\ndata_dir = \"data/n2\"\n")
        #expect(found.map(\.code) == [Code](repeating: .settingMissing, count: 4))
        #expect(found.first?.detail == "key 'control' is missing in [node.n1]: there are other nodes")
        #expect(found.first?.place == "cluster.toml:2:7")
        let seeded = faults(base + "[cluster]\nseeds = [\"n9=tcp://far:7711\"]\n")
        #expect(seeded.map(\.code) == [.settingMissing, .settingMissing], "there are others, although not in the file")
    }

    @Test(arguments: ["*", "0.0.0.0", "0", "[::]", "[0::0]"])
    func everyInterfaceIsNoAddress(host: String) throws {
        let bound = ["CARILLON_NODE_N1_CONTROL": "tcp://\(host):7711", "CARILLON_NODE_N1_DATA": "tcp://\(host):7721"]
        let found = faults(three, bound)
        #expect(found.map(\.code) == [.settingMissing, .settingMissing])
        #expect(
            found.first?.detail == "control: listens on every interface, so [node.n1] needs advertise_host")
        #expect(found.first?.place == "environment variable CARILLON_NODE_N1_CONTROL")
        let wildcard = faults(three, bound.merging(["CARILLON_NODE_N1_ADVERTISE_HOST": host]) { $1 })
        #expect(!wildcard.isEmpty, "a wildcard cannot be advertised either")
        let named = try load(three, bound.merging(["CARILLON_NODE_N1_ADVERTISE_HOST": "n1.example"]) { $1 })
        let node = try #require(named.settings.node("n1"))
        #expect(node.advertisedControl?.description == "tcp://n1.example:7711")
        #expect(node.advertisedData?.description == "tcp://n1.example:7721")
        #expect(node.advertisedProducers?.description == "tcp://n1.example:7701")
    }

    @Test func aBoundAddressIsAdvertisedAsItIs() throws {
        let node = try #require(try load(three).settings.node("n2"))
        #expect(node.advertisedControl?.description == "tcp://127.0.0.1:7712")
        #expect(try load(base).settings.node("n1")?.advertisedControl == nil)
    }

    @Test func noTwoSocketsShareAnEndpoint() {
        let same = faults(three, ["CARILLON_NODE_N3_CONTROL": "tcp://127.0.0.1:7712"])
        #expect(same.map(\.code) == [.conflictingSettings])
        #expect(same.first?.detail == "control: [node.n2] binds the same endpoint")
        let own = faults(three, ["CARILLON_NODE_N3_DATA": "tcp://10.0.0.1:7713"])
        #expect(own.first?.detail == "data: is the port of control too")
        let directory = faults(three, ["CARILLON_NODE_N3_DATA_DIR": "data/n2"])
        #expect(directory.first?.detail == "data_dir: [node.n2] uses the same directory")
    }

    /// As in containers: every node binds the same port of every interface, and is reached by a name of its own.
    @Test func theSamePortsOnDifferentMachinesAreFine() throws {
        var environment: [String: String] = [:]
        for name in ["N1", "N2", "N3"] {
            environment["CARILLON_NODE_\(name)_PRODUCERS"] = "tcp://*:7701"
            environment["CARILLON_NODE_\(name)_CONTROL"] = "tcp://*:7711"
            environment["CARILLON_NODE_\(name)_DATA"] = "tcp://*:7721"
            environment["CARILLON_NODE_\(name)_ADVERTISE_HOST"] = name.lowercased()
        }
        let settings = try load(three, environment).settings
        #expect(
            settings.nodes.map { $0.advertisedControl?.description } == [
                "tcp://n1:7711", "tcp://n2:7711", "tcp://n3:7711",
            ])
    }

    @Test func seedsAreOtherNodesThanThoseOfTheFile() throws {
        let settings = try load(three + "[cluster]\nseeds = [\"n4=tcp://far:7711\"]\n").settings
        let seed = try #require(settings.cluster.seedEndpoints.first)
        #expect(seed.name == "n4" && seed.control.description == "tcp://far:7711")
        #expect(faults(three + "[cluster]\nseeds = [\"n1=tcp://far:7711\"]\n").map(\.code) == [.conflictingSettings])
        for bad in ["far:7711", "n4=far:7711", "n4=tcp://*:7711", "N4=tcp://far:7711", "n4=tcp://far:0", "="] {
            #expect(faults(three + "[cluster]\nseeds = [\"\(bad)\"]\n").map(\.code) == [.badValue], "\(bad)")
        }
    }

    @Test func heartbeatsFitIntoWhatTheyKeepAlive() {
        #expect(faults(three + "[coordinator]\nheartbeat_ms = 300\n").map(\.code) == [.conflictingSettings])
        #expect(faults(three + "[coordinator]\nlease_ms = 700\n").map(\.code) == [.conflictingSettings])
        #expect(faults(three + "[membership]\nprobe_ms = 250\n").map(\.code) == [.conflictingSettings])
        #expect(faults(three + "[coordinator]\nlease_ms = 900\n[membership]\nprobe_ms = 300\n").isEmpty)
    }
}
