import Loops
import Messaging
import Testing

/// Peers that are found by name: names have several addresses, none yet, or other ones than before.
@Suite struct MeshNameTests {
    /// What the names of a test stand for.
    private final class Names: Sendable {
        private let addresses = Lock<[String: [String]]>([:])
        private let questions = Lock<[String: Int]>([:])

        func set(_ host: String, _ list: String...) { addresses.withLock { $0[host] = list } }

        func count(of host: String) -> Int { questions.withLock { $0[host] ?? 0 } }

        @Sendable func lookUp(_ host: String) -> [String] {
            questions.withLock { $0[host, default: 0] += 1 }
            return addresses.withLock { $0[host] ?? [] }
        }
    }

    private let directory: TemporaryDirectory
    private let names = Names()

    init() throws { directory = try TemporaryDirectory() }

    private func node(_ name: String) throws -> MeshNode {
        try MeshNode(name, directory: directory.path) { [names] in $0.lookUp = names.lookUp }
    }

    private func port(of node: MeshNode) -> String {
        node.port.endpoint(.control).split(separator: ":").last.map(String.init) ?? ""
    }

    private func call(_ node: MeshNode, _ other: MeshNode, as host: String) throws {
        try node.list?.reload()
        try node.port.connect(
            other.name, control: "tcp://\(host):\(port(of: other))", data: nil, now: Clock.bootMilliseconds())
    }

    private func reach(_ from: MeshNode, _ to: MeshNode) -> Bool {
        wait(from, to) { from.port.sendControl(bytes("hello"), to: to.name) == .sent }
            && wait(from, to) { to.control.contains { $0.bytes == bytes("hello") } }
    }

    @Test func addressesThatAreNobodysAreGoneThroughAtASteadyPace() throws {
        let (one, two) = (try node("n1"), try node("n2"))
        try one.list?.reload()
        try two.list?.reload()
        names.set("two.test", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.1")
        try call(one, two, as: "two.test")
        #expect(reach(one, two))
        #expect(one.port.statistics(.control).dialled == 4)
        #expect(names.count(of: "two.test") == 1, "the other addresses were in the first answer")
    }

    @Test func aNameWithoutAddressIsAskedForAgainSoon() throws {
        let (one, two) = (try node("n1"), try node("n2"))
        try two.list?.reload()
        try call(one, two, as: "two.test")
        #expect(wait(one) { one.port.statistics(.control).resolvesFailed >= 2 })
        names.set("two.test", "127.0.0.1")
        #expect(reach(one, two))
    }

    /// As a container that starts again: nobody is at the old address, and the name has a new one.
    @Test func aNewAddressIsTakenAsSoonAsTheNameHasIt() throws {
        let one = try node("n1")
        var two: MeshNode? = try node("n2")
        let (control, certificate) = (port(of: try #require(two)), try #require(two?.certificate))
        names.set("two.test", "127.0.0.1")
        try two?.list?.reload()
        try call(one, try #require(two), as: "two.test")
        #expect(reach(one, try #require(two)))
        two = nil
        #expect(wait(one) { names.count(of: "two.test") >= 2 })
        let again = try MeshNode(
            "n2", directory: directory.path, certificate: certificate, identity: "2",
            control: "tcp://127.0.0.2:\(control)", data: "tcp://127.0.0.2:*")
        try again.list?.reload()
        try one.list?.reload()
        names.set("two.test", "127.0.0.2")
        #expect(reach(one, again))
    }

    @Test func aNameThatHangsHoldsUpNoOther() throws {
        let (one, two) = (try node("n1"), try node("n2"))
        try two.list?.reload()
        names.set("two.test", "127.0.0.1")
        let released = Lock(false)
        let third = try MeshNode("n3", directory: directory.path) { [names] in
            $0.lookUp = { host in
                guard host == "gone.test" else { return names.lookUp(host) }
                _ = wait { released.withLock { $0 } }
                return []
            }
        }
        try third.list?.reload()
        try two.list?.reload()
        try third.port.connect(
            "n1", control: "tcp://gone.test:\(port(of: one))", data: "tcp://gone.test:1",
            now: Clock.bootMilliseconds())
        try call(third, two, as: "two.test")
        #expect(wait(third, two) { third.port.sendControl(bytes("hello"), to: "n2") == .sent })
        #expect(third.port.statistics(.control).resolvesFailed == 0, "it hangs still")
        released.withLock { $0 = true }
    }
}
