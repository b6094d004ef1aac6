internal import Cluster
internal import Delivery
internal import LiveActivity
internal import Wire

/// Producers: what they publish, where they send it, and what they do about answers.
extension World {
    static var waitsMilliseconds: Int64 { 2_500 }

    /// Half channels, half activities; some hot, most cold; some stop early, so that nothing covers up what was lost.
    mutating func makeProducers() {
        let names = max(options.names, 1)
        // Shards that were lost have something to do when they are back.
        let later = scheme.plan == .losses ? options.restMilliseconds / 2 : 0
        for index in 0..<names {
            let isChannel = index % 2 == 0
            let isHot = index % 5 < 1
            guard let key = Self.key(index, of: names) else { continue }
            let chaos = options.chaosMilliseconds
            producers.append(
                Producer(
                    index: index, key: key, periodMilliseconds: isHot ? 50 : dice.between(300, 3_000),
                    stopsAt: dice.between(chaos / 3, chaos + 3_000) + later,
                    endsPerMille: isChannel ? dice.below(2) : dice.between(2, 20) * (isHot ? 1 : 4)))
            if isChannel {
                plan(.retry(.channel(producer: index)), after: 500 + dice.below(2_000))
            } else {
                addPhones(index, instance: 1)
            }
            plan(.publish(index), after: 1_000 + dice.below(2_000))
        }
        for index in names..<names + Self.startersCount { makeStarter(index, of: names) }
    }

    /// It goes on for a while when everything works again, so that some of its starts have nothing in their way. Every
    /// other one is slow: for a while its start is the newest that there is.
    private mutating func makeStarter(_ index: Int, of names: Int) {
        guard let key = Self.key(index, of: names) else { return }
        let isSlow = index % 2 == 0
        producers.append(
            Producer(
                index: index, key: key,
                periodMilliseconds: isSlow ? dice.between(2_000, 5_000) : dice.between(300, 1_500),
                stopsAt: options.chaosMilliseconds + options.restMilliseconds / 2,
                endsPerMille: isSlow ? 300 : dice.between(40, 100), startsByPush: true))
        addStartDevices(index)
        plan(.publish(index), after: 2_000 + dice.below(2_000))
    }

    mutating func publish(_ index: Int) {
        guard time < producers[index].stopsAt else { return }
        plan(.publish(index), after: producers[index].periodMilliseconds)
        guard let event = producers[index].next(&dice) else { return }
        if event.kind == .end { producers[index].endedAt[event.mark.instance] = time }
        if event.kind == .start { producers[index].startedAt[event.mark.instance] = time }
        attempt(.publish(event.mark))
    }

    // MARK: Attempts

    /// Sends a request to some node, unless it is not wanted any more.
    mutating func attempt(_ wish: Attempt.Wish) {
        guard isWanted(wish) else { return }
        if case .publish(let mark) = wish, producers[mark.producer].waitsSince == nil {
            producers[mark.producer].waitsSince = time
        }
        lastOrigin += 1
        let entry = dice.below(nodes.count)
        attempts[lastOrigin] = Attempt(wish: wish, entry: entry, entryRun: nodes[entry].run, sentAt: time)
        guard nodes[entry].isUp else {
            return plan(.answer(lastOrigin, .later("no connection")), after: dice.between(1, 50))
        }
        plan(.client(lastOrigin), after: dice.between(1, 4))
        plan(.timeOut(lastOrigin), after: Self.waitsMilliseconds)
    }

    private func isWanted(_ wish: Attempt.Wish) -> Bool {
        switch wish {
        case .publish(let mark): producers[mark.producer].event(mark) != nil
        case .register(let phone): !phones[phone].isRegistered
        case .device(let device): startDevices[device].registeredAt == nil
        case .channel(let producer): producers[producer].channelID == nil
        }
    }

    mutating func clientArrives(_ origin: UInt64) {
        guard let attempt = attempts[origin], nodes[attempt.entry].isUp,
            nodes[attempt.entry].run == attempt.entryRun
        else { return }
        post(.client(origin), to: attempt.entry)
    }

    /// On the core's thread: this node answers, or hands the request on.
    mutating func route(_ origin: UInt64, on node: Int, hops: UInt8, _ now: Moment) {
        guard let attempt = attempts[origin] else { return }
        switch routing(attempt.wish, on: node, now) {
        case .here: if let input = input(origin, attempt.wish) { apply(input, node, now) }
        case .node(let member):
            guard hops < 2, member.id != nodes[node].core.member.id else {
                return reply(.later("handed on too often"), to: origin, from: node)
            }
            let forward = Forward(request: origin, hops: hops + 1, user: [], session: 0, frames: [])
            sendData(.forward(forward), member, node)
        case .nowhere: reply(.later("nowhere"), to: origin, from: node)
        }
    }

