internal import CarillonClient
internal import Codes
internal import Configuration
internal import LiveActivity
internal import Terminal
internal import Wire

/// What one node said when all were asked.
struct NodeAnswer: Sendable {
    /// The node's name in the configuration.
    let name: String
    /// Its document, or why there is none.
    let result: Result<JSONValue, Fault>

    /// Its document; nil when it did not answer.
    var document: JSONValue? { try? result.get() }

    /// Reads a document; up to a megabyte, as the protocol allows.
    static func read(_ bytes: [UInt8]) -> Result<JSONValue, Fault> {
        guard let document = try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20)) else {
            return .failure(Fault(.malformed, "the node's document is no JSON"))
        }
        return .success(document)
    }
}

/// Connections to all nodes that are to be asked, kept open between questions. Threads: any, never a loop's.
final class NodeCircle: Sendable {
    /// A node and how it is reached.
    typealias Member = (name: String, connection: CarillonClient.ProducerSettings)

    private let members: [(name: String, client: Result<CarillonProducer, Fault>)]

    /// Connects to every node that the command line or the configuration names.
    convenience init(_ program: Program, _ invocation: Invocation) throws(Fault) {
        let settings = try program.settings()
        var members: [(name: String, connection: Result<CarillonClient.ProducerSettings, Fault>)] = []
        for node in try program.nodes(settings, invocation) {
            let connection = Result { () throws(Fault) in try program.connection(settings, Reach(invocation), [node]) }
            members.append((node.name, connection))
        }
        self.init(connections: members)
    }

    /// Connects to nodes.
    convenience init(_ members: [Member]) {
        self.init(connections: members.map { ($0.name, .success($0.connection)) })
    }

    private init(connections: [(name: String, connection: Result<CarillonClient.ProducerSettings, Fault>)]) {
        members = connections.map { member in
            (member.name, Result { () throws(Fault) in try CarillonProducer(try member.connection.get()) })
        }
    }

    /// Asks all at once but some, and waits until each has answered or its time is over. In the order of the
    /// configuration.
    func ask(_ subject: DocumentQuery.Subject, except others: [String] = []) -> [NodeAnswer] {
        let members = members.filter { !others.contains($0.name) }
        let answers = Waiting.result { () async throws(Refusal) -> [NodeAnswer] in
            await Self.ask(members, subject)
        }
        return (try? answers.get()) ?? []
    }

    private static func ask(
        _ members: [(name: String, client: Result<CarillonProducer, Fault>)], _ subject: DocumentQuery.Subject
    ) async -> [NodeAnswer] {
        await withTaskGroup(of: (Int, NodeAnswer).self) { group in
            for (index, member) in members.enumerated() {
                group.addTask { (index, await ask(member.name, member.client, subject)) }
            }
            var answers: [(Int, NodeAnswer)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func ask(
        _ name: String, _ client: Result<CarillonProducer, Fault>, _ subject: DocumentQuery.Subject
    ) async -> NodeAnswer {
        do throws(Fault) {
            let client = try client.get()
            do throws(Refusal) {
                return NodeAnswer(name: name, result: NodeAnswer.read(try await client.document(subject)))
            } catch { throw error.fault }
        } catch { return NodeAnswer(name: name, result: .failure(error)) }
    }

    /// Closes all connections.
    func close() {
        let clients = members.compactMap { try? $0.client.get() }
        Waiting.until {
            await withTaskGroup(of: Void.self) { group in
                for client in clients { group.addTask { await client.close(flushMilliseconds: 200) } }
            }
        }
    }
}

extension [NodeAnswer] {
    /// The documents that came; throws what the first node said when none did, because nobody could be asked.
    func documents() throws(Fault) -> [JSONValue] {
        let documents = compactMap(\.document)
        if documents.isEmpty, case .failure(let fault)? = first?.result { throw fault }
        return documents
    }
}
