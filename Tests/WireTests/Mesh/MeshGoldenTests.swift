import Foundation
import Testing
import Wire

/// The bytes of every message are fixed: nodes of different versions talk to each other.
@Suite struct MeshGoldenTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden/Mesh")

    private func golden(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        if Golden.isWriting {
            try Data((Golden.hexadecimal(bytes) + "\n").utf8).write(to: Self.directory.appending(path: name + ".hex"))
        }
        return try #require(try Golden.frames("Mesh/" + name).first)
    }

    @Test func controlMessagesAreTheBytesOfTheirVectors() throws {
        for (name, message) in MeshSamples.control {
            let bytes = MeshFrame.encode(message, MeshSamples.header)
            #expect(try golden(name, bytes) == bytes, "\(name)")
            let (header, decoded) = try MeshFrame.decodeControl(bytes).get()
            #expect(header == MeshSamples.header && decoded == message, "\(name)")
        }
    }

    @Test func dataMessagesAreTheBytesOfTheirVectors() throws {
        for (name, message) in MeshSamples.data {
            let bytes = MeshSamples.frame(message)
            #expect(try golden(name, bytes) == bytes, "\(name)")
            let (header, decoded) = try MeshFrame.decodeData(bytes).get()
            #expect(header == MeshSamples.header && decoded == [message], "\(name)")
        }
    }

    @Test func everyKindStandsInTheDescription() throws {
        let headerBytes = 3 + 1 + 1 + 2 + 64
        let root = Self.directory.appending(path: "../../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: "Docs/Protocol/Mesh.md"), encoding: .utf8)
        var frames = MeshSamples.control.map { ($0.name, MeshFrame.encode($0.message, MeshSamples.header)) }
        frames += MeshSamples.data.map { ($0.name, MeshSamples.frame($0.message)) }
        for (name, frame) in frames {
            let words = name.split(separator: "-")
            let isThere = (1...words.count).contains { count in
                text.contains("| \(frame[headerBytes]) | \(words.prefix(count).joined(separator: "-")) |")
            }
            #expect(isThere, "\(frame[headerBytes]) \(name)")
        }
    }

    @Test func storedFormsAreTheBytesOfTheirVectors() throws {
        let charter = MeshSamples.charter.encoded()
        #expect(try golden("stored-charter", charter) == charter)
        #expect(Charter.decode(charter) == .success(MeshSamples.charter))
        let voters = MeshSamples.voters.encoded()
        #expect(try golden("stored-voters", voters) == voters)
        #expect(VoterSet.decode(voters) == .success(MeshSamples.voters))
    }

    @Test func storedFormsOfOthersAreRefused() {
        #expect((try? Charter.decode([2] + MeshSamples.charter.encoded().dropFirst()).get()) == nil)
        #expect((try? Charter.decode(MeshSamples.charter.encoded() + [0]).get()) == nil)
        #expect((try? Charter.decode([]).get()) == nil)
        #expect((try? VoterSet.decode(MeshSamples.voters.encoded().dropLast()).get()) == nil)
    }

    /// The sizes that Docs state; a ping is what every node sends twice a second.
    @Test func pingsAreSmall() {
        let empty = MeshFrame.encode(.membership(.ping(sequence: 1, Gossip(wallMilliseconds: 0))), MeshSamples.header)
        #expect(empty.count == 99)
        let verdicts = Gossip(updates: Array(repeating: MeshSamples.verdict, count: 6), wallMilliseconds: 0)
        let full = MeshFrame.encode(.membership(.ping(sequence: 1, verdicts)), MeshSamples.header)
        #expect(full.count == 99 + 6 * 45)
    }
}
