import Codes
import Delivery
import Wire

/// Tokens that belong to devices: push-to-start tokens by attributes type, and ordinary ones.
extension OwnerCore {
    mutating func registerDevice(_ input: DeviceTokenInput, now: Moment, into effects: inout [CoreEffect]) {
        guard isWellFormed(input) else {
            return refuse(input.origin, .badField, "not the token of a device", at: "device", into: &effects)
        }
        guard !storeIsFailing else { return refuseNotStored(input.origin, into: &effects) }
        guard owns(Shard.registry) else { return refuseMoved(input.origin, into: &effects) }
        let current = deviceTable.token(of: input.name, input.destination.kind, input.attributesType)
        let isKnown = current?.destination == input.destination && current?.fault == nil
        if !isKnown {
            let isMoving = deviceTable.owner(of: input.destination) != nil || current != nil
            guard isMoving || tokens.count + quarantined.count + deviceTable.count < settings.tokensMax,
                current != nil || deviceTable.hasRoom(for: input.name)
            else { return refuse(input.origin, .overloaded, "as many tokens as may be", into: &effects) }
            // The device's old token of this kind is invalid now, and the token may have been another device's.
            if let current {
                if current.destination != input.destination { counters.tokensReplaced += 1 }
                removeDeviceToken(current.destination)
            }
            removeDeviceToken(input.destination)
            let token = DeviceToken(
                destination: input.destination, attributesType: input.attributesType,
                registeredAtMilliseconds: now.wallMilliseconds)
            deviceTable.add(token, of: input.name)
            write(token, of: input.name)
        }
        let count = deviceTable.tokens(of: input.name).count
        answerAfterWrites(
            Shard.registry, input.origin, .registered(isNew: !isKnown, instance: 0, tokens: count), into: &effects)
    }

    private func isWellFormed(_ input: DeviceTokenInput) -> Bool {
        let kind = input.destination.kind
        return Int(input.name.app) < settings.apps.count && input.destination.app == input.name.app
            && input.name.isNamed && input.name.isShort
            && (1...TokenRow.addressBytesMax).contains(input.destination.address.count)
            && (kind == .ordinaryToken && input.attributesType.isEmpty
                || kind == .startToken && (1...DeviceName.bytesMax).contains(input.attributesType.count))
    }

    mutating func unregisterDevice(_ input: DeviceTokenInput, into effects: inout [CoreEffect]) {
        guard !storeIsFailing else { return refuseNotStored(input.origin, into: &effects) }
        guard owns(Shard.registry) else { return refuseMoved(input.origin, into: &effects) }
        let name = deviceTable.owner(of: input.destination)
        removeDeviceToken(input.destination)
        let count = name.map { deviceTable.tokens(of: $0).count } ?? 0
        answerAfterWrites(
            Shard.registry, input.origin, .unregistered(wasKnown: name != nil, instance: 0, tokens: count),
            into: &effects)
    }

    /// Forgets a device's token and its row; nothing when it is not known.
    mutating func removeDeviceToken(_ destination: Destination) {
        guard let name = deviceTable.owner(of: destination), let token = deviceTable.token(destination) else { return }
        deviceTable.remove(destination)
        guard owns(Shard.registry) else { return }
        write(Shard.registry, .deviceToken, rowKey(token, of: name), nil)
    }

    private mutating func write(_ token: DeviceToken, of name: DeviceName) {
        guard owns(Shard.registry) else { return }
        write(Shard.registry, .deviceToken, rowKey(token, of: name), DeviceRows.tokenValue(token))
    }

    private func rowKey(_ token: DeviceToken, of name: DeviceName) -> [UInt8] {
        DeviceRows.tokenKey(
            name, app: settings.apps[Int(name.app)], token.destination.kind, token.attributesType)
    }

    /// APNs refused a token of a device: it is dead, or with a fault kept and not sent to. Where the registry is
    /// another node's that node is told, and sends are spared here at once.
    mutating func refused(_ destination: Destination, _ fault: TokenFault?, into effects: inout [CoreEffect]) {
        guard let name = deviceTable.owner(of: destination) else { return }
        if !owns(Shard.registry) { effects.append(.deviceTokenRefused(destination, fault)) }
        guard let fault else { return removeDeviceToken(destination) }
        deviceTable.quarantine(destination, fault)
        if let token = deviceTable.token(destination) { write(token, of: name) }
    }

    // MARK: Quarantine

    /// A token that is not of this app's environment or topic is kept, shown and not sent to.
    mutating func quarantine(
        _ destination: Destination, _ fault: TokenFault, _ reason: String, into effects: inout [CoreEffect]
    ) {
        if destination.kind == .token {
            guard let entry = tokens[destination] else { return }
            var row = TokenRow(
                activity: Array(slots[entry.slot].key.nameBytes), instance: entry.instance,
                registeredAtMilliseconds: entry.registeredAtMilliseconds, user: entry.user, device: entry.device)
            row.fault = fault
            removeToken(destination, into: &effects)
            holdInQuarantine(destination, entry.slot, row)
            write(entry.slot, .token, tokenKey(destination), row.bytes)
        } else {
            guard deviceTable.token(destination)?.fault == nil else { return }
            refused(destination, fault, into: &effects)
        }
        switch fault {
        case .wrongEnvironment: counters.tokensWrongEnvironment += 1
        case .wrongTopic: counters.tokensWrongTopic += 1
        }
        effects.append(.notice(.tokenQuarantined(app: destination.app, fault: fault, reason: reason)))
    }

    mutating func holdInQuarantine(_ destination: Destination, _ slot: Int, _ row: TokenRow) {
        quarantined[destination] = QuarantinedToken(slot: slot, row: row)
        quarantinedBySlot[slot, default: []].append(destination)
    }

    /// It is registered again: that is the app's word that it is good. Its row is about to be written anew.
    mutating func leaveQuarantine(_ destination: Destination) {
        guard let token = quarantined.removeValue(forKey: destination) else { return }
        quarantinedBySlot[token.slot]?.removeAll { $0 == destination }
        if quarantinedBySlot[token.slot]?.isEmpty == true { quarantinedBySlot[token.slot] = nil }
    }

    /// Forgets a token in quarantine and its row; nothing when it is not there.
    mutating func removeQuarantined(_ destination: Destination) {
        guard let slot = quarantined[destination]?.slot else { return }
        leaveQuarantine(destination)
        write(slot, .token, tokenKey(destination), nil)
    }

    func quarantinedTokens(of owner: TokenOwner) -> [Destination] {
        guard let all = quarantinedBySlot[owner.slot] else { return [] }
        return all.filter { destination in
            guard let row = quarantined[destination]?.row else { return false }
            return row.instance == owner.instance && row.user == owner.user && row.device == owner.device
        }
    }
}
