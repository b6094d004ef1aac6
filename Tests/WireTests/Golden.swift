import Foundation
import Testing

/// The golden vectors: `NAME.hex` with one frame a line, and `NAME.json` with what it means.
enum Golden {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    /// Whether the vectors are to be written anew from the samples instead of compared.
    static let isWriting = ProcessInfo.processInfo.environment["CARILLON_WRITE_GOLDEN"] == "1"

    static func frames(_ name: String) throws -> [[UInt8]] {
        let text = try String(contentsOf: directory.appending(path: name + ".hex"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            try #require(bytes(hex: line), "\(name): not hexadecimal")
        }
    }

    static func write(_ name: String, _ direction: String, _ meaning: String, _ frames: [[UInt8]]) throws {
        let hex = frames.map { hexadecimal($0) + "\n" }.joined()
        try Data(hex.utf8).write(to: directory.appending(path: name + ".hex"))
        let texts = frames.map { String(decoding: $0, as: UTF8.self) }
        let description = Description(name: name, direction: direction, meaning: meaning, frames: texts)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(description).write(to: directory.appending(path: name + ".json"))
    }

    private struct Description: Encodable {
        let name, direction, meaning: String
        let frames: [String]
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func bytes(hex: some StringProtocol) -> [UInt8]? {
        let digits = hex.utf8.map { $0 }
        guard digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
