import Testing
import Wire

@Suite struct GoldenTests {
    @Test func producerMessagesAreWrittenAndReadAsTheVectorsSay() throws {
        for sample in try Samples.producer() {
            let frames = sample.message.frames()
            if Golden.isWriting {
                try Golden.write(sample.name, "producer to node", sample.meaning, frames)
            }
            let golden = try Golden.frames(sample.name)
            #expect(frames == golden, "\(sample.name)")
            #expect(ProducerMessage.decode(golden) == .success(sample.message), "\(sample.name)")
        }
    }

    @Test func nodeMessagesAreWrittenAndReadAsTheVectorsSay() throws {
        for sample in try Samples.node() {
            let frames = sample.message.frames()
            if Golden.isWriting {
                try Golden.write(sample.name, "node to producer", sample.meaning, frames)
            }
            let golden = try Golden.frames(sample.name)
            #expect(frames == golden, "\(sample.name)")
            #expect(NodeMessage.decode(golden) == .success(sample.message), "\(sample.name)")
        }
    }

    @Test func keysAreTheBytesOfTheirVectors() throws {
        let keys = [
            ("key-channel", "The newest instance is chosen by the node; here it is 1.", try Samples.key()),
            (
                "key-activity", "Instance 70000, partition 9.",
                try #require(
                    Key(app: "shop", kind: .activity, name: "order/größe", instance: 70_000, partition: 9))
            ),
        ]
        for (name, meaning, key) in keys {
            if Golden.isWriting { try Golden.write(name, "key", meaning, [key.bytes]) }
            #expect(try Golden.frames(name) == [key.bytes])
            #expect(Key(bytes: key.bytes) == key)
        }
    }

    @Test func everyAnswerSaysWhichRequestItIsFor() throws {
        for sample in try Samples.producer() where sample.name != "publish-full" {
            #expect((1...14).contains(sample.message.sequence))
        }
        let unasked = ["receipt", "credit", "goaway", "nack-unsupported"]
        for sample in try Samples.node() {
            #expect((sample.message.sequence == nil) == unasked.contains(sample.name), "\(sample.name)")
        }
    }
}
