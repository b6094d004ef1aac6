import Foundation
import Testing
import Wire

/// Decoders of the mesh take anything. Whatever they accept from a peer of this version, they write again as the same
/// bytes.
@Suite struct MeshFuzzTests {
    private func check(_ frame: [UInt8]) {
        if case .success(let (header, message)) = MeshFrame.decodeControl(frame), header.minor == MeshHeader.minor,
            !isUnsorted(message)
        {
            #expect(MeshFrame.encode(message, header) == frame)
        }
        if case .success(let (header, messages)) = MeshFrame.decodeData(frame), header.minor == MeshHeader.minor {
            var writer = DataFrameWriter(header)
            for message in messages { #expect(writer.append(message) == .taken) }
            #expect(writer.bytes == frame)
        }
        if case .success(let charter) = Charter.decode(frame) { #expect(charter.encoded() == frame) }
        _ = VoterSet.decode(frame)
    }

    /// Voter sets sort what they read.
    private func isUnsorted(_ message: ControlMessage) -> Bool {
        if case .consensus(.snapshot) = message { true } else { false }
    }

    private func change(_ frame: inout [UInt8], _ random: inout SplitMix64) {
        let count = frame.count
        let place = count == 0 ? 0 : Int(random.below(UInt64(count)))
        switch random.below(7) {
        case 0 where count > 0: frame[place] = UInt8(truncatingIfNeeded: random.next())
        case 1 where count > 0: frame[place] ^= 1 << UInt8(random.below(8))
        case 2 where count > 0: frame.remove(at: place)
        case 3: frame.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 4: frame.removeLast(count - place)
        case 5: frame += frame.prefix(place)
        default: if count > 0 { frame[place] = 255 }
        }
    }

    @Test(arguments: 0..<4) func changedFramesNeverTrap(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let seeds = MeshSamples.frames + [MeshSamples.charter.encoded(), MeshSamples.voters.encoded()]
        for _ in 0..<1500 {
            var frame = seeds[Int(random.below(UInt64(seeds.count)))]
            for _ in 0...random.below(3) { change(&frame, &random) }
            check(frame)
        }
    }

    /// A whole head with random bodies reaches every field of every kind.
    @Test func randomBodiesNeverTrap() {
        var random = SplitMix64(seed: 4)
        for kind in 0...255 {
            for _ in 0..<20 {
                let body = (0..<random.below(90)).map { _ in
                    // Mostly small numbers, so that counts are often met.
                    random.below(3) == 0 ? UInt8(truncatingIfNeeded: random.next()) : UInt8(random.below(3))
                }
                let head = MeshSamples.frames[0].prefix(71)
                check(head + [UInt8(kind), 0, 0, 0, UInt8(body.count)] + body)
            }
        }
    }

    @Test func whatOnceWentWrongStaysRight() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/Mesh/Regressions")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for line in lines where !line.hasPrefix("#") { check(try #require(Golden.bytes(hex: line))) }
        }
    }
}
