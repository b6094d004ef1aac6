/// One thing that Carillon may have to say to a person: a refusal, a finding, a configuration mistake, a failure.
///
/// NACK texts, command-line errors, log fields and Docs/Reference/Errors.md are all made from these values, so that the
/// same trouble has the same name everywhere. Codes are stable: once released, neither `id` nor `slug` changes meaning.
public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// `CRL-` + area letter + three digits, for example `CRL-P104`.
    public let id: String
    /// The same in words, for example `unknown-channel`; unique over all areas.
    public let slug: String
    /// What it means, one sentence.
    public let meaning: String
    /// What the reader should do next, one sentence.
    public let action: String
    /// Whether the same request may succeed later without being changed.
    public let retryable: Bool
    /// How a command ends that fails for this reason.
    public let exit: ExitStatus

    /// Used only in the area tables of this module.
    init(
        _ id: String, _ slug: String, _ meaning: String, _ action: String, retryable: Bool = false,
        exit: ExitStatus = .data
    ) {
        self.id = id
        self.slug = slug
        self.meaning = meaning
        self.action = action
        self.retryable = retryable
        self.exit = exit
    }

    /// `CRL-P104 unknown-channel`.
    public var description: String { "\(id) \(slug)" }

    /// Codes are equal when their identifiers are.
    public static func == (left: Code, right: Code) -> Bool { left.id == right.id }

    /// Hashes the identifier only.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
