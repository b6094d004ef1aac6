extension SimulatedAPNs {
    private static let tokenAgeSecondsMax: Int64 = 3600

    func checkIdle(_ inquiry: Inquiry) throws(Refusal) {
        guard rules.idleIsAnswered, let limit = rules.idleMilliseconds, inquiry.idleMilliseconds >= limit else {
            return
        }
        throw Refusal(.idleTimeout)
    }

    func checkCertificate(_ inquiry: Inquiry) throws(Refusal) {
        if let trouble = inquiry.certificate?.trouble(in: rules.environment) { throw Refusal(trouble) }
    }

    func checkProviderToken(_ inquiry: inout Inquiry) throws(Refusal) {
        guard inquiry.certificate == nil else { return }
        switch inquiry.request.credential {
        case .missing: throw Refusal(.missingProviderToken)
        case .malformed: throw Refusal(.invalidProviderToken)
        case .token(let token):
            guard token.verdict == .good, let key = keys[token.keyID], key.teamID == token.teamID
            else { throw Refusal(.invalidProviderToken) }
            inquiry.key = key
        }
    }

    func checkKeyScope(_ inquiry: Inquiry) throws(Refusal) {
        guard let key = inquiry.key else { return }
        guard key.serves(rules.environment) else { throw Refusal(.badEnvironmentKeyIDInToken) }
        guard let first = connections[inquiry.request.id.connection]?.firstKey else { return }
        guard key.mixes(with: first) else { throw Refusal(.unrelatedKeyIDInToken) }
    }

    func checkTokenAge(_ inquiry: Inquiry) throws(Refusal) {
        guard let token = inquiry.providerToken else { return }
        let age = inquiry.now / 1000 - token.issuedAtSeconds
        if age > Self.tokenAgeSecondsMax { throw Refusal(.expiredProviderToken) }
        if age < -Self.tokenAgeSecondsMax { throw Refusal(.invalidProviderToken) }
    }

    func checkTokenUpdates(_ inquiry: Inquiry) throws(Refusal) {
        guard let token = inquiry.providerToken,
            let connection = connections[inquiry.request.id.connection], let serial = connection.tokenSerial,
            serial != token.serial
        else { return }
        if inquiry.now - connection.tokenSinceMilliseconds < rules.tokenUpdateMilliseconds {
            throw Refusal(.tooManyProviderTokenUpdates)
        }
    }

    /// The token passed: the connection remembers it, and may have all its streams once this request is answered.
    mutating func acceptToken(_ inquiry: Inquiry) {
        guard let token = inquiry.providerToken else { return }
        let number = inquiry.request.id.connection
        if connections[number]?.tokenSerial != token.serial {
            connections[number]?.tokenSerial = token.serial
            connections[number]?.tokenSinceMilliseconds = inquiry.now
        }
        if connections[number]?.firstKey == nil { connections[number]?.firstKey = inquiry.key }
    }
}
