import LiveActivity
import Testing

@testable import Cluster

/// The stored form of records: what is written comes back, whatever else is read gives nil.
@Suite struct RecordCodecTests {
    static func record(_ dice: inout Dice) -> Record {
        let payload = (0..<Int(dice.below(200))).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        let cut = UInt16(dice.below(Int64(payload.count) + 1))
        let born = dice.next() >> 2
        return Record(
            version: Version(epoch: dice.next(), sequence: born + UInt64(dice.below(9))), born: born,
            instance: UInt32(dice.between(1, 9)), stampSeconds: dice.between(-9, 1 << 40),
            event: EventKind.allCases[Int(dice.below(3))], important: dice.chance(percent: 50),
            quiet: dice.chance(percent: 50), priority: 10, revision: dice.chance(percent: 50) ? dice.below(99) : nil,
            notBeforeMilliseconds: dice.chance(percent: 50) ? dice.below(99) : nil,
            expiresAtMilliseconds: dice.chance(percent: 50) ? .max : nil, acceptedAtMilliseconds: .min,
            eventID: [UInt8](repeating: 7, count: Int(dice.below(255))), producer: [1, 2],
            layout: PayloadLayout(
                stampOffset: cut, stampLength: UInt16(payload.count) - cut, stampInsertion: .beforeMembers,
                alertOffset: cut, alertLength: 0), payload: payload)
    }

    static func recent(_ dice: inout Dice) -> RecentEvents {
        var recent = RecentEvents()
        for _ in 0..<dice.below(20) {
            let sequence = dice.next()
            recent.append(id: [UInt8](repeating: 3, count: Int(dice.between(1, 64))), sequence: sequence, instance: 2)
            if dice.chance(percent: 50) { recent.settle(sequence, .failed(reason: "BadTopic")) }
        }
        return recent
    }

    @Test func recordsComeBack() {
        var dice = Dice(seed: 1)
        for _ in 0..<300 {
            let record = Self.record(&dice)
            let recent = Self.recent(&dice)
            let back = RecordCodec.decode(RecordCodec.encode(record, recent: recent))
            #expect(back?.record == record)
            #expect(back?.recent == recent)
        }
    }

    @Test func damagedRowsGiveNilOrARecordThatFits() {
        var dice = Dice(seed: 2)
        for _ in 0..<4_000 {
            var row = RecordCodec.encode(Self.record(&dice), recent: Self.recent(&dice))
            for _ in 0..<dice.between(1, 4) {
                switch dice.below(3) {
                case 0: row[Int(dice.below(Int64(row.count)))] = UInt8(truncatingIfNeeded: dice.next())
                case 1: row.removeLast(Int(dice.between(1, Int64(row.count) - 1)))
                default: row += [UInt8(truncatingIfNeeded: dice.next())]
                }
                if row.count < 2 { break }
            }
            guard let (record, recent) = RecordCodec.decode(row) else { continue }
            #expect(Int(record.layout.stampOffset) + Int(record.layout.stampLength) <= record.payload.count)
            #expect(recent.count <= RecentEvents.countMax && recent.entries.count == recent.count)
        }
    }

    @Test func everyPrefixOfARowIsRefused() {
        var dice = Dice(seed: 3)
        let row = RecordCodec.encode(Self.record(&dice), recent: Self.recent(&dice))
        for count in 0..<row.count { #expect(RecordCodec.decode(Array(row[..<count])) == nil) }
    }

    @Test func rowsOfANewerVersionAreRefused() {
        var dice = Dice(seed: 4)
        var row = RecordCodec.encode(Self.record(&dice), recent: RecentEvents())
        row[0] += 1
        #expect(RecordCodec.decode(row) == nil)
    }

    @Test func smallRowsComeBackAndDamagedOnesDoNotTrap() {
        var dice = Dice(seed: 5)
        for _ in 0..<2_000 {
            let recent = Self.recent(&dice)
            let row = SmallRows.encodeSettlement(recent)
            let back = SmallRows.decodeSettlement(row)
            #expect(back?.map(\.sequence) == recent.entries.filter(\.outcome.isFinal).map(\.sequence))
            #expect(SmallRows.decodeIntent(SmallRows.encodeIntent(born: 9)) == 9)
            let noise = (0..<Int(dice.below(40))).map { _ in UInt8(truncatingIfNeeded: dice.below(4)) }
            _ = SmallRows.decodeSettlement(noise)
            _ = SmallRows.decodeIntent(noise)
            _ = TokenRow(bytes: noise)
            _ = TokenRow.destination(key: noise, apps: ["": 0])
            _ = ChannelEntry(row: noise, app: 0)
            var reader = RowReader(noise)
            _ = RecentEvents(&reader)
            _ = DeviceRows.decodeTokenKey(noise, apps: ["": 0])
            _ = DeviceRows.decodeToken(key: noise, value: noise, apps: ["": 0])
            _ = DeviceRows.decodeStart(key: noise, value: noise)
            _ = DeviceRows.decodeTimes(key: noise, value: noise, apps: ["": 0])
        }
    }
}
