/// Where in a producer's payload the bytes lie that Carillon may touch. Found once by the scanner and kept with the
/// record, so that a payload is sent without being read again; every other byte leaves as the producer wrote it.
public struct PayloadLayout: Hashable, Sendable {
    /// Bytes to be replaced by the stamp's digits; empty at the place of insertion when the producer left the timestamp
    /// out.
    public var stampOffset: UInt16
    /// Length of the bytes to be replaced.
    public var stampLength: UInt16
    /// Whether the digits need `"timestamp":` before them, and a comma after them when `aps` has other members.
    public var stampInsertion: Insertion
    /// The `alert` member of `aps` with one adjoining comma: what a replay leaves out so that it cannot ring.
    /// Both zero when there is none.
    public var alertOffset: UInt16
    /// Length of the alert member with its comma.
    public var alertLength: UInt16

    /// How the stamp goes in.
    public enum Insertion: UInt8, Sendable {
        /// The digits replace the producer's own timestamp.
        case replace = 0
        /// `"timestamp":N` into an empty `aps` object.
        case alone = 1
        /// `"timestamp":N,` before the first member of `aps`.
        case beforeMembers = 2
    }

    /// Makes a layout from its parts.
    public init(
        stampOffset: UInt16, stampLength: UInt16, stampInsertion: Insertion, alertOffset: UInt16 = 0,
        alertLength: UInt16 = 0
    ) {
        self.stampOffset = stampOffset
        self.stampLength = stampLength
        self.stampInsertion = stampInsertion
        self.alertOffset = alertOffset
        self.alertLength = alertLength
    }

    /// Whether the payload asks the device to light up or sound.
    public var hasAlert: Bool { alertLength > 0 }
}
