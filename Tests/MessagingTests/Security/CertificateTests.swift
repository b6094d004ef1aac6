import Codes
import Foundation
import Messaging
import Testing

@Suite struct CertificateTests {
    private func code(_ body: () throws(Fault) -> Void) -> Code? {
        do throws(Fault) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let directory = try TemporaryDirectory()
        let made = try Certificate.generate(name: "scores", role: .producer)
        let paths = try made.write(directory: directory.path)
        #expect(paths.publicPath.hasSuffix("/scores.key") && paths.secretPath.hasSuffix("/scores.key_secret"))
        let whole = try Certificate.read(paths.secretPath, secret: true)
        #expect(whole.name == "scores" && whole.role == .producer && whole.publicKey == made.publicKey)
        #expect(whole.hasSecret)
        let half = try Certificate.read(paths.publicPath, secret: false)
        #expect(half.publicKey == made.publicKey && !half.hasSecret)
        #expect(!(try Certificate.read(paths.secretPath, secret: false)).hasSecret)
        #expect(code { () throws(Fault) in try made.write(directory: directory.path) } == .certificateExists)
    }

    @Test func faultsAreClear() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let made = try Certificate.generate(name: "n1", role: .node)
        let paths = try made.write(directory: path)
        #expect(
            code { () throws(Fault) in _ = try Certificate.read(path + "/none.key", secret: false) }
                == .certificateMissing)
        #expect(code { () throws(Fault) in _ = try Certificate.read(path, secret: false) } == .certificateMissing)
        try directory.write("curve\n    public-key = \"\(made.publicKey)\"\n", to: "half.key_secret")
        #expect(
            code { () throws(Fault) in _ = try Certificate.read(path + "/half.key_secret", secret: true) }
                == .certificateNoSecret)
        #expect(
            code { () throws(Fault) in _ = try Certificate.read(paths.publicPath, secret: true) }
                == .secretPermissions)
        #expect(code { () throws(Fault) in _ = try made.publicPart.write(directory: path) } == .certificateNoSecret)
        #expect(code { () throws(Fault) in try made.write(directory: path + "/none") } == .certificateNotWritten)
    }

    @Test(arguments: [
        ("", Code.certificateMalformed), ("curve\n    secret-key = \"x\"", .certificateMalformed),
        ("curve\n    public-key = \"short\"", .certificateMalformed),
        ("curve\n    public-key = \"\(String(repeating: "~", count: 40))\"", .certificateMalformed),
        (
            "metadata\n    name = \"../x\"\ncurve\n    public-key = \"\(String(repeating: "0", count: 40))\"",
            .badCertificateName
        ),
        (
            "metadata\n    role = \"king\"\ncurve\n    public-key = \"\(String(repeating: "0", count: 40))\"",
            .badCertificateName
        ),
        (String(repeating: "#", count: 20_000), .certificateMalformed),
    ])
    func malformedFilesAreRefused(text: String, expected: Code) throws {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "bad.key")
        #expect(
            code { () throws(Fault) in _ = try Certificate.read(directory.path + "/bad.key", secret: false) }
                == expected)
    }

    @Test func certificatesOfOthersHaveTheFileNameAndTheLeastRole() throws {
        let directory = try TemporaryDirectory()
        let key = try Certificate.generate(name: "x", role: .admin).publicKey
        try directory.write("# made elsewhere\nmetadata\ncurve\n\tpublic-key = '\(key)'\n", to: "orders.key")
        let certificate = try Certificate.read(directory.path + "/orders.key", secret: false)
        #expect(certificate.name == "orders" && certificate.role == .producer && certificate.publicKey == key)
    }

    @Test func namesAndDescriptionsAreSafe() throws {
        for name in ["", ".hidden", "a/b", "a b", "ä", String(repeating: "a", count: 65)] {
            #expect(!Certificate.isName(name))
            #expect(
                code { () throws(Fault) in _ = try Certificate.generate(name: name, role: .node) }
                    == .badCertificateName)
        }
        let certificate = try Certificate.generate(name: "n", role: .node)
        let directory = try TemporaryDirectory()
        let paths = try certificate.write(directory: directory.path)
        let text = try String(contentsOfFile: paths.secretPath, encoding: .utf8)
        let secret = try #require(text.split(separator: "secret-key = \"").last?.prefix(40))
        #expect(!"\(certificate)".contains(secret) && !"\([certificate])".contains(secret))
        var dumped = ""
        dump(certificate, to: &dumped)
        #expect(!dumped.contains(secret))
    }
}
