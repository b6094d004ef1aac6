import Foundation
import Testing
import Wire

/// Decoders take anything. Whatever they accept, they write again as something that means the same.
@Suite struct FuzzTests {
    private func check(_ frames: [[UInt8]]) {
        if case .success(let message) = ProducerMessage.decode(frames), isWhole(message) {
            #expect(ProducerMessage.decode(message.frames()) == .success(message))
        }
        if case .success(let message) = NodeMessage.decode(frames) {
            #expect(NodeMessage.decode(message.frames()) == .success(message))
        }
    }

    /// An item of a batch that cannot be read is not written again.
    private func isWhole(_ message: ProducerMessage) -> Bool {
        guard case .batch(let batch) = message else { return true }
        return batch.items.allSatisfy { item in
            if case .success = item { true } else { false }
        }
    }

    private func change(_ frames: inout [[UInt8]], _ random: inout SplitMix64) {
        let frame = Int(random.below(UInt64(frames.count)))
        let count = frames[frame].count
        let place = count == 0 ? 0 : Int(random.below(UInt64(count)))
        switch random.below(8) {
        case 0 where count > 0: frames[frame][place] = UInt8(truncatingIfNeeded: random.next())
        case 1 where count > 0: frames[frame][place] ^= 1 << UInt8(random.below(8))
        case 2 where count > 0: frames[frame].remove(at: place)
        case 3: frames[frame].insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 4: frames[frame].removeLast(count - place)
        case 5: frames[frame] += frames[frame].prefix(place)
        case 6 where frames.count < 5: frames.insert(frames[frame], at: frame)
        case 7 where frames.count > 1: frames.remove(at: frame)
        default: frames[frame].insert(contentsOf: Array("\"\\{}[],:0".utf8), at: place)
        }
    }

    @Test(arguments: 0..<8) func changedMessagesNeverTrap(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let seeds = try Samples.producer().map { $0.message.frames() } + Samples.node().map { $0.message.frames() }
        for _ in 0..<400 {
            var frames = seeds[Int(random.below(UInt64(seeds.count)))]
            for _ in 0...random.below(3) { change(&frames, &random) }
            check(frames)
        }
    }

    @Test func randomBytesNeverTrap() {
        var random = SplitMix64(seed: 99)
        for _ in 0..<500 {
            let header = (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            check([ProducerProtocol.tag, header])
            check([header])
        }
    }

    @Test func whatOnceWentWrongStaysRight() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Regressions")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            check(try lines.filter { !$0.hasPrefix("#") }.map { try #require(Golden.bytes(hex: $0)) })
        }
    }
}
