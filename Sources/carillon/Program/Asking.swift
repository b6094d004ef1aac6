internal import CLinux
internal import CarillonClient
internal import Codes
internal import Configuration
internal import Loops
internal import Messaging
internal import Terminal
internal import Wire

/// How a command reaches a node: which endpoint, as whom.
extension Program {
    /// Options of every command that asks a node.
    static let askingOptions: [CommandOption] = [
        .text("endpoint", "ENDPOINT", "Where the node listens; the first node of the configuration by default.")
            .variable("CARILLON_ENDPOINT"),
        .text(
            "as", "NAME",
            "Whose certificate to use, an admin's or producer's; the first admin of the configuration by default."
        )
        .variable("CARILLON_AS"),
        .duration("timeout", "How long to wait for an answer.").variable("CARILLON_TIMEOUT").fallback("5s"),
    ]

    /// Asks a node and waits for what `body` returns.
    func ask<Answer: Sendable>(
        _ invocation: Invocation, _ body: @escaping @Sendable (CarillonProducer) async throws(Refusal) -> Answer
    ) throws(Fault) -> Answer {
        let settings = try settings()
        let client = try CarillonProducer(try connection(settings, invocation))
        let result = Lock<Result<Answer, Refusal>?>(nil)
        let done = Wakeup()
        Task.detached {
            let answer = await Result(catching: { () async throws(Refusal) in try await body(client) })
            await client.close(flushMilliseconds: 1000)
            result.withLock { $0 = answer }
            done.signal()
        }
        let poller = Poller()
        poller.add(done.descriptor, tag: 0)
        while result.withLock({ $0 == nil }) { poller.wait(milliseconds: -1) { _ in done.clear() } }
        switch result.withLock({ $0 }) {
        case .success(let answer): return answer
        case .failure(let refusal): throw explain(refusal)
        case nil: throw Fault(.internalTrouble)
        }
    }

    /// A refusal as a fault, with what the linter found.
    private func explain(_ refusal: Refusal) -> Fault {
        guard let nack = refusal.nack else { return refusal.fault }
        for finding in nack.findings {
            console.say(
                "\(finding.line):\(finding.column): \(finding.severity.rawValue): "
                    + "\(finding.path): \(finding.text) (\(finding.rule))"
            )
        }
        let code = nack.known ?? refusal.fault.code
        var detail = nack.text
        // The node's text already ends with what to do; the fault says it once.
        if detail.hasSuffix(code.action) { detail = String(detail.dropLast(code.action.count)).trimmed }
        if let retry = nack.retryMilliseconds { detail += " Retry in \(retry) ms." }
        return Fault(code, detail, at: nack.field)
    }

    func connection(_ settings: Settings, _ invocation: Invocation) throws(Fault) -> CarillonClient.ProducerSettings {
        guard let node = settings.nodes.first else {
            throw Fault(.unknownNode, "no [node.…] section", at: settings.file)
        }
        let endpoint = invocation.text("endpoint") ?? node.producers.replacingHost
        var connection: CarillonClient.ProducerSettings
        if settings.cluster.insecure {
            connection = .init(nodes: [.init(endpoint)], certificate: nil)
        } else {
            let server = try Certificate.read(settings.keys.publicFile(.node, node.name), secret: false)
            let own = try certificate(settings, invocation.text("as"))
            connection = .init(nodes: [.init(endpoint, serverKey: server.publicKey)], certificate: own)
        }
        connection.answerMilliseconds = invocation.milliseconds("timeout") ?? 5000
        connection.name = "carillon"
        return connection
    }

    /// The certificate of the named admin or producer, or of the first admin, or of the first producer.
    private func certificate(_ settings: Settings, _ name: String?) throws(Fault) -> Certificate {
        let admins = settings.admins.map { (KeySettings.Role.admin, $0.name) }
        let producers = settings.producers.map { (KeySettings.Role.producer, $0.name) }
        let candidates = (admins + producers).filter { name == nil || $0.1 == name }
        for (role, name) in candidates {
            let path = settings.keys.secretFile(role, name)
            if access(path, R_OK) == 0 { return try Certificate.read(path, secret: true) }
        }
        guard let (role, first) = candidates.first else {
            throw Fault(
                .certificateMissing, "'\(Printable.text(name ?? ""))' is no admin or producer", at: settings.file)
        }
        throw Fault(.certificateMissing, "", at: settings.keys.secretFile(role, first))
    }
}

extension Result where Failure: Error {
    /// Catches what an async body throws.
    fileprivate init(catching body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension String {
    /// Without spaces and a full stop at the end.
    fileprivate var trimmed: String {
        var text = self
        while let last = text.last, last == " " || last == "." { text.removeLast() }
        return text
    }

    /// `tcp://*:7701` as a client on the same machine connects to it.
    fileprivate var replacingHost: String {
        for any in ["tcp://*:", "tcp://0.0.0.0:", "tcp://[::]:"] where hasPrefix(any) {
            return "tcp://127.0.0.1:" + dropFirst(any.count)
        }
        return self
    }
}
