internal import Loops

/// Says what happens, in lines of a constant message and fields, without ever blocking.
///
/// A value to be copied freely: `logger.with("apns-0", ["app": "cricket"])` makes one for a component. A disabled level
/// costs a comparison: fields are built only when the line is written. Never pass tokens, payloads or keys: `Redacted`.
public struct Logger: Sendable {
    private let writer: LogWriter?
    /// Lines below it are not built.
    public let level: LogLevel
    /// The part of the process that speaks: a loop or a command.
    public let component: String
    private let context: LogFields

    /// Speaks through `writer` from `level` on.
    public init(_ writer: LogWriter, level: LogLevel, component: String, context: LogFields = [:]) {
        self.init(writer: writer, level: level, component: component, context: context)
    }

    private init(writer: LogWriter?, level: LogLevel, component: String, context: LogFields) {
        self.writer = writer
        self.level = level
        self.component = component
        self.context = context
    }

    /// Says nothing; for tests and tools.
    public static let silent = Logger(writer: nil, level: .error, component: "", context: [:])

    /// The same for another component, with further fields on every line.
    public func with(_ component: String, _ fields: LogFields = [:]) -> Logger {
        var context = context
        context.pairs += fields.pairs
        return Logger(writer: writer, level: level, component: component, context: context)
    }

    /// Whether lines of `level` are written.
    @inlinable
    public func isEnabled(_ level: LogLevel) -> Bool {
        level.rawValue >= self.level.rawValue
    }

    /// Writes one line when `level` is enabled. Callable from any thread; never blocks.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]
    ) {
        if isEnabled(level) { write(level, message, stage, fields()) }
    }

    @usableFromInline
    func write(_ level: LogLevel, _ message: StaticString, _ stage: Stage?, _ fields: LogFields) {
        guard let writer else { return }
        let head = LogLine.Head(
            milliseconds: Clock.wallMilliseconds(), level: level, message: message, component: component, stage: stage)
        var line: [UInt8] = []
        line.reserveCapacity(256)
        LogLine.append(
            head, context: context, fields: fields, format: writer.format, journal: writer.journal, to: &line)
        writer.post(line)
    }
}

extension Logger {
    /// Anything; for a developer's own machine.
    @inlinable
    public func trace(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.trace, message, stage: stage, fields())
    }

    /// Safe in production for a while.
    @inlinable
    public func debug(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.debug, message, stage: stage, fields())
    }

    /// A rare fact.
    @inlinable
    public func info(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.info, message, stage: stage, fields())
    }

    /// A step of the lifecycle.
    @inlinable
    public func notice(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.notice, message, stage: stage, fields())
    }

    /// Someone should act in working hours.
    @inlinable
    public func warning(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.warning, message, stage: stage, fields())
    }

    /// Someone should act now.
    @inlinable
    public func error(_ message: StaticString, stage: Stage? = nil, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.error, message, stage: stage, fields())
    }
}
