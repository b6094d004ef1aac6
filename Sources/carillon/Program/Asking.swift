internal import CLinux
internal import CarillonClient
internal import Codes
internal import Configuration
internal import Loops
internal import Messaging
internal import Terminal
internal import Wire

/// As whom, where and how patiently a command asks.
struct Reach {
    /// Instead of where the configuration says; nil: there.
    var endpoint: String?
    /// Whose certificate; nil: the first admin's, or the first producer's.
    var user: String?
    /// How long an answer may take.
    var timeoutMilliseconds: Int64 = 5000

    /// What holds when nothing is said.
    init() {}

    /// What the command line says; the command has `Program.askingOptions`.
    init(_ invocation: Invocation) {
        endpoint = invocation.text("endpoint")
        user = invocation.text("as")
        timeoutMilliseconds = invocation.milliseconds("timeout") ?? timeoutMilliseconds
    }
}

/// How a command reaches nodes: which endpoint, as whom.
extension Program {
    /// Options of every command that asks a node.
    static let askingOptions: [CommandOption] = [
        .text("node", "NAME", "Which node of the configuration to ask; by default any that answers.")
            .variable("CARILLON_NODE"),
        .text("endpoint", "ENDPOINT", "Where the node listens, when that is not where the configuration says.")
            .variable("CARILLON_ENDPOINT"),
        .text(
            "as", "NAME",
            "Whose certificate to use, an admin's or producer's; the first admin of the configuration by default."
        )
        .variable("CARILLON_AS"),
        .duration("timeout", "How long to wait for an answer.").variable("CARILLON_TIMEOUT").fallback("5s"),
    ]

    /// Asks any node and waits for what `body` returns.
    func ask<Answer: Sendable>(
        _ invocation: Invocation, _ body: @escaping @Sendable (CarillonProducer) async throws(Refusal) -> Answer
    ) throws(Fault) -> Answer {
        let settings = try settings()
        return try ask(try connection(settings, Reach(invocation), try nodes(settings, invocation)), body)
    }

    /// Asks over a connection and waits for what `body` returns.
    func ask<Answer: Sendable>(
        _ connection: CarillonClient.ProducerSettings,
        _ body: @escaping @Sendable (CarillonProducer) async throws(Refusal) -> Answer
    ) throws(Fault) -> Answer {
        let client = try CarillonProducer(connection)
        let result = Waiting.result { () async throws(Refusal) in
            let answer = await Result(catching: { () async throws(Refusal) in try await body(client) })
            await client.close(flushMilliseconds: 1000)
            return try answer.get()
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let refusal): throw explain(refusal)
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

    // MARK: Nodes

    /// The nodes to ask: the one that is named, or all of the configuration.
    func nodes(_ settings: Settings, _ invocation: Invocation) throws(Fault) -> [NodeSettings] {
        guard let name = invocation.text("node") else {
            guard let first = settings.nodes.first else {
                throw Fault(.unknownNode, "no [node.…] section", at: settings.file)
            }
            guard let endpoint = invocation.text("endpoint") else { return settings.nodes }
            // An endpoint says which node is meant, if it is one of the configuration.
            return [settings.nodes.first { $0.clientEndpoint == endpoint } ?? first]
        }
        guard let node = settings.node(name) else {
            throw Fault(.unknownNode, "no section [node.\(Printable.text(name))]", at: settings.file)
        }
        return [node]
    }

    /// A connection to some nodes, tried in turn.
    func connection(
        _ settings: Settings, _ reach: Reach, _ nodes: [NodeSettings]
    ) throws(Fault) -> CarillonClient.ProducerSettings {
        var addresses: [CarillonClient.ProducerSettings.Node] = []
        for node in nodes {
            let endpoint = reach.endpoint ?? node.clientEndpoint
            let isOpen = settings.cluster.insecure
            let server = isOpen ? nil : try Certificate.read(settings.keys.publicFile(.node, node.name), secret: false)
            addresses.append(.init(endpoint, serverKey: server?.publicKey))
        }
        let own = settings.cluster.insecure ? nil : try certificate(settings, reach.user)
        var connection = CarillonClient.ProducerSettings(nodes: addresses, certificate: own)
        connection.answerMilliseconds = reach.timeoutMilliseconds
        // Every node gets its turn within the time.
        let turns = Int64(addresses.count) + 1
        if addresses.count > 1 { connection.connectMilliseconds = connection.answerMilliseconds / turns }
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

extension NodeSettings {
    /// Where a client connects; a node that listens on every interface and says no more is on this machine.
    var clientEndpoint: String {
        if let advertised = advertisedProducers { return advertised.description }
        return Endpoint(producers).map { $0.at("127.0.0.1").description } ?? producers
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
}
