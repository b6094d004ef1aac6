import Codes

/// What is wrong with the bytes of a mesh message; small, because the reader throws it from every field.
enum MeshProblem: Error {
    /// The bytes end within a field.
    case short
    /// Bytes are left although the sender speaks no higher minor version.
    case trailing
    /// A count or length is above its bound.
    case tooLong
    /// A number that names nothing.
    case outOfRange
    /// Text that is no UTF-8.
    case badText

    /// The same for people; `field` is the kind of the message.
    func fault(in field: StaticString) -> WireFault {
        switch self {
        case .short: WireFault(.malformed, "ends early", field: field.description)
        case .trailing: WireFault(.malformed, "more bytes than fields", field: field.description)
        case .tooLong: WireFault(.badField, "a count above its bound", field: field.description)
        case .outOfRange: WireFault(.badField, "a number that names nothing", field: field.description)
        case .badText: WireFault(.badField, "text that is no UTF-8", field: field.description)
        }
    }
}
