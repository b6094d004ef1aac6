import Codes
import Foundation
import Messaging
import Testing

@Suite struct AllowListTests {
    @Test func filesComeAndGoWithoutARestart() throws {
        let directory = try TemporaryDirectory()
        let scores = try Certificate.generate(name: "scores", role: .producer)
        try scores.write(directory: directory.path)
        let list = try AllowList(directories: [directory.path])
        #expect(list.snapshot.role(of: scores.userID) == .producer)
        #expect(list.snapshot.certificate(key: scores.publicKey.bytes)?.name == "scores")
        #expect(list.snapshot.generation == 1)
        #expect(!(try list.reload()))
        let ops = try Certificate.generate(name: "ops", role: .admin)
        try ops.write(directory: directory.path)
        #expect(try list.reload())
        #expect(list.snapshot.role(of: ops.userID) == .admin && list.snapshot.generation == 2)
        try FileManager.default.removeItem(atPath: directory.path + "/scores.key")
        #expect(try list.reload())
        #expect(list.snapshot.role(of: scores.userID) == nil)
        #expect(list.snapshot.certificate(key: scores.publicKey.bytes) == nil)
        #expect(list.snapshot.role(of: "") == nil)
    }

    @Test func aKeyReplacedUnderTheSameNameIsNotAllowedAnyMore() throws {
        let directory = try TemporaryDirectory()
        let former = try Certificate.generate(name: "scores", role: .producer)
        try former.write(directory: directory.path)
        let list = try AllowList(directories: [directory.path])
        for file in ["/scores.key", "/scores.key_secret"] {
            try FileManager.default.removeItem(atPath: directory.path + file)
        }
        let new = try Certificate.generate(name: "scores", role: .producer)
        try new.write(directory: directory.path)
        #expect(try list.reload())
        #expect(list.snapshot.role(of: former.userID) == nil)
        #expect(list.snapshot.role(of: new.userID) == .producer)
        #expect(Certificate.name(ofUserID: former.userID) == "scores")
    }

    @Test func badFilesAreLeftOutAndReported() throws {
        let directory = try TemporaryDirectory()
        let good = try Certificate.generate(name: "good", role: .producer)
        try good.write(directory: directory.path)
        try directory.write("nonsense", to: "bad.key")
        try directory.write("metadata\n    name = \"twin\"\ncurve\n    public-key = \"\(good.publicKey)\"", to: "z.key")
        try directory.write("nonsense", to: "notes.txt")
        let snapshot = try AllowList(directories: [directory.path]).snapshot
        #expect(snapshot.byName.keys.sorted() == ["good"])
        #expect(snapshot.faults.map(\.code) == [.certificateMalformed, .certificateDuplicate])
    }

    @Test func aDirectoryThatVanishesLeavesTheListInForce() throws {
        let directory = try TemporaryDirectory()
        let scores = try Certificate.generate(name: "scores", role: .producer)
        try scores.write(directory: directory.path)
        let list = try AllowList(directories: [directory.path])
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(throws: Fault.self) { try list.reload() }
        #expect(list.snapshot.role(of: scores.userID) == .producer)
        #expect(throws: Fault.self) { try AllowList(directories: [directory.path]) }
    }
}
