import Delivery
import Testing

@testable import APNs

@Suite struct FlightTableTests {
    private func flight(_ started: Int64, _ send: UInt64 = 1) -> FlightTable.Flight {
        FlightTable.Flight(
            send: SendID(rawValue: send), operation: .device, outlet: 0, connection: 1, tokenGeneration: 1,
            startedNanoseconds: started)
    }

    @Test func findsEachOverdueFlightOnceAndInOrder() {
        var table = FlightTable()
        let first = table.insert(flight(10))
        let second = table.insert(flight(20))
        let third = table.insert(flight(30))
        #expect(table.oldestDeparture == 10)
        #expect(table.expire(departedBefore: 9) == nil)
        #expect(table.expire(departedBefore: 25)?.tag == first)
        #expect(table.remove(second)?.startedNanoseconds == 20)
        #expect(table.expire(departedBefore: 25) == nil)
        #expect(table.remove(first)?.cancelled == true)
        #expect(table.remove(first) == nil)
        #expect(table.expire(departedBefore: 99)?.tag == third)
        #expect(table.oldestDeparture == nil)
        #expect(table.count == 1)
    }

    @Test func oldTagsNeverMatchNewFlights() {
        var table = FlightTable()
        let old = table.insert(flight(1))
        _ = table.remove(old)
        let new = table.insert(flight(2))
        #expect(old != new)
        #expect(table.remove(old) == nil)
        #expect(table.remove(.max) == nil)
        #expect(table.remove(new) != nil)
    }

    @Test func agreesWithAPlainModel() {
        var random = SmallRandom(seed: 5)
        var table = FlightTable()
        var model: [(tag: UInt64, started: Int64)] = []
        for time in Int64(0)..<5000 {
            switch random.next() % 4 {
            case 0, 1: model.append((table.insert(flight(time)), time))
            case 2:
                guard !model.isEmpty else { continue }
                let index = Int(random.next() % UInt64(model.count))
                #expect(table.remove(model.remove(at: index).tag) != nil)
            default:
                guard let front = model.first, random.next() % 8 == 0 else { continue }
                #expect(table.expire(departedBefore: front.started)?.tag == front.tag)
                #expect(table.remove(front.tag)?.cancelled == true)
                model.removeFirst()
            }
            #expect(table.count == model.count)
            #expect(table.oldestDeparture == model.first?.started)
        }
    }
}
