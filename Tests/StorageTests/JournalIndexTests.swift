import Testing

@testable import Storage

@Suite struct JournalIndexTests {
    private func mark(_ text: String) -> NameMark { NameMark(kind: 1, key: Array(text.utf8)) }

    @Test func onlyTheNewestRowOfANameIsMoved() {
        var index = JournalIndex(firstRow: 5)
        for text in ["a", "b", "a", "c"] { index.append(mark(text)) }
        #expect(index.count == 4 && index.nextRow == 9)
        let first = index.newest(among: 2)
        #expect(first.map(\.row) == [6] && index.nameCount == 3)
        index.removeFirst(2, moved: first)
        #expect(index.count == 2 && index.firstRow == 7 && index.nameCount == 2)
        // "b" is forgotten and comes again; "a" is replaced once more.
        index.append(mark("b"))
        index.append(mark("a"))
        let rest = index.newest(among: 4)
        #expect(rest.map(\.row) == [8, 9, 10])
        index.removeFirst(4, moved: rest)
        #expect(index.count == 0 && index.nextRow == 11 && index.nameCount == 0)
    }

    @Test func agreesWithASearch() {
        var index = JournalIndex()
        var rows: [(row: Int64, name: String)] = []
        var state: UInt64 = 7
        for _ in 0..<3_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let random = Int(state >> 33)
            if random % 10 < 9 {
                let name = "\(random % 37)"
                rows.append((index.nextRow, name))
                index.append(mark(name))
            } else {
                let count = random % (rows.count + 1)
                let newest = index.newest(among: count)
                let expected = rows.prefix(count).filter { old in
                    !rows.contains { $0.name == old.name && $0.row > old.row }
                }
                #expect(newest.map(\.row) == expected.map(\.row))
                index.removeFirst(count, moved: newest)
                rows.removeFirst(count)
            }
        }
        #expect(index.count == rows.count && index.nameCount == Set(rows.map(\.name)).count)
    }

    @Test func marksTellKindsAndKeysApart() {
        var marks: Set<NameMark> = []
        for kind in 0..<4 as Range<UInt8> {
            for key in [[], [0], [0, 0], [kind], [1, 0], [0, 1]] as [[UInt8]] {
                marks.insert(NameMark(kind: kind, key: key))
            }
        }
        #expect(marks.count == 5 + 3 * 6)
        #expect(marks.contains(NameMark(kind: 2, key: [1, 0])))
    }
}
