import CLinux
import Codes
import Loops
import Testing

@testable import HTTP2

/// Deterministic bytes for fuzzing.
struct SplitMix64 {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

@Suite struct HostilePeerTests {
    /// A plain TCP connection to the listener.
    private func plainSocket(_ loop: Loopback) throws -> Int32 {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = loop.listener.address.withSockaddr { address, length in
            connect(opened, __CONST_SOCKADDR_ARG(__sockaddr__: address), length)
        }
        try #require(result == 0)
        return opened
    }

    private func closedFault(_ events: [ServerEvent]) -> Fault?? {
        for case .closed(let fault) in events { return .some(fault) }
        return nil
    }

    @Test func garbageOnTheServerPortEndsOnlyThatConnection() throws {
        let loop = try Loopback()
        loop.serve = answerOK
        try #require(try loop.connect())
        var random = SplitMix64(state: 1)
        for round in 0..<20 {
            let peer = try plainSocket(loop)
            var bytes = random.bytes(Int(random.next() % 2_000) + 1)
            // Some begin like a TLS record, so that the library gets further.
            if round % 2 == 0 { bytes.replaceSubrange(0..<min(5, bytes.count), with: [22, 3, 1, 0, 200]) }
            _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(peer, Int32(SHUT_WR))
            let before = loop.servers.count
            #expect(loop.run { loop.servers.count > before || loop.serverEvents.last?.isEmpty == false })
            close(peer)
        }
        #expect(loop.run { loop.servers.count == 21 && loop.servers.dropFirst().allSatisfy(\.isClosed) })
        for events in loop.serverEvents.dropFirst() {
            let fault = try #require(closedFault(events))
            #expect(fault != nil, "garbage is no orderly end")
        }
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.responses.count == 1 }, "the good client did not notice")
    }

    @Test func halfAHandshakeWaitsForTheOwner() throws {
        let loop = try Loopback()
        let peer = try plainSocket(loop)
        defer { close(peer) }
        let half: [UInt8] = [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]
        _ = send(peer, half, half.count, Int32(MSG_NOSIGNAL))
        #expect(loop.run { loop.servers.count == 1 })
        for _ in 0..<5 { loop.turn() }
        #expect(!loop.servers[0].isEstablished)
        #expect(!loop.servers[0].isClosed)
        var events: [ServerEvent] = []
        loop.servers[0].close(into: &events)
        #expect(loop.servers[0].isClosed)
        #expect(closedFault(events) == .some(nil))
    }

    /// TLS and ALPN are right, but what comes is not HTTP/2.
    @Test func fuzzedFramesNeverTrap() throws {
        var random = SplitMix64(state: 7)
        for round in 0..<60 {
            let toServer = round % 2 == 0
            let loop = try Loopback()
            loop.serve = answerOK
            try #require(try loop.connect())
            for tag in 0..<3 { _ = loop.client.submit(makeRequest(tag), tag: UInt64(tag)) }
            let channel = toServer ? loop.client.channel : loop.servers[0].channel
            for _ in 0..<8 { try stage(randomFrame(&random), on: channel) }
            try channel.flush()
            let victimIsClosed = { toServer ? loop.servers[0].isClosed : loop.client.isClosed }
            for _ in 0..<10 where !victimIsClosed() { loop.turn() }
            if !loop.client.isClosed { loop.client.close(into: &loop.clientEvents) }
            #expect(loop.reportedTags.sorted() == [0, 1, 2], "round \(round)")
        }
    }

    private func stage(_ bytes: [UInt8], on channel: TLSChannel) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { try channel.stage(start, bytes.count) }
        }
    }

    /// A frame with a plausible header and random content.
    private func randomFrame(_ random: inout SplitMix64) -> [UInt8] {
        let payload = random.bytes(Int(random.next() % 64))
        let type = UInt8(random.next() % 11)
        let flags = UInt8(truncatingIfNeeded: random.next()) & 0x2d
        let stream = UInt8(random.next() % 8)
        return [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    @Test func anotherProtocolInsideTLSIsAViolation() throws {
        let loop = try Loopback()
        try #require(try loop.connect())
        try stage(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), on: loop.servers[0].channel)
        try loop.servers[0].channel.flush()
        #expect(loop.run { loop.client.isClosed })
        #expect(loop.closedFault?.code == .protocolViolation)
        #expect(loop.closedFault?.detail.isEmpty == false)
    }
}
