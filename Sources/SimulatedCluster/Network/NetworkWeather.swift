/// How bad the network of one simulation is while faults are on.
struct NetworkWeather: Sendable {
    /// Usual time of a message from port to port.
    var delayMilliseconds: ClosedRange<Int64> = 0...2
    /// Control messages lost, in thousandths.
    var lostPerMille: Int64 = 0
    /// Control messages that arrive twice.
    var twicePerMille: Int64 = 0
    /// Messages that take up to `lateMilliseconds`; on the data plane all behind them wait.
    var latePerMille: Int64 = 0
    var lateMilliseconds: Int64 = 0
    /// Data messages after which the connection breaks.
    var resetPerMille: Int64 = 0

    /// Whether every control message arrives once and soon.
    var isCalm: Bool { lostPerMille == 0 && latePerMille == 0 }

    /// Nothing goes wrong.
    static let calm = NetworkWeather()
}
