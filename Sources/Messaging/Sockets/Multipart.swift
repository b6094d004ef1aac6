internal import CZeroMQ

/// A received message; one buffer serves all receives of a socket.
///
/// Frames are copied out of libzmq, which costs about a tenth of a microsecond each and makes them ordinary values: the
/// next receive never changes an array that somebody kept.
public struct Multipart: Sendable {
    /// ROUTER: which connection it came from, and where an answer must go.
    public private(set) var identity: [UInt8] = []
    /// The frames after the routing identity.
    public private(set) var frames: [[UInt8]] = []
    /// Name in the sender's certificate, as the ZAP handler gave it; empty without CURVE.
    public private(set) var userID = ""
    /// The sender's network address; empty when it is not known.
    public private(set) var peerAddress = ""

    private(set) var count = 0
    private let wantsAddress: Bool

    /// Makes an empty buffer; `wantsAddress` also reads the peer's address, which costs a little.
    public init(wantsAddress: Bool = false) {
        self.wantsAddress = wantsAddress
    }

    mutating func begin() {
        count = 0
        userID = ""
        peerAddress = ""
    }

    mutating func finish() {
        if frames.count > count { frames.removeLast(frames.count - count) }
    }

    mutating func setIdentity(_ body: UnsafeRawBufferPointer) {
        if !Self.same(identity, body) { identity = [UInt8](body) }
    }

    /// A frame equal to the one in the same place of the last message keeps its array: the protocol's tag is never
    /// copied.
    mutating func append(_ body: UnsafeRawBufferPointer) {
        if count == frames.count {
            frames.append([UInt8](body))
        } else if !Self.same(frames[count], body) {
            frames[count] = [UInt8](body)
        }
        count += 1
    }

    private static func same(_ frame: [UInt8], _ body: UnsafeRawBufferPointer) -> Bool {
        frame.count == body.count && body.count <= 16 && frame.elementsEqual(body)
    }

    mutating func readOrigin(of message: UnsafeMutablePointer<zmq_msg_t>) {
        Self.read("User-Id", of: message, into: &userID)
        if wantsAddress { Self.read("Peer-Address", of: message, into: &peerAddress) }
    }

    private static func read(
        _ name: StaticString, of message: UnsafeMutablePointer<zmq_msg_t>, into value: inout String
    ) {
        // A static string is passed as it lies; a `String` would be copied for every message.
        let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let text = zmq_msg_gets(message, name) else {
            if !value.isEmpty { value = "" }
            return
        }
        value = String(cString: text)
    }
}
