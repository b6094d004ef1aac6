internal import LiveActivity
internal import SimulatedAPNs

/// The tables of Docs/Simulator.md that are written from the sources.
enum ProvocationPage {
    /// Which check comes when, for each kind of request.
    static func order() -> String {
        let columns: [(title: String, kind: Operation)] = [
            ("device push", .device), ("broadcast", .broadcast), ("create channel", .create),
            ("read, delete", .read), ("list", .list),
        ]
        var text = "| \(columns.map(\.title).joined(separator: " | ")) | reasons |\n"
        text += String(repeating: "|---", count: columns.count + 1) + "|\n"
        for check in Check.allCases {
            let places = columns.map { column in
                Check.order(of: column.kind).firstIndex(of: check).map { "\($0 + 1)" } ?? ""
            }
            text += "| \(places.joined(separator: " | ")) | \(reasons(of: check)) |\n"
        }
        return text
    }

    private static func reasons(of check: Check) -> String {
        guard check != .burst else { return "whatever the fault `burst` says" }
        return check.reasons.map { entry in
            "`\(entry.reason.rawValue)`" + (entry.note.isEmpty ? "" : " (\(entry.note))")
        }.joined(separator: ", ")
    }

    /// How to provoke every reason, in the order of Docs/APNs.md 3.4.
    static func reasons() -> String {
        var text = "| reason | status | requests | how |\n|---|---|---|---|\n"
        for reason in Reason.allCases {
            for provocation in Provocation.all where provocation.reason == reason {
                let how = provocation.steps.map(words).joined(separator: "; ")
                let isGoAway = provocation.arrival == .goAway
                text += "| `\(reason.rawValue)` | \(isGoAway ? "GOAWAY" : "\(reason.status)") "
                text += "| \(kinds(provocation.kinds)) | \(how) |\n"
            }
        }
        return text
    }

    private static func kinds(_ kinds: [Operation]) -> String {
        kinds == Operation.allCases ? "all" : kinds.map(\.rawValue).joined(separator: ", ")
    }

    private static func words(_ step: Provocation.Step) -> String {
        switch step {
        case .control(let command, let members): return "control `\(line(command, members))`"
        case .before(let steps):
            let how = steps.map(words).joined(separator: ", ")
            return "a faultless request first" + (how.isEmpty ? "" : " (\(how))")
        case .idle(let milliseconds): return "nothing for \(milliseconds) ms"
        case .sign(let signing): return words(signing)
        case .certificate(let kind): return words(kind)
        case .method(let method): return "method `\(method)`"
        case .bundle(let bundle): return "`\(bundle)` in the path"
        case .token(""): return "no token in the path"
        case .token(let token): return "token `\(token.count > 12 ? token.prefix(8) + "…" : token[...])` in the path"
        case .appending(let text): return "`\(text)` behind the path"
        case .set(let name, let value): return "`\(name): \(value)`"
        case .long(let name, let count): return "`\(name)` of \(count) bytes"
        case .remove(let name): return "no `\(name)`"
        case .twice(let name): return "`\(name)` twice"
        case .body(.empty): return "no body"
        case .body(.text(let text)): return "body `\(text)`"
        case .body(.tooLong): return "a body one byte above the limit"
        }
    }

    private static func words(_ signing: Provocation.Signing) -> String {
        switch signing {
        case .nothing: "no `authorization`"
        case .malformed: "`authorization: bearer a.b.c`"
        case .forged: "a token whose `kid` is not the key that signed it"
        case .unknownKey: "a token with an unknown `kid`"
        case .otherTeam: "a token with another team as `iss`"
        case .age(let seconds):
            seconds < 0 ? "a token issued \(-seconds) s in the future" : "a token issued \(seconds) s ago"
        case .key(let id): "a token signed by `\(id)`"
        }
    }

    private static func words(_ kind: Provocation.CertificateKind) -> String {
        switch kind {
        case .stranger: "a client certificate of another authority"
        case .expired: "a client certificate that has expired"
        case .otherEnvironment: "a client certificate for production"
        case .otherTopics: "a client certificate for topics of `com.example.other`"
        }
    }

    private static func line(_ command: String, _ members: [JSONValue.Member]) -> String {
        var writer = JSONWriter()
        writer.value(.object([JSONValue.Member("command", .string(command))] + members))
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
