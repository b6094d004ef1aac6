internal import Codes
internal import LiveActivity
internal import Node
internal import Terminal

/// `carillon version`: what runs.
enum VersionCommand {
    static let command = Command(
        "version", "Print the version.", examples: [CommandExample("carillon version -o json", "For a program.")])

    static func run(_ program: Program) -> ExitStatus {
        if program.console.format == .json {
            program.console.write(JSONValue(dictionaryLiteral: ("version", .string(CarillonNode.version))).line + "\n")
        } else {
            program.console.write("carillon \(CarillonNode.version)\n")
        }
        return .success
    }
}

/// `carillon errors`: what the codes mean.
enum ErrorsCommand {
    static let command = Command(
        "errors", "Explain a code, or list all of them.",
        arguments: [CommandArgument("CODE", "CRL-P104 or unknown-channel.", optional: true)],
        examples: [CommandExample("carillon errors CRL-P104", "Says what it means and what to do.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        guard let name = invocation.argument("CODE") else {
            list(program, Code.all)
            return .success
        }
        guard let code = Code.named(name) ?? Code.named(name.uppercasedASCII) else {
            throw Fault(.unknownCode, "'\(Printable.text(name))'")
        }
        if program.console.format == .table {
            program.console.write("\(code)\n\(code.meaning)\n\(code.action)\n")
        } else {
            list(program, [code])
        }
        return .success
    }

    private static func list(_ program: Program, _ codes: [Code]) {
        program.console.show(
            Table([.text("CODE"), .text("SLUG"), .text("MEANS"), .text("DO", wide: true)]).with(
                codes.map { [.init($0.id), .init($0.slug), .init($0.meaning), .init($0.action)] }),
            json: .array(
                codes.map {
                    [
                        "code": .string($0.id), "slug": .string($0.slug), "meaning": .string($0.meaning),
                        "action": .string($0.action), "retryable": .bool($0.retryable),
                        "exit": .integer(Int64($0.exit.rawValue)),
                    ]
                }))
    }
}

/// `carillon completion bash`.
enum CompletionCommand {
    static let command = Command(
        "completion", "Print a completion script for a shell.",
        arguments: [CommandArgument("SHELL", "bash.")],
        examples: [CommandExample("carillon completion bash > /etc/bash_completion.d/carillon", "Installs it.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        guard invocation.argument("SHELL") == "bash" else {
            throw Fault(.badOptionValue, "only bash is known", at: "SHELL")
        }
        program.console.write(Grammar.carillon.bashCompletion())
        return .success
    }
}

extension String {
    /// Letters a to z as capitals.
    var uppercasedASCII: String {
        String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }
}
