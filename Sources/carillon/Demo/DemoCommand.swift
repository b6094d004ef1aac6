internal import Codes
internal import Terminal

/// `carillon demo`: a real match through a real node to simulated phones.
enum DemoCommand {
    static let command = Command("demo", "Show a real match.", examples: [CommandExample("carillon demo", "Shows it.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        .success
    }
}
