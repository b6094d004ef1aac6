import Codes
import Testing
import Wire

/// What frames of other versions, other planes and broken peers become.
@Suite struct MeshFrameTests {
    private let ping = MeshFrame.encode(MeshSamples.control[0].message, MeshSamples.header)

    private func controlFault(_ bytes: [UInt8]) -> Code? {
        if case .failure(let fault) = MeshFrame.decodeControl(bytes) { fault.code } else { nil }
    }

    private func dataFault(_ bytes: [UInt8]) -> Code? {
        if case .failure(let fault) = MeshFrame.decodeData(bytes) { fault.code } else { nil }
    }

    @Test func otherMajorVersionsAreRefused() {
        var frame = ping
        frame[3] = 2
        #expect(controlFault(frame) == .unsupportedVersion)
        #expect(dataFault(frame) == .unsupportedVersion)
    }

    @Test func everyTruncationIsAFault() {
        for frame in MeshSamples.frames {
            for count in 0..<frame.count {
                #expect(controlFault(Array(frame[..<count])) != nil)
                let header = count == 7 + 64
                #expect((dataFault(Array(frame[..<count])) == nil) == header, "only a frame without messages")
            }
        }
    }

    @Test func planesDoNotMix() {
        for (_, message) in MeshSamples.data { #expect(controlFault(MeshSamples.frame(message)) == .unknownCommand) }
        #expect(dataFault(ping) == .unknownCommand)
    }

    @Test func trailingBytesAreAFaultFromPeersOfThisVersion() {
        #expect(controlFault(ping + [0]) == .malformed)
    }

    // MARK: Higher minor versions

    /// The same message from a peer of minor version 9 that appends `extra` to header, body and the frame.
    private func newer(_ frame: [UInt8], extra: [UInt8], tail: [UInt8] = []) -> [UInt8] {
        var frame = frame
        frame[4] = 9
        let header = 64 + extra.count
        let body = 71 + 5
        let bodyCount = frame.count - body + extra.count
        let length = (0..<4).map { UInt8(truncatingIfNeeded: bodyCount >> (24 - 8 * $0)) }
        return frame[..<5] + [UInt8(header >> 8), UInt8(header & 255)] + frame[7..<71] + extra + [frame[71]] + length
            + frame[body...] + extra + tail
    }

    @Test func whatAHigherMinorVersionAppendsIsSkipped() throws {
        for (name, message) in MeshSamples.control {
            let bytes = newer(MeshFrame.encode(message, MeshSamples.header), extra: [1, 2, 3], tail: [250, 0])
            let (header, decoded) = try MeshFrame.decodeControl(bytes).get()
            #expect(decoded == message && header.minor == 9 && header.sender == MeshSamples.alpha, "\(name)")
        }
        for (name, message) in MeshSamples.data {
            let bytes = newer(MeshSamples.frame(message), extra: [1, 2, 3], tail: [250, 0, 0, 0, 2, 8, 8])
            #expect(try MeshFrame.decodeData(bytes).get().1 == [message], "\(name)")
        }
    }

    @Test func theSameFromThisMinorVersionIsAFault() {
        var bytes = newer(ping, extra: [1])
        bytes[4] = MeshHeader.minor
        #expect(controlFault(bytes) == .malformed)
    }

    // MARK: Data frames

    @Test func aFrameHoldsManyMessagesInOrder() throws {
        let messages = MeshSamples.data.map(\.message)
        var writer = DataFrameWriter(MeshSamples.header)
        #expect(writer.isEmpty)
        for message in messages { #expect(writer.append(message) == .taken) }
        #expect(writer.messageCount == messages.count && !writer.isEmpty)
        #expect(try MeshFrame.decodeData(writer.bytes).get().1 == messages)
        writer.reset(MeshSamples.header)
        #expect(writer.isEmpty)
        #expect(try MeshFrame.decodeData(writer.bytes).get().1.isEmpty)
    }

    private func answer(_ bytes: Int) -> DataMessage {
        .forwarded(
            Forwarded(request: 1, session: 1, isAnswer: true, frames: [[UInt8](repeating: 7, count: bytes)]))
    }

    @Test func aFullFrameTakesNoMoreButOneLargeMessage() {
        var writer = DataFrameWriter(MeshSamples.header)
        #expect(writer.append(answer(DataFrameWriter.bytesWanted)) == .taken)
        #expect(writer.append(answer(1)) == .full)
        writer.reset(MeshSamples.header)
        #expect(writer.append(answer(1000)) == .taken)
        #expect(writer.append(answer(DataFrameWriter.bytesWanted)) == .full)
        #expect(writer.append(answer(1000)) == .taken)
    }

    @Test func whatFitsInNoFrameIsRefused() {
        var writer = DataFrameWriter(MeshSamples.header)
        #expect(writer.append(answer(MeshFrame.bytesMax)) == .tooLarge)
        #expect(writer.append(answer(1)) == .taken)
        #expect(dataFault([UInt8](repeating: 0, count: MeshFrame.bytesMax + 1)) == .tooLarge)
    }

    @Test func moreMessagesThanTheBoundAreRefused() {
        var writer = DataFrameWriter(MeshSamples.header)
        let small = DataMessage.replication(.promise([]))
        for _ in 0..<MeshFrame.messagesMax { #expect(writer.append(small) == .taken) }
        #expect(writer.append(small) == .full)
        #expect(dataFault(writer.bytes) == nil)
        #expect(dataFault(writer.bytes + [131, 0, 0, 0, 2, 0, 0]) == .tooLarge)
    }

    // MARK: Bounds

    @Test func countsAboveTheirBoundAreRefused() {
        let news = Array(repeating: MeshSamples.verdict, count: Gossip.updatesMax + 1)
        let gossip = ControlMessage.membership(.gossip(Gossip(updates: news, wallMilliseconds: 0)))
        #expect(controlFault(MeshFrame.encode(gossip, MeshSamples.header)) == .badField)
        var member = MeshSamples.member
        member.name = String(repeating: "n", count: Member.nameBytesMax + 1)
        let join = ControlMessage.membership(.join(clusterName: "", member))
        #expect(controlFault(MeshFrame.encode(join, MeshSamples.header)) == .badField)
        let shard = DataMessage.replication(.promise([PromiseRequest(shard: 4097, epoch: 1)]))
        #expect(dataFault(MeshSamples.frame(shard)) == .badField)
    }

    /// Too long for its length field: cut by the writer, never a trap.
    @Test func whatIsLongerThanItsLengthIsCut() {
        var member = MeshSamples.member
        member.control = String(repeating: "c", count: 70_000)
        let join = ControlMessage.membership(.join(clusterName: "", member))
        #expect(controlFault(MeshFrame.encode(join, MeshSamples.header)) != nil)
    }
}
