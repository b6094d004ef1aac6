import Codes

extension PayloadLinter {
    /// What is wrong with the headers of one request (Docs/APNs.md 3.1, 3.2 and 4.8). Paths are header names,
    /// offsets 0.
    public static func lint(_ headers: RequestHeaders, as kind: RequestKind, nowMilliseconds: Int64) -> [Finding] {
        var rules = HeaderRules(headers: headers, kind: kind, nowSeconds: nowMilliseconds / 1000)
        rules.apply()
        return rules.findings
    }
}

/// The rules about headers, in the order of Docs/APNs.md 3.1 and 3.2.
private struct HeaderRules {
    static let suffix = ".push-type.liveactivity"
    static let known = [
        ":path", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-id", "apns-request-id",
        "apns-collapse-id", "apns-channel-id", "authorization", "content-type",
    ]

    let headers: RequestHeaders
    let kind: RequestKind
    let nowSeconds: Int64
    var findings: [Finding] = []

    mutating func apply() {
        checkNames()
        checkEncoding()
        checkPath()
        checkTopic()
        checkPushType()
        checkPriority()
        checkExpiration()
        checkIdentifiers()
    }

    private mutating func add(_ code: Code, _ severity: Finding.Severity, _ name: String, _ detail: String = "") {
        guard findings.count < PayloadInspector.findingsMax else { return }
        findings.append(Finding(code, severity, at: 0, path: name, detail: detail))
    }

    private mutating func checkNames() {
        var seen: Set<String> = []
        for field in headers.fields {
            if !seen.insert(field.name).inserted { add(.headerDuplicate, .error, field.name) }
            if field.name.hasPrefix("apns-"), !Self.known.contains(field.name) {
                let guess = Suggestion.phrase(for: field.name, among: Self.known)
                add(.headerUnknown, .warning, field.name, guess.isEmpty ? "" : "the header is unknown\(guess)")
            }
        }
    }

    private mutating func checkEncoding() {
        guard let encoding = headers["content-encoding"], encoding != "identity" else { return }
        add(.bodyCompressed, .error, "content-encoding")
    }

    private mutating func checkPath() {
        guard let path = headers[":path"] else { return }
        if kind == .broadcast {
            let bundle = path.dropFirst("/4/broadcasts/apps/".utf8.count)
            guard path.hasPrefix("/4/broadcasts/apps/"), !bundle.isEmpty, !bundle.contains("/") else {
                return add(.headerPath, .error, ":path", "a broadcast goes to /4/broadcasts/apps/<bundle id>")
            }
            if bundle.hasSuffix(Self.suffix) {
                add(.headerPath, .error, ":path", "the path takes the bare bundle ID, without \(Self.suffix)")
            }
            return
        }
        let token = path.dropFirst("/3/device/".utf8.count)
        let isToken = !token.isEmpty && token.utf8.count % 2 == 0
        guard path.hasPrefix("/3/device/"), isToken, token.utf8.allSatisfy({ JSONText.hexDigit($0) != nil }) else {
            return add(.headerPath, .error, ":path", "the path is /3/device/<token in hexadecimal>")
        }
    }

    private mutating func checkTopic() {
        let topic = headers["apns-topic"]
        if kind == .broadcast {
            if topic != nil { add(.headerTopic, .warning, "apns-topic", "a broadcast has no topic, only its path") }
            return
        }
        guard let topic else { return add(.headerTopic, .error, "apns-topic", "the topic is missing") }
        if !topic.hasSuffix(Self.suffix) || topic.utf8.count == Self.suffix.utf8.count {
            add(.headerTopic, .error, "apns-topic", "the topic is <bundle id>\(Self.suffix)")
        }
    }

    private mutating func checkPushType() {
        guard let type = headers["apns-push-type"] else {
            return add(.headerPushType, .error, "apns-push-type", "the push type is missing")
        }
        guard type != "liveactivity" else { return }
        let isSpelling = type.lowercased() == "liveactivity"
        add(
            .headerPushType, isSpelling ? .warning : .error, "apns-push-type",
            isSpelling ? "servers are known to send liveactivity in small letters" : "")
    }

    private mutating func checkPriority() {
        switch headers["apns-priority"] {
        case "5", "10": break
        case "1": add(.headerPriority, .warning, "apns-priority", "1 is not named for Live Activities")
        case nil:
            if kind == .broadcast { add(.headerPriority, .error, "apns-priority", "a broadcast needs a priority") }
        default: add(.headerPriority, .error, "apns-priority")
        }
    }

    private mutating func checkExpiration() {
        guard let text = headers["apns-expiration"] else {
            if kind == .broadcast { add(.headerExpirationMissing, .error, "apns-expiration") }
            return
        }
        guard let seconds = Int64(text), seconds >= 0, !text.hasPrefix("+") else {
            return add(.headerExpirationFormat, .error, "apns-expiration")
        }
        guard seconds < 100_000_000_000 else {
            return add(.headerExpirationFormat, .error, "apns-expiration", "the expiration looks like milliseconds")
        }
        guard seconds > 0 else {
            if kind == .start {
                let detail = "with 0 the start is lost at a moment without network; ten minutes ahead are usual"
                add(.headerExpirationRange, .warning, "apns-expiration", detail)
            }
            return
        }
        if kind == .broadcast, headers.policy == RequestHeaders.StoragePolicy.none {
            return add(.headerExpirationPolicy, .error, "apns-expiration")
        }
        let hours: Int64 = kind == .broadcast ? 8 : 30 * 24
        if seconds < nowSeconds {
            add(.headerExpirationRange, .warning, "apns-expiration", "the expiration has passed")
        }
        if seconds > nowSeconds + hours * 3600 {
            let limit = kind == .broadcast ? "8 hours" : "30 days"
            add(.headerExpirationRange, .warning, "apns-expiration", "APNs keeps nothing for more than \(limit)")
        }
    }

    private mutating func checkIdentifiers() {
        for name in ["apns-id", "apns-request-id"] {
            if let id = headers[name], !SchemaCheck.isUUID(Array(id.utf8)) { add(.headerID, .error, name) }
        }
        if let id = headers["apns-collapse-id"] {
            if id.utf8.count > 64 { add(.headerCollapseID, .error, "apns-collapse-id") }
            if kind == .broadcast {
                add(.headerCollapseID, .warning, "apns-collapse-id", "a broadcast has no collapse ID")
            }
        }
        guard kind == .broadcast else { return }
        if !(headers["apns-channel-id"].map { PayloadRules.isPaddedBase64(Array($0.utf8)) } ?? false) {
            add(.headerChannelID, .error, "apns-channel-id")
        }
    }
}
