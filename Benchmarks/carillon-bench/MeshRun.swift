import CLinux
import Codes
import Loops
import Messaging
import Wire

/// Two nodes' mesh ports: this thread plays the owner that pings and sends pieces, another the replica that answers.
final class MeshRun {
    static let header = MeshHeader(cluster: NodeID(high: 1, low: 1), sender: NodeID(high: 2, low: 2), generation: 3)
    private static let pingNanoseconds: Int64 = 2_000_000
    private static let quietPings = 2000

    private let directory: String
    private let owner: MeshSide
    private let thread = LoopThread(name: "replica")
    private let ended = Lock(false)
    private var trips: [Int64] = []
    private var sentAt: [UInt32: Int64] = [:]
    private var sequence: UInt32 = 0
    private var unanswered = 0

    init(encrypts: Bool, ioThreads: Int32) throws(Fault) {
        var template = Array("/tmp/carillon-mesh-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Fault(.certificateNotWritten, "mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let certificates = [
            try Certificate.generate(name: "n1", role: .node), try Certificate.generate(name: "n2", role: .node),
        ]
        for certificate in certificates { try certificate.write(directory: directory) }
        let list = encrypts ? try AllowList(directories: [directory]) : nil
        owner = try MeshSide(certificates[0], list, ioThreads)
        try owner.meet(start(certificates[1], list, ioThreads))
    }

    /// Ends the replica's thread and removes the certificates.
    func end() {
        ended.withLock { $0 = true }
        thread.wakeup.signal()
        thread.join()
        owner.close()
        for name in ["n1", "n2"] { for ending in [".key", ".key_secret"] { unlink("\(directory)/\(name)\(ending)") } }
        rmdir(directory)
    }

    /// Sends so much bulk, or `quietPings` pings without any; the nanoseconds of every round trip.
    func measure(megabytes: Int, credit: Int) throws(Fault) -> [Int64] {
        let pieces = megabytes * 1_048_576 / RowsPiece.bytesWanted
        let frame = Self.piece()
        try warmUp()
        var (left, nextPing) = (pieces, Int64(0))
        while left > 0 || unanswered > 0 || (pieces == 0 && trips.count < Self.quietPings) {
            let now = Clock.monotonicNanoseconds()
            if now >= nextPing {
                nextPing = now + Self.pingNanoseconds
                ping(now)
            }
            while left > 0, unanswered < credit, owner.port.sendData(frame, to: "n2") == .sent {
                (left, unanswered) = (left - 1, unanswered + 1)
            }
            turn()
        }
        return trips
    }

    private func warmUp() throws(Fault) {
        let deadline = Clock.monotonicNanoseconds() + 10_000_000_000
        while trips.isEmpty || owner.port.sendData(Self.credit(), to: "n2") != .sent {
            guard Clock.monotonicNanoseconds() < deadline else { throw Fault(.noAnswer, "the replica") }
            ping(Clock.monotonicNanoseconds())
            turn()
        }
        (trips, sentAt) = ([], [:])
    }

    private func ping(_ now: Int64) {
        sequence += 1
        sentAt[sequence] = now
        let message = ControlMessage.membership(.ping(sequence: sequence, Gossip(wallMilliseconds: 0)))
        owner.port.sendControl(MeshFrame.encode(message, Self.header), to: "n2")
    }

    private func turn() {
        owner.turn { message in
            guard case .membership(.ack(let sequence, _)) = message, let sent = sentAt.removeValue(forKey: sequence)
            else { return }
            trips.append(Clock.monotonicNanoseconds() - sent)
        } data: { message in
            if case .replication(.rowsTaken(_, _, _, _)) = message { unanswered -= 1 }
        }
    }

    // MARK: The replica

    /// Starts its thread, which makes, uses and closes its sockets; where it listens.
    private func start(
        _ certificate: Certificate, _ list: AllowList?, _ ioThreads: Int32
    ) throws(Fault) -> MeshSide.Place {
        let (place, made, ended, meets) = (Lock<MeshSide.Place?>(nil), Wakeup(), ended, owner.place)
        thread.start {
            defer { made.signal() }
            do throws(Fault) {
                let side = try MeshSide(certificate, list, ioThreads)
                try side.meet(meets)
                place.withLock { $0 = side.place }
                made.signal()
                while !ended.withLock({ $0 }) { Self.answer(side) }
                side.close()
            } catch {
                print(error)
            }
        }
        NodeBench.pause(made, milliseconds: 10_000)
        guard let place = place.withLock({ $0 }) else { throw Fault(.noAnswer, "the replica") }
        return place
    }

    private static func answer(_ side: MeshSide) {
        side.turn { message in
            guard case .membership(.ping(let sequence, let gossip)) = message else { return }
            let ack = ControlMessage.membership(.ack(sequence: sequence, gossip))
            side.port.sendControl(MeshFrame.encode(ack, header), to: "n1")
        } data: { message in
            if case .replication(.rows) = message { side.port.sendData(credit(), to: "n1") }
        }
    }

    private static func credit() -> [UInt8] {
        var writer = DataFrameWriter(header)
        _ = writer.append(.replication(.rowsTaken(shard: 1, epoch: 1, piece: 0, to: .zero)))
        return writer.bytes
    }

    private static func piece() -> [UInt8] {
        let version = ShardVersion(epoch: 1, count: 1)
        let rows = (0..<64).map { index in
            ShardRow(
                kind: 1, key: [UInt8](repeating: UInt8(index), count: 40), version: version,
                value: [UInt8](repeating: 7, count: 960))
        }
        var writer = DataFrameWriter(header)
        let piece = RowsPiece(
            shard: 1, epoch: 1, from: .zero, to: version, base: .zero, isWhole: true, piece: 0, isLast: false,
            purge: .zero, rows: rows)
        _ = writer.append(.replication(.rows(piece)))
        return writer.bytes
    }
}

/// One node: a context of its own, a port, and turns that read control first.
final class MeshSide {
    /// Who and where a node is.
    struct Place: Sendable {
        let name: String
        let control: String
        let data: String
    }

