internal import CLinux
internal import CarillonClient
internal import Codes
internal import Loops

/// How a command's one thread waits for async calls of the client.
enum Waiting {
    /// Runs `body` and returns what it returns.
    static func value<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(Refusal) -> Value
    ) throws(Fault) -> Value {
        switch result(body) {
        case .success(let value): return value
        case .failure(let refusal): throw refusal.fault
        }
    }

    /// Runs `body` and returns how it ended.
    static func result<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(Refusal) -> Value
    ) -> Result<Value, Refusal> {
        let result = Lock<Result<Value, Refusal>?>(nil)
        until {
            do throws(Refusal) {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        return result.withLock { $0 } ?? .failure(Refusal(Fault(.internalTrouble)))
    }

    /// Runs `body` to its end.
    static func until(_ body: @escaping @Sendable () async -> Void) {
        let finished = Lock(false)
        let done = Wakeup()
        Task.detached {
            await body()
            finished.withLock { $0 = true }
            done.signal()
        }
        let poller = Poller()
        poller.add(done.descriptor, tag: 0)
        while !finished.withLock({ $0 }) { poller.wait(milliseconds: -1) { _ in done.clear() } }
    }

    /// Lets a little time pass between two looks.
    static func pause(milliseconds: Int32) { poll(nil, 0, milliseconds) }
}
