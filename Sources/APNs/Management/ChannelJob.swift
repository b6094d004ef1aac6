internal import Codes
internal import Delivery

/// One channel operation from the call to its answer.
struct ChannelJob: Sendable {
    typealias Completion = CheckedContinuation<Result<ChannelAnswer, Fault>, Never>

    let operation: ChannelOperation
    let app: UInt16
    /// When the caller must have an answer, in milliseconds since boot.
    let deadlineMilliseconds: Int64
    /// Resumed exactly once.
    let completion: Completion
    /// How often it was handed to a connection.
    var attempts = 0
    /// Kept over all attempts, so that APNs' side can be asked about it.
    var identifier: [UInt8] = []
    /// Token of the last attempt.
    var tokenGeneration: UInt32 = 0

    /// How Delivery names the operation.
    var kind: Operation {
        switch operation {
        case .create: .createChannel
        case .read: .readChannel
        case .delete: .deleteChannel
        case .list: .listChannels
        }
    }

    /// Whether doing it twice is the same as doing it once. Creating is not: APNs makes another channel each time.
    var isIdempotent: Bool {
        if case .create = operation { return false }
        return true
    }

    func succeed(_ answer: ChannelAnswer) { completion.resume(returning: .success(answer)) }
    func fail(_ fault: Fault) { completion.resume(returning: .failure(fault)) }
}
