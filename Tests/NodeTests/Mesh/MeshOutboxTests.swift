import Testing
import Wire

@testable import Node

@Suite struct MeshOutboxTests {
    private func member(_ number: UInt64, generation: UInt64 = 1) -> Member {
        Member(
            id: NodeID(high: 0, low: number), incarnation: Incarnation(generation: generation), name: "n\(number)",
            control: "tcp://127.0.0.1:1", data: "tcp://127.0.0.1:2")
    }

    private func header(_ member: Member) -> MeshHeader {
        MeshHeader(
            cluster: NodeID(high: 1, low: 1), sender: NodeID(high: 2, low: 2), generation: 1, target: member.id,
            targetGeneration: member.incarnation.generation)
    }

    private func forward(_ number: UInt64, bytes: Int = 10) -> DataMessage {
        .forward(
            Forward(request: number, hops: 0, user: [], session: 1, frames: [[UInt8](repeating: 1, count: bytes)]))
    }

    private func requests(_ frame: [UInt8]) throws -> (MeshHeader, [UInt64]) {
        let (header, messages) = try MeshFrame.decodeData(frame).get()
        return (header, messages.compactMap { if case .forward(let forward) = $0 { forward.request } else { nil } })
    }

    @Test func aTurnIsOneFrameForEachMember() throws {
        var outbox = MeshOutbox()
        var sent: [(String, [UInt8])] = []
        let send = { (member: Member, bytes: [UInt8]) in
            sent.append((member.name, bytes))
            return true
        }
        for number: UInt64 in 1...3 {
            outbox.add(forward(number), to: member(1), header: header(member(1)), send: send)
            outbox.add(forward(10 + number), to: member(2), header: header(member(2)), send: send)
        }
        #expect(sent.isEmpty)
        outbox.flush(send: send)
        #expect(sent.map(\.0) == ["n1", "n2"])
        #expect(try requests(sent[0].1).1 == [1, 2, 3] && requests(sent[1].1).1 == [11, 12, 13])
        outbox.flush(send: send)
        #expect(sent.count == 2, "nothing is sent twice")
        outbox.add(forward(4), to: member(1), header: header(member(1)), send: send)
        outbox.flush(send: send)
        let (found, numbers) = try requests(sent[2].1)
        #expect(found.target == member(1).id && numbers == [4])
    }

    @Test func aFullFrameLeavesAtOnceAndNothingIsLost() throws {
        var outbox = MeshOutbox()
        var sent: [[UInt8]] = []
        let send = { (_: Member, bytes: [UInt8]) in
            sent.append(bytes)
            return true
        }
        for number: UInt64 in 0..<20 {
            outbox.add(forward(number, bytes: 50_000), to: member(1), header: header(member(1)), send: send)
        }
        #expect(sent.count >= 8)
        outbox.flush(send: send)
        #expect(try sent.flatMap { try requests($0).1 } == Array(0..<20))
        #expect(outbox.tooLarge == 0)
    }

    @Test func anotherRunOfAMemberGetsAFrameOfItsOwn() throws {
        var outbox = MeshOutbox()
        var sent: [[UInt8]] = []
        let send = { (_: Member, bytes: [UInt8]) in
            sent.append(bytes)
            return true
        }
        for generation: UInt64 in [1, 1, 2] {
            let member = member(1, generation: generation)
            outbox.add(forward(generation), to: member, header: header(member), send: send)
        }
        outbox.flush(send: send)
        #expect(try sent.map { try requests($0).0.targetGeneration } == [1, 2])
        #expect(try sent.map { try requests($0).1 } == [[1, 1], [2]])
    }

    @Test func requestsThatCannotLeaveAreNamed() {
        var outbox = MeshOutbox()
        let send = { (member: Member, _: [UInt8]) in member.name != "n2" }
        for number: UInt64 in 0..<6 {
            let member = member(number % 2 + 1)
            outbox.add(forward(number, bytes: 70_000), to: member, header: header(member), send: send)
        }
        #expect(outbox.unsent == [1, 3])
        outbox.flush(send: send)
        let unsent = outbox.takeUnsent()
        #expect(unsent == [1, 3, 5] && outbox.unsent.isEmpty)
        outbox.flush(send: send)
        #expect(outbox.unsent.isEmpty)
    }
}
