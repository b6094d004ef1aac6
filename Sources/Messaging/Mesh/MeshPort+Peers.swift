public import Codes
import Loops

/// How peers are found, and found again.
extension MeshPort {
    /// How often `maintain` looks at the connections.
    private static let lookMilliseconds: Int64 = 500
    /// How often `maintain` reads what happened to connections: libzmq waits for the reader of a thousand events.
    private static let monitorMilliseconds: Int64 = 100

    /// Says where a peer listens; nil: that plane is not known yet, or not wanted any more. What is the same as before
    /// changes nothing; a new address or key makes a new connection. Returns at once; throws for an endpoint that is
    /// none, and when there are too many peers or sockets. Nothing is connected for a peer whose certificate is not
    /// known, until it is.
    public func connect(_ peer: String, control: String?, data: String?, now: Int64) throws(Fault) {
        guard peers[peer] != nil || peers.count < Self.peersMax else {
            throw Fault(.badEndpoint, "more than \(Self.peersMax) peers", at: peer)
        }
        _ = senders.refresh()
        let entry = peers[peer] ?? Peer()
        guard peers[peer] == nil || entry.endpoints[.control] != control || entry.endpoints[.data] != data else {
            return
        }
        peers[peer] = entry
        entry.endpoints[.control] = control
        entry.endpoints[.data] = data
        for plane in MeshPlane.allCases { try update(peer, entry, plane, now) }
    }

    /// Forgets a peer and drops what waits for it.
    public func disconnect(_ peer: String) {
        guard let entry = peers.removeValue(forKey: peer) else { return }
        for plane in MeshPlane.allCases { drop(entry, plane) }
    }

    /// The peer has started again: where it is found by name it may have another address by now, and a connection to
    /// the old one looks fine for seconds. Dials it anew at once; does nothing for a peer with a numeric address.
    public func dialAgain(_ peer: String, now: Int64) {
        guard let entry = peers[peer] else { return }
        for plane in MeshPlane.allCases {
            guard let link = entry[plane], !link.endpoint.isNumeric else { continue }
            carryOut(link.start(), peer, link, now)
        }
    }

    /// Sees to the connections: dials peers anew whose address may have changed, takes the resolver's answers and new
    /// keys. Call it every turn with the milliseconds since boot; mostly it does nothing.
    public func maintain(now: Int64) {
        takeAnswers(now)
        if now >= readsMonitorsAt {
            readsMonitorsAt = now + Self.monitorMilliseconds
            for plane in MeshPlane.allCases { readMonitor(plane) }
        }
        guard now >= looksAt else { return }
        looksAt = now + Self.lookMilliseconds
        _ = senders.refresh()
        for (name, entry) in peers {
            for plane in MeshPlane.allCases { look(name, entry, plane, now) }
            entry.isHeard = false
        }
    }

    private func look(_ name: String, _ entry: Peer, _ plane: MeshPlane, _ now: Int64) {
        do throws(Fault) {
            try update(name, entry, plane, now)
        } catch {
            self[plane].statistics.dialsFailed += 1
        }
        guard let link = entry[plane] else { return }
        carryOut(link.look(now: now, isHeard: entry.isHeard), name, link, now)
    }

    /// Makes the link of a plane what endpoint and key say.
    private func update(_ name: String, _ entry: Peer, _ plane: MeshPlane, _ now: Int64) throws(Fault) {
        let key = senders.key(of: name)
        guard let text = entry.endpoints[plane], settings.security == nil || key != nil else {
            drop(entry, plane)
            return
        }
        if let link = entry[plane], link.text == text, link.serverKey == key { return }
        let endpoint = try MeshEndpoint(text)
        drop(entry, plane)
        linksMade += 1
        let bytesMax = plane == .control ? settings.controlBytesMax : settings.dataBytesMax
        let link = MeshLink(linksMade, plane, endpoint, text: text, serverKey: key, bytesMax: bytesMax, now: now)
        entry[plane] = link
        carryOut(link.start(), name, link, now)
    }

    private func drop(_ entry: Peer, _ plane: MeshPlane) {
        guard let link = entry[plane] else { return }
        resolving[link.number] = nil
        link.close()
        entry[plane] = nil
    }

    // MARK: Dialling

    private func carryOut(_ step: MeshLink.Step, _ name: String, _ link: MeshLink, _ now: Int64) {
        switch step {
        case .nothing: break
        case .ask: ask(name, link, now)
        case .dial(let address):
            do throws(Fault) {
                try dial(link, at: address, now)
            } catch {
                self[link.plane].statistics.dialsFailed += 1
            }
        }
    }

    private func ask(_ name: String, _ link: MeshLink, _ now: Int64) {
        guard !link.isResolving,
            resolver.ask(MeshResolver.Question(link: link.number, endpoint: link.endpoint))
        else { return }
        link.asked(now: now)
        resolving[link.number] = name
    }

    private func takeAnswers(_ now: Int64) {
        guard !resolving.isEmpty else { return }
        resolver.take(into: &answers)
        for answer in answers {
            guard let name = resolving.removeValue(forKey: answer.link), let entry = peers[name] else { continue }
            for link in [entry.control, entry.data] {
                guard let link, link.number == answer.link else { continue }
                if answer.addresses.isEmpty { self[link.plane].statistics.resolvesFailed += 1 }
                carryOut(link.resolved(answer.addresses, now: now), name, link, now)
            }
        }
    }

    private func dial(_ link: MeshLink, at address: MeshEndpoint, _ now: Int64) throws(Fault) {
        var options = Self.options(link.plane, settings)
        options.isWriteOnly = true
        options.receiveHighWater = 1
        options.frameBytesMax = 65_536
        // libzmq keeps identities that begin with a zero byte for itself.
        options.routingID = [UInt8(ascii: link.plane == .control ? "c" : "d")] + settings.identity.prefix(200)
        if let security = settings.security, let key = link.serverKey {
            options.security = .client(certificate: security.certificate, serverKey: key)
        }
        let socket = try Socket(.dealer, context: context, options: options)
        try socket.connect(address.text)
        link.use(socket, now: now)
        self[link.plane].statistics.dialled += 1
    }
}
