internal import CLinux
public import Codes
public import Loops

/// What can be done to nodes. Where no name is given the first node is meant.
extension LocalCluster {
    /// Starts a node; it is ready when a client gets an answer.
    public func startNode(_ name: String = node) throws(Fault) {
        let index = index(name)
        nodes[index].process = try start(
            ["node", "--config", configuration, "--name", name, "--end-with-parent"], at: nodes[index].place,
            log: nodes[index].log)
    }

    /// Starts all nodes, or those that are named.
    public func startNodes(_ names: [String]? = nil) throws(Fault) {
        for name in names ?? nodes.map(\.name) { try startNode(name) }
    }

    /// Ends a node with SIGKILL and waits for its end; harmless when it does not run.
    public func killNode(_ name: String = node) {
        let index = index(name)
        nodes[index].process?.kill(SIGKILL)
        _ = nodes[index].process?.wait()
        nodes[index].process = nil
    }

    /// Kills several nodes at once: all get the signal before the first is waited for.
    public func killNodes(_ names: [String]? = nil) {
        let names = names ?? nodes.map(\.name)
        for name in names { node(name).process?.kill(SIGKILL) }
        for name in names { killNode(name) }
    }

    /// Ends a node with SIGTERM, after 20 s with SIGKILL; how it ended.
    @discardableResult
    public func endNode(_ name: String = node) -> ChildProcess.Ending? {
        let index = index(name)
        defer { nodes[index].process = nil }
        return nodes[index].process?.end(withinMilliseconds: 20_000)
    }

    /// How a node ended by itself; nil while it runs or when there is none.
    public func nodeEnding(_ name: String = node) -> ChildProcess.Ending? {
        let index = index(name)
        guard let ending = nodes[index].process?.poll() else { return nil }
        nodes[index].process = nil
        return ending
    }

    /// Freezes a node with SIGSTOP: its sockets stay open and nobody answers.
    public func pauseNode(_ name: String = node) { node(name).process?.kill(SIGSTOP) }

    /// Lets a frozen node go on.
    public func resumeNode(_ name: String = node) { node(name).process?.kill(SIGCONT) }

    /// Asks a node to leave the cluster for good (SIGUSR1) and waits until it has; how it ended, nil when it does not
    /// end within a minute.
    public func leaveNode(_ name: String) -> ChildProcess.Ending? {
        node(name).process?.kill(SIGUSR1)
        let deadline = Clock.bootMilliseconds() + 60_000
        while Clock.bootMilliseconds() < deadline {
            if let ending = nodeEnding(name) { return ending }
            poll(nil, 0, 20)
        }
        return nil
    }

    /// Removes the database of a node that does not run; the next start makes it a new node of the same name.
    public func wipeNode(_ name: String = node) {
        precondition(node(name).process == nil, "the node runs")
        TemporaryDirectory.remove(node(name).dataDirectory)
    }

    /// The first node's process, while it was started and not waited for.
    public var nodeProcess: Int32? { nodes[0].processID }
    /// Path of the first node's log.
    public var nodeLog: String { nodes[0].log }
    /// Where producers connect to the first node.
    public var endpoint: String { nodes[0].producers }
}
