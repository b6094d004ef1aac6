import CLinux
import Loops
import Testing

@testable import Telemetry

@Suite struct LoggerTests {
    /// A pipe whose reading end the test empties when it wants.
    private final class Pipe {
        let reader: Int32
        let writer: Int32
        private var readerOpen = true

        init() {
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
        }

        func closeReader() {
            if readerOpen { close(reader) }
            readerOpen = false
        }

        /// Reads until the other end is closed.
        func readAll() -> String {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { break }
                text += buffer.prefix(count)
            }
            return String(decoding: text, as: UTF8.self)
        }

        deinit { closeReader() }
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test func linesArriveInOrderAndDisabledOnesAreNotBuilt() {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.writer, format: .json)
        writer.start()
        let logger = Logger(writer, level: .info, component: "core", context: ["node": "n1"])
        var built = 0
        func fields() -> LogFields {
            built += 1
            return ["number": .count(built)]
        }
        logger.debug("hidden", fields())
        logger.info("first", stage: .ingest, fields())
        logger.with("apns-0", ["app": "cricket"]).error("second", fields())
        Logger.silent.info("nowhere", fields())
        writer.stop()
        close(pipe.writer)
        let found = lines(pipe.readAll())
        #expect(found.count == 2)
        #expect(
            found.first?.hasSuffix(#""message":"first","component":"core","stage":"ingest","node":"n1","number":1}"#)
                == true)
        #expect(found.last?.hasSuffix(#""component":"apns-0","node":"n1","app":"cricket","number":2}"#) == true)
    }

    @Test func aBlockedReaderStallsNobodyAndLossIsCounted() {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.writer, format: .json, linesMax: 100)
        writer.start()
        let logger = Logger(writer, level: .info, component: "core")
        // Far more than the pipe (64 KB) and the mailbox take: this loop would never end if `info` waited.
        for number in 0..<20_000 { logger.info("line", ["number": .count(number)]) }
        #expect(writer.droppedLines > 0)
        let collector = LoopThread(name: "collect")
        let text = Lock("")
        let reader = pipe.reader
        collector.start {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = read(reader, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
            text.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
        }
        writer.stop(within: 60_000)
        close(pipe.writer)
        collector.join()
        let found = lines(text.withLock { $0 })
        let written = found.filter { $0.contains(#""message":"line""#) }.count
        let reported = found.filter { $0.contains("log lines dropped") }
            .compactMap { $0.split(separator: ":").last?.dropLast() }.compactMap { Int($0) }.reduce(0, +)
        #expect(written + reported == 20_000)
        #expect(reported == Int(writer.droppedLines))
    }

    @Test func stoppingDoesNotWaitForEverForABlockedReader() {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.writer, format: .text, linesMax: 5000)
        writer.start()
        let logger = Logger(writer, level: .info, component: "core")
        for number in 0..<5000 { logger.info("line that fills the pipe", ["number": .count(number)]) }
        writer.stop(within: 1)
        close(pipe.writer)
    }

    @Test func aClosedPipeIsSurvived() {
        let pipe = Pipe()
        pipe.closeReader()
        let writer = LogWriter(descriptor: pipe.writer, format: .json)
        writer.start()
        Logger(writer, level: .info, component: "core").info("lost")
        writer.stop()
        close(pipe.writer)
    }

    @Test func theJournalIsRecognisedByDeviceAndInode() {
        let pipe = Pipe()
        var status = stat()
        fstat(pipe.writer, &status)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(LogWriter.isJournal(pipe.writer, environment: ["JOURNAL_STREAM": stream]))
        #expect(!LogWriter.isJournal(pipe.writer, environment: ["JOURNAL_STREAM": "1:2"]))
        #expect(!LogWriter.isJournal(pipe.writer, environment: [:]))
        close(pipe.writer)
    }
}
