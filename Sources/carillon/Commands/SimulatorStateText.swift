internal import APNsSimulator
internal import Terminal

/// The simulator's state as a table: one row a channel, one for the tokens of each app.
enum SimulatorStateText {
    static func table(_ state: SimulatorState) -> Table {
        Table([
            .text("WHERE"), .text("APP"), .number("ACCEPTED"), .number("ONLINE"), .number("CURRENT"),
            .number("OFFLINE"),
            .number("ENDED"),
        ]).with(
            state.channels.map { channel in
                row("channel \(channel.id)", channel.app, channel.accepted, channel.shown)
            } + state.tokensByApp.map { row("\($0.count) tokens", $0.app, $0.accepted, $0.shown) })
    }

    private static func row(
        _ place: String, _ app: String, _ accepted: Int, _ shown: SimulatorState.Shown
    ) -> [Table.Cell] {
        [
            .init(place), .init(app), .init("\(accepted)"), .init("\(shown.online)"), .init("\(shown.currentOnline)"),
            .init("\(shown.offline)"), .init("\(shown.ended)"),
        ]
    }
}
