internal import CLinux
internal import Codes
internal import HTTP2
internal import Loops
internal import SimulatedAPNs

extension SimulatorLoop {
    /// One client.
    struct Connection {
        let http: ServerConnection
        let listener: ListenerKind
        let openedAt: Int64
        /// The last `authorization` field and what it was worth.
        var authorization: [UInt8] = []
        var credential = Credential.missing
        /// Answers that wait for their time.
        var pending = 0
        /// When GOAWAY was sent; nil: not yet.
        var leavingSince: Int64?
        /// When the world began to owe a GOAWAY, in milliseconds since boot, plus the time it may owe it.
        var owesSince = Int64.max
        var wantsWrite = false
    }

    private static let connectionsMax = 4096
    private static let handshakeMilliseconds: Int64 = 10_000
    private static let lingerMilliseconds: Int64 = 5_000
    private static let owingMilliseconds: Int64 = 100

    /// As seen at Apple (Docs/APNs.md 1.3); bodies a little over the largest limit.
    private var options: ServerOptions {
        var options = ServerOptions()
        options.maxConcurrentStreams = world.rules.streamsAtFirst
        options.maxBodyBytes = 8 << 10
        options.maxHeaderBytes = 8_000
        return options
    }

    func accept(from listener: HTTP2.Listener, _ kind: ListenerKind) {
        do throws(Fault) {
            while let descriptor = try listener.accept() {
                guard connections.count < Self.connectionsMax else {
                    close(descriptor)
                    continue
                }
                let http = try ServerConnection(context: context, accepted: descriptor, options: options)
                lastConnection += 1
                connections[lastConnection] = Connection(
                    http: http, listener: kind, openedAt: Clock.bootMilliseconds())
                poller.add(http.descriptor, tag: Tag.connection(lastConnection))
            }
        } catch {
            // Out of descriptors: the waiting client is taken after the next sweep, when others may have gone.
            poller.remove(listener.descriptor)
            pausedListeners.insert(kind)
        }
    }

    func serveConnection(_ number: UInt64, _ readiness: Poller.Readiness) {
        guard let http = connections[number]?.http else { return }
        events.removeAll(keepingCapacity: true)
        http.ready(readable: readiness.readable, writable: readiness.writable, into: &events)
        touched.insert(number)
        handleEvents(number)
    }

    private func handleEvents(_ number: UInt64) {
        var batch: [ServerEvent] = []
        swap(&batch, &events)
        for event in batch {
            switch event {
            case .connected:
                guard let connection = connections[number] else { continue }
                open(number, connection)
            case .request(let request): handle(request, number)
            case .streamClosed, .goAway: break
            case .closed: forget(number)
            }
        }
        batch.removeAll(keepingCapacity: true)
        if events.isEmpty { swap(&batch, &events) }
        carryOut()
    }

    private func open(_ number: UInt64, _ connection: Connection) {
        let now = Clock.wallMilliseconds()
        let shown = connection.http.clientCertificate
        guard !shown.isEmpty else {
            return world.open(connection: number, on: connection.listener, nowMilliseconds: now)
        }
        world.open(
            connection: number, on: connection.listener, certificate: certificates.judge(shown), nowMilliseconds: now,
            into: &effects)
    }

    private func handle(_ request: ServerRequest, _ number: UInt64) {
        var fields = RequestFields()
        fields.method = String(decoding: request.method, as: UTF8.self)
        fields.path = String(decoding: request.path, as: UTF8.self)
        for (name, value) in request.headers.fields { fields.add(name, value) }
        let credential = credential(fields.authorization, number)
        world.handle(
            Request(
                id: RequestID(connection: number, stream: request.stream), fields: fields, credential: credential,
                body: request.body, bodyLength: request.body.count + (request.bodyTooLarge ? 1 : 0)),
            nowMilliseconds: Clock.wallMilliseconds(), into: &effects)
        isChanged = true
    }

    /// Most requests of a connection carry the token of the one before; comparing takes the same time wherever they differ.
    private func credential(_ authorization: String?, _ number: UInt64) -> Credential {
        guard let authorization else { return .missing }
        let bytes = Array(authorization.utf8)
        if let connection = connections[number], connection.authorization.count == bytes.count,
            isEqualInConstantTime(connection.authorization, bytes)
        {
            return connection.credential
        }
        let credential = verifier.judge(authorization)
        connections[number]?.authorization = bytes
        connections[number]?.credential = credential
        return credential
    }

    // MARK: - Effects

