extension Code {
    /// A certificate file is not there or cannot be read.
    public static let certificateMissing = Code(
        "CRL-K100", "certificate-missing", "The certificate file cannot be read.",
        "Make a pair with carillon keys new, or correct the path.", exit: .noInput)
    /// A certificate file is no zcert file.
    public static let certificateMalformed = Code(
        "CRL-K101", "certificate-malformed", "The file is no ZeroMQ certificate.",
        "Make it with carillon keys new, czmq or pyzmq.", exit: .config)
    /// The file has no secret key where one is needed.
    public static let certificateNoSecret = Code(
        "CRL-K102", "certificate-no-secret", "The certificate has no secret key.",
        "Use the file whose name ends in .key_secret.", exit: .config)
    /// The secret file can be read by others.
    public static let secretPermissions = Code(
        "CRL-K103", "secret-permissions", "The secret key can be read by other users.",
        "chmod 600 the file; make new keys if others may have read it.", exit: .config)
    /// Writing would overwrite a certificate.
    public static let certificateExists = Code(
        "CRL-K104", "certificate-exists", "A certificate of this name exists.",
        "Choose another name or remove both files first.", exit: .cannotCreate)
    /// A certificate could not be written.
    public static let certificateNotWritten = Code(
        "CRL-K105", "certificate-not-written", "The certificate could not be written.",
        "Check the directory and its permissions.", exit: .cannotCreate)
    /// A certificate's name or role cannot be used.
    public static let badCertificateName = Code(
        "CRL-K106", "bad-certificate-name", "The name or role of the certificate cannot be used.",
        "Use 1 to 64 letters, digits, dots, dashes and underscores, and the role producer, node or admin.",
        exit: .usage)
    /// The directory of allowed certificates cannot be read.
    public static let allowListUnreadable = Code(
        "CRL-K107", "allow-list-unreadable", "The directory of allowed certificates cannot be read.",
        "Check the path and its permissions; until then the list read last stays in force.", exit: .config)
    /// Two certificates of the directory have the same name or key.
    public static let certificateDuplicate = Code(
        "CRL-K108", "certificate-duplicate", "Two allowed certificates share a name or a key.",
        "Keep one of them; until then the first in the order of file names counts.", exit: .config)
    /// The library was built without CURVE.
    public static let curveUnavailable = Code(
        "CRL-K109", "curve-unavailable", "This libzmq has no CURVE.", "Install a libzmq that was built with libsodium.",
        exit: .config)

    /// Area K: what the keys and certificates may say.
    static let keyCodes: [Code] = [
        certificateMissing, certificateMalformed, certificateNoSecret, secretPermissions, certificateExists,
        certificateNotWritten, badCertificateName, allowListUnreadable, certificateDuplicate, curveUnavailable,
    ]
}
