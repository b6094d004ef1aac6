import Foundation
import LiveActivity

/// The example payloads of Tests/Fixtures/payloads with what a good linter says of each.
struct PayloadFixtures: Decodable {
    struct Payload: Decodable {
        let file: String
        let kind: String
        let event: String?
        let verdict: String
        let rule: String?
        let schema: String?
        let headers: [String: String]?

        var request: RequestKind {
            switch kind {
            case "start": .start
            case "broadcast": .broadcast
            default: .device
            }
        }

        var bytes: [UInt8] { (try? Array(Data(contentsOf: PayloadFixtures.folder.appending(path: file)))) ?? [] }
    }

    let referenceNow: Int64
    let payloads: [Payload]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/payloads")

    static func schemaBytes() throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: "schemas.json")))
    }

    static func load() throws -> PayloadFixtures {
        try JSONDecoder().decode(
            PayloadFixtures.self, from: Data(contentsOf: folder.appending(path: "manifest.json")))
    }
}