    private func routing(_ wish: Attempt.Wish, on node: Int, _ now: Moment) -> Routing {
        switch wish {
        case .publish(let mark): nodes[node].core.route(producers[mark.producer].key, now: now)
        case .register(let phone): nodes[node].core.route(producers[phones[phone].producer].key, now: now)
        case .channel: nodes[node].core.routeCoordinator()
        case .device: nodes[node].core.routeRegistry(now: now)
        }
    }

    private func input(_ origin: UInt64, _ wish: Attempt.Wish) -> NodeInput? {
        switch wish {
        case .publish(let mark):
            guard let event = producers[mark.producer].event(mark) else { return nil }
            return .request(.publish(event.input(origin: origin, key: producers[mark.producer].key)))
        case .register(let index):
            let phone = phones[index]
            return .request(
                .register(
                    RegisterInput(
                        origin: origin, key: producers[phone.producer].key, instance: UInt32(phone.instance),
                        destination: Destination(kind: .token, app: 0, address: phone.token ?? []),
                        user: phone.name?.user ?? [], device: phone.name?.device ?? [])))
        case .device(let device): return self.input(origin: origin, registering: device)
        case .channel(let producer):
            let policy: StoragePolicy = producer % 4 == 0 ? .mostRecent : .none
            return .channel(.create(origin: origin, app: 0, key: producers[producer].key, policy: policy))
        }
    }

    // MARK: Answers

    /// A core answers: what it claims must be so already.
    mutating func replied(_ node: Int, _ origin: UInt64, _ reply: Reply) {
        guard let attempt = attempts[origin] else { return }
        let answer = ClientAnswer(reply)
        trace(node, "answers \(attempt.wish) \(answer)")
        if case .acknowledged(let copies, _) = answer, case .publish(let mark) = attempt.wish {
            checkCopies(of: mark, claimed: copies, node)
            nemesis.acknowledged(by: node, at: time)
            if isAimed, dice.chance(perMille: 3) { strike(node, within: 3) }
        }
        self.reply(answer, to: origin, from: node)
    }

    private mutating func reply(_ answer: ClientAnswer, to origin: UInt64, from node: Int) {
        guard let attempt = attempts[origin] else { return }
        guard attempt.entry != node else { return plan(.answer(origin, answer), after: dice.between(1, 3)) }
        guard nodes[attempt.entry].isUp, nodes[attempt.entry].run == attempt.entryRun else { return }
        answersUnderWay[origin] = answer
        let back = Forwarded(request: origin, session: 0, isAnswer: true, frames: [])
        sendData(.forwarded(back), nodes[attempt.entry].core.member, node)
    }

    mutating func timeOut(_ origin: UInt64) {
        answersUnderWay[origin] = nil
        guard let attempt = attempts.removeValue(forKey: origin) else { return }
        self.attempt(attempt.wish)
    }

    mutating func answered(_ origin: UInt64, _ answer: ClientAnswer) {
        guard let attempt = attempts.removeValue(forKey: origin) else { return }
        switch (attempt.wish, answer) {
        case (.publish(let mark), .acknowledged): acknowledged(mark)
        case (.publish(let mark), .never): producers[mark.producer].refuse(mark)
        case (.register(let phone), .registered): registered(phone)
        case (.device(let device), .registered): startDevices[device].registeredAt = time
        case (.device, .never(let text)): fail(.liveness, nil, "a push-to-start token is refused: \(text)")
        case (.register(let phone), .never): phones[phone].isDead = true
        case (.channel(let producer), .channel(let id?)): made(producer, id)
        case (.channel, .never), (_, .later), (_, .other), (_, .channel), (_, .acknowledged), (_, .registered):
            plan(.retry(attempt.wish), after: dice.between(150, 500))
        }
    }

    private mutating func acknowledged(_ mark: EventMark) {
        report.acknowledgements += 1
        hash.mix(mark.number)
        if let since = producers[mark.producer].waitsSince {
            report.longestSilenceMilliseconds = max(report.longestSilenceMilliseconds, time - since)
        }
        let instance = producers[mark.producer].instance
        producers[mark.producer].acknowledge(mark)
        producers[mark.producer].waitsSince = producers[mark.producer].unanswered.isEmpty ? nil : time
        let next = producers[mark.producer].instance
        if next != instance, !producers[mark.producer].startsByPush { addPhones(mark.producer, instance: next) }
    }
}
