/// One signed provider token, shared by everything that sends with its key.
final class ProviderToken: Sendable {
    /// Counts the tokens of a source; the first is 1.
    let generation: UInt32
    /// Value of the `authorization` header: `bearer ` and the token. Never logged.
    let headerValue: [UInt8]

    init(generation: UInt32, token: [UInt8]) {
        self.generation = generation
        headerValue = Array("bearer ".utf8) + token
    }
}
