/// The fixed hash ranges that keys are placed by.
public enum Shard {
    /// How many shards a cluster has, for ever.
    public static let count: UInt16 = 4096
    /// Number of one shard more: the tokens of devices, which every node has.
    public static let registry: UInt16 = 4096
}

/// The shard of a key, 0…4095: the same for every instance and partition of a name.
///
/// The top 12 bits of SipHash-2-4 over `Key.nameBytes`; `seed` is made once per cluster and is no secret.
public func shard(of key: Key, seed: (UInt64, UInt64)) -> UInt16 {
    UInt16(truncatingIfNeeded: SipHash.hash(key.nameBytes, seed: seed) >> 52)
}
