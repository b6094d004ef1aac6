import Loops
import Messaging
import Testing

/// Bulk on the data plane is bounded, and holds up nothing on the control plane.
@Suite struct MeshBulkTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func pair(_ change: (inout MeshSettings) -> Void = { _ in }) throws -> (MeshNode, MeshNode) {
        let nodes = (
            try MeshNode("n1", directory: directory.path, change), try MeshNode("n2", directory: directory.path)
        )
        try nodes.0.meet(nodes.1)
        try nodes.1.meet(nodes.0)
        #expect(wait(nodes.0, nodes.1) { nodes.0.port.sendData(bytes("first"), to: "n2") == .sent })
        #expect(wait(nodes.0, nodes.1) { nodes.0.port.sendControl(bytes("first"), to: "n2") == .sent })
        #expect(wait(nodes.0, nodes.1) { !nodes.1.data.isEmpty && !nodes.1.control.isEmpty })
        nodes.1.forget()
        return nodes
    }

    @Test func controlMessagesOvertakeBulk() throws {
        let (one, two) = try pair { $0.dataBytesMax = 1 << 30 }
        let piece = [UInt8](repeating: 7, count: 65_536)
        for _ in 0..<2000 { #expect(one.port.sendData(piece, to: "n2") == .sent) }
        #expect(one.port.sendControl(bytes("ping"), to: "n2") == .sent)
        #expect(wait(two) { !two.control.isEmpty })
        #expect(two.data.count < 2000, "the ping arrived before the bulk that was sent earlier")
        #expect(wait(two) { two.data.count == 2000 })
        #expect(two.data.allSatisfy { $0.bytes == piece })
        #expect(wait { one.port.dataBytesInFlight(to: "n2") == 0 })
    }

    @Test func whatExceedsTheBytesInFlightIsDroppedAndCounted() throws {
        let (one, two) = try pair { $0.dataBytesMax = 1 << 20 }
        let piece = [UInt8](repeating: 7, count: 65_536)
        var sent = 0
        // The receiver takes nothing, so queues and kernel fill up in the end.
        #expect(
            wait {
                while one.port.sendData(piece, to: "n2") == .sent { sent += 1 }
                return one.port.statistics(.data).sendsFull > 100
            })
        #expect(one.port.dataBytesInFlight(to: "n2") <= 1 << 20)
        #expect(one.port.sendControl(bytes("ping"), to: "n2") == .sent)
        #expect(wait(two) { two.data.count == sent && two.control.count == 1 }, "nothing else is lost")
        #expect(wait { one.port.dataBytesInFlight(to: "n2") == 0 })
    }

    @Test func whatIsInFlightIsLetGoWithTheConnection() throws {
        let (one, two) = try pair()
        let piece = [UInt8](repeating: 7, count: 65_536)
        #expect(
            wait {
                for _ in 0..<100 { _ = one.port.sendData(piece, to: "n2") }
                return one.port.dataBytesInFlight(to: "n2") > 8 << 20
            })
        two.port.close()
        #expect(wait(one) { one.port.dataBytesInFlight(to: "n2") == 0 })
        #expect(one.port.sendData(piece, to: "n2") == .unreachable)
    }
}
