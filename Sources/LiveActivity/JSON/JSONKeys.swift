/// The names of all objects that are open, for the search for duplicates. A name takes at least four bytes of the
/// document (`"":{` inside one another), which bounds the memory; it begins with room for the few that most documents
/// have.
@usableFromInline
struct JSONKeys {
    @usableFromInline
    struct Entry {
        var start: UInt32
        var length: UInt32
        var escaped: Bool
    }

    @usableFromInline var entries: UnsafeMutablePointer<Entry>
    /// Hashes of the names, side by side so that many are compared at once; four more than names.
    @usableFromInline var hashes: UnsafeMutablePointer<UInt32>
    @usableFromInline var capacity: Int
    @usableFromInline var count = 0

    @inlinable
    init(capacity: Int = 32) {
        self.capacity = capacity
        entries = .allocate(capacity: capacity)
        hashes = .allocate(capacity: capacity + 4)
    }

    @inlinable
    func deallocate() {
        entries.deallocate()
        hashes.deallocate()
    }

    /// Adds a name to the innermost object, whose names begin at `first`; false when it is there already.
    /// `seen` is that object's filter, which spares most names the search.
    @usableFromInline
    mutating func insert(
        _ start: Int, _ end: Int, escaped: Bool, first: Int, seen: inout JSONKeyFilter, in bytes: JSONBytes
    ) -> Bool {
        if count == capacity { grow() }
        let hash = escaped ? Self.hashUnescaped(start, end, bytes) : Self.hash(bytes.base + start, end - start)
        let entry = Entry(
            start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: end - start),
            escaped: escaped)
        if seen.insert(hash), contains(entry, hash, first, bytes) { return false }
        entries[count] = entry
        hashes[count] = hash
        count += 1
        return true
    }

    private mutating func grow() {
        let more = JSONKeys(capacity: 2 * capacity)
        more.entries.moveInitialize(from: entries, count: count)
        more.hashes.moveInitialize(from: hashes, count: count)
        deallocate()
        (entries, hashes, capacity) = (more.entries, more.hashes, more.capacity)
    }

    /// Whether an equal name is there from `first` on. Four hashes at a time; what is compared beyond the last is no
    /// name and is filtered out again.
    private func contains(_ entry: Entry, _ hash: UInt32, _ first: Int, _ bytes: JSONBytes) -> Bool {
        (hashes + count).update(repeating: ~hash, count: 4)
        var block = first
        while block < count {
            let found =
                (hashes[block] == hash) || (hashes[block + 1] == hash) || (hashes[block + 2] == hash)
                || (hashes[block + 3] == hash)
            if found {
                for index in block..<min(block + 4, count) where hashes[index] == hash {
                    if Self.same(entries[index], entry, bytes) { return true }
                }
            }
            block += 4
        }
        return false
    }

    private static func same(_ left: Entry, _ right: Entry, _ bytes: JSONBytes) -> Bool {
        let leftStart = Int(left.start)
        let rightStart = Int(right.start)
        if !left.escaped, !right.escaped {
            guard left.length == right.length else { return false }
            for index in 0..<Int(left.length) where bytes[leftStart + index] != bytes[rightStart + index] {
                return false
            }
            return true
        }
        return unescaped(leftStart, leftStart + Int(left.length), bytes)
            == unescaped(rightStart, rightStart + Int(right.length), bytes)
    }

    private static func unescaped(_ start: Int, _ end: Int, _ bytes: JSONBytes) -> [UInt8] {
        var name: [UInt8] = []
        JSONText.unescape(UnsafeBufferPointer(start: bytes.base + start, count: end - start), into: &name)
        return name
    }

    private static func hashUnescaped(_ start: Int, _ end: Int, _ bytes: JSONBytes) -> UInt32 {
        unescaped(start, end, bytes).withUnsafeBufferPointer { name in
            name.baseAddress.map { hash($0, name.count) } ?? hash(bytes.base, 0)
        }
    }

    /// Mixes whole words; quality matters only for speed, equal names are found by comparing.
    @inline(__always)
    private static func hash(_ base: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        let raw = UnsafeRawPointer(base)
        var mixed = UInt64(truncatingIfNeeded: length) &* factor
        var offset = 0
        while offset + 8 <= length {
            mixed = (mixed ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
            mixed ^= mixed >> 32
            offset += 8
        }
        var tail: UInt64 = 0
        while offset < length {
            tail = tail << 8 | UInt64(base[offset])
            offset += 1
        }
        mixed = (mixed ^ tail) &* factor
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }
}

/// A Bloom filter over the names of one object: 256 bits, one per name.
@usableFromInline
struct JSONKeyFilter {
    private var words = InlineArray<4, UInt64>(repeating: 0)

    @usableFromInline
    init() {}

    /// Adds a hash; false when it was surely not there.
    @inline(__always)
    mutating func insert(_ hash: UInt32) -> Bool {
        let word = Int(hash >> 30)
        let bit = (1 as UInt64) << UInt64(hash >> 24 & 63)
        let before = words[word]
        words[word] = before | bit
        return before & bit != 0
    }
}
