internal import CLinux
internal import COpenSSL
internal import Codes

/// Adds every certificate of `source` to the trusted roots of `context`.
func trust(_ source: PEM, in context: OpaquePointer) throws(Fault) {
    let certificates = try readCertificates(source)
    defer { for certificate in certificates { X509_free(certificate) } }
    let store = SSL_CTX_get_cert_store(context)
    for certificate in certificates where X509_STORE_add_cert(store, certificate) != 1 {
        throw Fault(.tlsSettings, tlsErrorText(), at: source.place)
    }
}

/// Sets certificate, chain and key, and checks that they belong together.
func use(_ credentials: Credentials, in context: OpaquePointer) throws(Fault) {
    let chain = try readCertificates(credentials.certificate)
    guard SSL_CTX_use_certificate(context, chain[0]) == 1 else {
        for certificate in chain { X509_free(certificate) }
        throw Fault(.tlsSettings, tlsErrorText(), at: credentials.certificate.place)
    }
    X509_free(chain[0])
    for (index, intermediate) in chain.enumerated().dropFirst()
    where crl_ssl_ctx_add_extra_chain(context, intermediate) != 1 {
        for certificate in chain[index...] { X509_free(certificate) }
        throw Fault(.tlsSettings, tlsErrorText(), at: credentials.certificate.place)
    }
    let key = try withReader(credentials.key) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
    guard let key else { throw Fault(.tlsSettings, "no private key: \(tlsErrorText())", at: credentials.key.place) }
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
        throw Fault(.tlsSettings, "the key does not belong to the certificate", at: credentials.key.place)
    }
}

private func readCertificates(_ source: PEM) throws(Fault) -> [OpaquePointer] {
    let certificates = try withReader(source) { reader in
        var certificates: [OpaquePointer] = []
        while let next = PEM_read_bio_X509(reader, nil, refusePassword, nil) { certificates.append(next) }
        return certificates
    }
    guard !certificates.isEmpty else { throw Fault(.tlsSettings, "no certificate in PEM form", at: source.place) }
    // The end of the text is reported as an error too.
    ERR_clear_error()
    return certificates
}

private func withReader<Result>(_ source: PEM, _ body: (OpaquePointer?) -> Result) throws(Fault) -> Result {
    ERR_clear_error()
    switch source {
    case .file(let path):
        guard let reader = BIO_new_file(path, "r") else { throw Fault(.tlsSettings, systemError(), at: path) }
        defer { BIO_free(reader) }
        return body(reader)
    case .bytes(let bytes):
        return bytes.withUnsafeBytes { raw in
            let reader = BIO_new_mem_buf(raw.baseAddress, Int32(raw.count))
            defer { BIO_free(reader) }
            return body(reader)
        }
    }
}

/// Without it OpenSSL would ask on the terminal.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }
