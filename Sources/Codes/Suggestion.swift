/// Finds what a person may have meant when a name is unknown.
public enum Suggestion {
    /// The candidate nearest to `word`, when it is near enough to be worth saying; the first of several equals.
    ///
    /// Near enough: at most one slip in three letters, or a candidate that `word` begins (`--out` for `--output`).
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let typed = Array(word.lowercased().utf8)
        guard !typed.isEmpty, typed.count <= 64 else { return nil }
        var best: (name: String, slips: Int)?
        for candidate in candidates {
            let name = Array(candidate.lowercased().utf8)
            let slips = typed.count >= 3 && name.starts(with: typed) ? 1 : distance(typed, name)
            guard slips <= max(1, max(typed.count, name.count) / 3), slips < best?.slips ?? .max else { continue }
            best = (candidate, slips)
        }
        return best?.name
    }

    /// `; did you mean 'x'?`, to be added to a sentence, or nothing.
    public static func phrase(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two words.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
                let swapped = row > 0 && column > 0 && byte == right[column - 1] && left[row - 1] == other
                if swapped { cost = min(cost, beforeLast[column - 1] + 1) }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
