import CLinux
import Codes
import Testing

@testable import Terminal

@Suite struct CommandFilesTests {
    /// A directory that is there while `body` runs.
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/files-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            unlink(folder + "/file")
            rmdir(folder)
        }
        try body(folder)
    }

    @Test func whatIsWrittenIsRead() throws {
        try withFolder { folder in
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
            try CommandFiles.write(bytes, to: folder + "/file", permissions: 0o600).get()
            #expect(try CommandFiles.read(folder + "/file", bytesMax: 200_000).get() == bytes)
            var status = stat()
            stat(folder + "/file", &status)
            #expect(status.st_mode & 0o777 == 0o600)
            guard case .failure(let fault) = CommandFiles.read(folder + "/file", bytesMax: 199_999) else {
                Issue.record("read too much")
                return
            }
            #expect(fault.code == .inputTooLarge)
        }
    }

    @Test func anExistingFileIsKeptWhenAsked() throws {
        try withFolder { folder in
            try CommandFiles.write([1], to: folder + "/file", replace: false).get()
            guard case .failure(let fault) = CommandFiles.write([2], to: folder + "/file", replace: false) else {
                Issue.record("replaced")
                return
            }
            #expect(fault.code == .outputUnwritable)
            #expect(try CommandFiles.read(folder + "/file", bytesMax: 10).get() == [1])
        }
    }

    @Test func missingFilesAreFaults() {
        for path in ["/nowhere/file", "/"] {
            guard case .failure(let fault) = CommandFiles.read(path, bytesMax: 10) else {
                Issue.record("read \(path)")
                return
            }
            #expect(fault.code == .inputUnreadable)
            #expect(fault.place == path)
            #expect(!fault.detail.isEmpty)
        }
    }
}
