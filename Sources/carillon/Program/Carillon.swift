internal import CLinux
internal import Codes
internal import Terminal

/// The `carillon` command: arguments in, calls out, an exit status.
@main
struct Carillon {
    static func main() {
        let environment = ProcessEnvironment.read()
        let status = run(Array(CommandLine.arguments.dropFirst()), environment)
        exit(status.rawValue)
    }

    static func run(_ arguments: [String], _ environment: [String: String]) -> ExitStatus {
        crl_ignore_broken_pipes()
        switch Grammar.carillon.parse(arguments, environment: environment) {
        case .success(.help(let text)):
            Descriptor.writeAll(1, text)
            return .success
        case .success(.version):
            return VersionCommand.run(Program(environment: environment, invocation: nil))
        case .success(.run(let invocation)):
            return perform(invocation, Program(environment: environment, invocation: invocation))
        case .failure(let fault):
            let console = Console(environment: environment)
            let status = console.fail(fault)
            console.say("Try 'carillon --help'.")
            return status
        }
    }

    private static func perform(_ invocation: Invocation, _ program: Program) -> ExitStatus {
        do throws(Fault) {
            return try CommandTable.body(of: invocation.command)(program, invocation)
        } catch {
            return program.console.fail(error)
        }
    }
}