    /// Does what the world asked for.
    func carryOut() {
        guard !effects.isEmpty else { return }
        var batch: [Effect] = []
        swap(&batch, &effects)
        for effect in batch {
            switch effect {
            case .answer(let id, let answer):
                guard answerDelayMilliseconds > 0 else {
                    respond(answer, to: id)
                    continue
                }
                connections[id.connection]?.pending += 1
                answers.add(.answer(id, answer), due: Clock.bootMilliseconds() + answerDelayMilliseconds)
            case .refuse(let id):
                connections[id.connection]?.http.reset(stream: id.stream, code: .refusedStream)
                touched.insert(id.connection)
            case .cut(let number):
                connections[number]?.http.close(into: &events)
                handleEvents(number)
            case .setMaxConcurrentStreams(let number, let count):
                guard let pending = connections[number]?.pending, pending > 0 else {
                    setStreams(number, count)
                    continue
                }
                answers.add(
                    .streams(connection: number, count), due: Clock.bootMilliseconds() + answerDelayMilliseconds)
            case .goAway(let number, let lastStream, let debugData):
                letAnswersOut(number)
                connections[number]?.http.goAway(
                    lastStreamID: lastStream == .max ? nil : lastStream, debugData: Array(debugData.utf8))
                connections[number]?.leavingSince = Clock.bootMilliseconds()
                touched.insert(number)
            }
        }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &effects)
    }

    /// What waited may go.
    func release(_ item: AnswerQueue.Item) {
        switch item {
        case .answer(let id, let answer): respond(answer, to: id)
        case .streams(let number, let count): setStreams(number, count)
        }
    }

    private func setStreams(_ number: UInt64, _ count: Int) {
        letAnswersOut(number)
        connections[number]?.http.setMaxConcurrentStreams(count)
        touched.insert(number)
    }

    /// nghttp2 sends SETTINGS and GOAWAY before any answer that waits. Some clients take no answer after a GOAWAY, and SETTINGS with
    /// more streams follow the first answer (Docs/APNs.md 1.3).
    private func letAnswersOut(_ number: UInt64) {
        guard let http = connections[number]?.http else { return }
        http.flush(into: &events)
        if !events.isEmpty { handleEvents(number) }
    }

    func respond(_ answer: Answer, to id: RequestID) {
        guard let http = connections[id.connection]?.http else { return }
        if let pending = connections[id.connection]?.pending, pending > 0 {
            connections[id.connection]?.pending = pending - 1
        }
        var headers = HeaderBlock()
        for field in answer.fields { append(field, to: &headers) }
        // False when the client has given the stream up: then nobody waits for this answer.
        http.respond(stream: id.stream, status: answer.status, headers: headers, body: answer.body)
        touched.insert(id.connection)
    }

    /// Names are static so that none is copied per answer.
    private func append(_ field: Answer.Field, to headers: inout HeaderBlock) {
        switch field.name {
        case "apns-id": headers.append("apns-id", field.value)
        case "apns-request-id": headers.append("apns-request-id", field.value)
        case "apns-unique-id": headers.append("apns-unique-id", field.value)
        case "apns-channel-id": headers.append("apns-channel-id", field.value)
        case "content-type": headers.append("content-type", field.value)
        case "retry-after": headers.append("retry-after", field.value)
        default: preconditionFailure("unknown answer field \(field.name)")
        }
    }

    /// Sends what was queued on every touched connection.
    func flush() {
        while let number = touched.popFirst() {
            guard let http = connections[number]?.http else { continue }
            http.flush(into: &events)
            if !events.isEmpty { handleEvents(number) }
            guard let connection = connections[number] else { continue }
            let wants = http.wantsWrite
            guard wants != connection.wantsWrite else { continue }
            connections[number]?.wantsWrite = wants
            poller.change(http.descriptor, tag: Tag.connection(number), writable: wants)
        }
    }

    // MARK: - Endings

    private func forget(_ number: UInt64) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        poller.remove(connection.http.descriptor)
        world.close(connection: number)
    }

    /// Closes what never finished its handshake and what had its GOAWAY and lingers.
    func sweepConnections(_ boot: Int64) {
        let owing = Set(world.connectionsOwingGoAway)
        for (number, connection) in connections {
            if owing.contains(number), connection.owesSince == .max {
                connections[number]?.owesSince = boot + Self.owingMilliseconds
            }
            let isStuck = !connection.http.isEstablished && boot - connection.openedAt > Self.handshakeMilliseconds
            let hasLingered =
                connection.pending == 0 && boot - (connection.leavingSince ?? boot) > Self.lingerMilliseconds
            guard isStuck || hasLingered else { continue }
            connection.http.close(into: &events)
            handleEvents(number)
        }
    }
}