    let port: MeshPort
    private let name: String
    private let context: MessagingContext
    private let authenticator: Authenticator?
    private let poll = SocketPoll()

    init(_ certificate: Certificate, _ list: AllowList?, _ ioThreads: Int32) throws(Fault) {
        name = certificate.name
        let context = MessagingContext(ioThreads: ioThreads)
        self.context = context
        authenticator = try list.map { list throws(Fault) in
            try Authenticator(context: context, domains: [.init(MeshSettings.Security.domain, list, roles: [.node])])
        }
        var settings = MeshSettings(
            control: "tcp://127.0.0.1:*", data: "tcp://127.0.0.1:*", identity: Array(name.utf8),
            security: list.map { MeshSettings.Security(certificate: certificate, allowList: $0) })
        if ioThreads > 1 { settings.ioThreads = (control: 0, data: 1) }
        port = try MeshPort(context: context, settings: settings)
        port.add(to: poll)
    }

    var place: Place { Place(name: name, control: port.endpoint(.control), data: port.endpoint(.data)) }

    func meet(_ other: Place) throws(Fault) {
        try port.connect(other.name, control: other.control, data: other.data, now: Clock.bootMilliseconds())
    }

    func turn(control: (ControlMessage) -> Void, data: (DataMessage) -> Void) {
        poll.wait(milliseconds: 1)
        port.maintain(now: Clock.bootMilliseconds())
        _ = port.receiveControl(budget: 64) { message in
            if case .success(let (_, message)) = MeshFrame.decodeControl(message.bytes) { control(message) }
        }
        _ = port.receiveData(budget: 16) { message in
            guard case .success(let (_, messages)) = MeshFrame.decodeData(message.bytes) else { return }
            for message in messages { data(message) }
        }
    }

    func close() {
        port.close()
        authenticator?.stop()
    }
}
