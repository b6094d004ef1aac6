import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// Whatever happens, and however often the node dies: one start per device and instance, and so many within an hour.
@Suite struct StartPropertyTests {
    /// What left for push-to-start tokens. An instance has one start event, so its name stands for the instance.
    private struct Ledger {
        var sent: Set<[String]> = []
        var times: [String: [Int64]] = [:]
        var open: [(item: PushItem, destination: Destination)] = []
        var faults: [String] = []

        mutating func note(_ effects: [NodeEffect], at milliseconds: Int64) {
            for (item, destinations) in effects.offers {
                for destination in destinations where destination.kind == .startToken {
                    if item.event != .start { faults.append("\(item.eventName) became a start") }
                    open.append((item, destination))
                    let device = String(decoding: destination.address.prefix(2), as: UTF8.self)
                    if !sent.insert([device, item.eventName]).inserted {
                        faults.append("\(item.eventName) twice on \(device)")
                    }
                    times[device, default: []].append(milliseconds)
                }
            }
        }
    }

    @Test(arguments: 0..<24) func oneStartPerDeviceAndInstance(seed: UInt64) {
        var random = Dice(seed: seed)
        var settings = CoreSettings(apps: ["shop"])
        settings.startsPerDeviceHourMax = 3
        var driver = CoreDriver(settings: settings)
        var ledger = Ledger()
        for device in ["d1", "d2"] { driver.registerStart(device, device) }
        for step in 0..<150 {
            let out = act(step, &driver, &ledger, &random)
            ledger.note(out, at: driver.now.wallMilliseconds)
            ledger.note(driver.commit(), at: driver.now.wallMilliseconds)
        }
        #expect(ledger.faults.isEmpty, "\(ledger.faults)")
        #expect(!ledger.sent.isEmpty)
        for times in ledger.times.values {
            for (index, time) in times.enumerated() {
                #expect(times[index...].count { $0 - time < 3_600_000 } <= 3)
            }
        }
    }

    private func start(_ step: Int) -> PublishInput {
        var input = CoreDriver.start("s\(step)")
        input.payload = Array("{s\(step)}".utf8)
        input.layout = CoreDriver.ringing
        return input
    }

    private func act(
        _ step: Int, _ driver: inout CoreDriver, _ ledger: inout Ledger, _ random: inout Dice
    ) -> [NodeEffect] {
        driver.now = driver.now.advanced(byMilliseconds: 1_000)
        switch random.next() % 10 {
        case 0: return driver.publishDurably(start(step))
        case 1: return driver.publish(start(step))
        case 2: return driver.publishDurably(CoreDriver.event("u\(step)"))
        case 3: return driver.publishDurably(CoreDriver.event("e\(step)", .end))
        case 4:
            // What was on its way to APNs when the node died is never reported.
            ledger.open = []
            driver.restart()
            return driver.effects
        case 5: return driver.register("t\(step)", device: "d\(random.next() % 2 + 1)")
        case 6:
            driver.registerStart("d1", "d1\(step)")
            return driver.effects
        case 7:
            driver.unregister("t", device: "d2", end: .dismissed)
            return []
        case 8: return driver.wait(milliseconds: Int64(random.next() % 400_000))
        default: return answer(&driver, &ledger, &random)
        }
    }

    private func answer(
        _ driver: inout CoreDriver, _ ledger: inout Ledger, _ random: inout Dice
    ) -> [NodeEffect] {
        guard let start = ledger.open.popLast() else { return [] }
        let outcomes: [LaneReport.Outcome] = [
            .accepted, .unknown, .failed(status: 400, reason: "BadTopic"),
            .gone(status: 410, reason: "Unregistered", sinceMilliseconds: nil),
        ]
        return driver.report(start.item, start.destination, outcomes[Int(random.next() % 4)])
    }
}
