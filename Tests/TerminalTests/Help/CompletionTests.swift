import CLinux
import Testing

@testable import Terminal

@Suite struct CompletionTests {
    @Test func theScriptIsAsItWas() {
        snapshot("completion.bash", sample.bashCompletion())
    }

    /// What bash itself makes of the script: the words before the cursor and the proposals.
    @Test(arguments: [
        (["bell", "ch"], "channel"), (["bell", "channel", ""], "create list"), (["bell", "channel", "l"], "list"),
        (["bell", "-o", "json", "channel", "c"], "create"), (["bell", "channel", "list", "-o", "j"], "json"),
        (["bell", "channel", "create", "a", "b", "--st"], "--storage"),
        (["bell", "channel", "create", "--storage", ""], "none latest"),
        (["bell", "publish", "--im"], "--important"), (["bell", "channel", "list", "--limit", ""], ""),
    ])
    func bashCompletes(words: [String], proposals: String) throws {
        var template = Array("/tmp/bell-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let (script, output) = (folder + "/completion.bash", folder + "/output")
        defer {
            unlink(script)
            unlink(output)
            rmdir(folder)
        }
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let text =
            sample.bashCompletion() + """
                COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _bell; echo "${COMPREPLY[*]}"
                """
        try CommandFiles.write(Array(text.utf8), to: script).get()
        try #require(system("bash \(script) > \(output)") == 0)
        let bytes = try CommandFiles.read(output, bytesMax: 10_000).get()
        #expect(String(decoding: bytes, as: UTF8.self) == proposals + "\n")
    }
}
