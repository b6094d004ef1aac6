internal import COpenSSL

/// Compares secrets of the same length without telling by its duration where they differ.
func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
