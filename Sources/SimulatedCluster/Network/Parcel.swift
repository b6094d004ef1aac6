internal import Wire

/// One message on its way between two nodes.
struct Parcel: Sendable {
    /// Which of the two ports it travels to.
    enum Plane: Int, Sendable, CaseIterable {
        case control = 0
        case data = 1
    }

    /// What it carries.
    enum Content: Sendable {
        case control(ControlMessage)
        case data(DataMessage)
    }

    var from: Int
    var to: Int
    /// Which run of the receiver the connection led to: a later one gets nothing of it.
    var toRun: Int
    /// Which connection of the data plane carries it.
    var connection = 0
    var header: MeshHeader
    var content: Content

    var plane: Plane {
        if case .control = content { .control } else { .data }
    }
}
