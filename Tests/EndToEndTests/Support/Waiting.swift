import CLinux
import Loops

/// Looks again and again until `condition` holds; false after `milliseconds`.
func eventually(within milliseconds: Int64 = 20_000, _ condition: () throws -> Bool) rethrows -> Bool {
    try eventually(within: milliseconds, pause: 4, condition)
}

/// The same with a pause in milliseconds between two looks, for what costs much to ask.
func eventually(
    within milliseconds: Int64 = 20_000, pause: Int32, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = Clock.bootMilliseconds() + milliseconds
    while true {
        if try condition() { return true }
        guard Clock.bootMilliseconds() < deadline else { return false }
        poll(nil, 0, pause)
    }
}

/// The same for something that has to be asked for.
func eventually(within milliseconds: Int64 = 20_000, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = Clock.bootMilliseconds() + milliseconds
    while true {
        if try await condition() { return true }
        guard Clock.bootMilliseconds() < deadline else { return false }
        poll(nil, 0, 4)
    }
}
