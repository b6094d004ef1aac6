extension Code {
    /// Areas in the order of the reference: letter, title, codes.
    public static let areas: [(letter: Character, title: String, codes: [Code])] = [
        ("P", "Producer protocol", producerCodes), ("L", "Payload linter", lintCodes),
        ("C", "Configuration", configurationCodes), ("K", "Keys and certificates", keyCodes),
        ("A", "APNs", apnsCodes), ("H", "HTTP/2 and TLS", transportCodes), ("S", "Storage", storageCodes),
        ("N", "Node", clusterCodes + nodeCodes), ("U", "Command line", usageCodes),
        ("M", "APNs simulator", simulatorCodes),
    ]

    /// Every code there is, in the order of the reference.
    public static let all: [Code] = areas.flatMap(\.codes)

    private static let bySlug = Dictionary(uniqueKeysWithValues: all.map { ($0.slug, $0) })
    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

    /// Finds a code by its identifier (`CRL-P104`) or its slug (`unknown-channel`).
    public static func named(_ name: String) -> Code? { byID[name] ?? bySlug[name] }
}
