internal import COpenSSL
internal import Codes
internal import SimulatedAPNs

/// Judges client certificates: issued by the simulator's authority, in force now, with topics.
///
/// Threads: the loop thread only.
struct CertificateVerifier: ~Copyable {
    private let authority: OpaquePointer

    /// Takes the authority's certificate. Throws `simulator-credentials`.
    init(authorityPEM: [UInt8]) throws(Fault) {
        let read = authorityPEM.withUnsafeBytes { bytes in
            let reader = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(reader) }
            return PEM_read_bio_X509(reader, nil, refusePassword, nil)
        }
        guard let read else { throw Fault(.simulatorCredentials, "no certificate in PEM form", at: "ca.pem") }
        authority = read
    }

    deinit { X509_free(authority) }

    /// What a certificate in DER is worth.
    func judge(_ bytes: [UInt8]) -> ClientCertificate {
        defer { ERR_clear_error() }
        var place: UnsafePointer<UInt8>?
        let read = bytes.withUnsafeBufferPointer { buffer in
            place = buffer.baseAddress
            return d2i_X509(nil, &place, buffer.count)
        }
        guard let certificate = read else { return ClientCertificate(isValid: false, environments: [], topics: []) }
        defer { X509_free(certificate) }
        let topics = value(of: CertificateMarks.topics, in: certificate).map(CertificateMarks.readTopics) ?? []
        return ClientCertificate(
            isValid: isIssuedHere(certificate) && isInForce(certificate) && !topics.isEmpty,
            environments: Environment.allCases.filter {
                value(of: CertificateMarks.identifier(of: $0), in: certificate) != nil
            }, topics: topics)
    }

    private func isIssuedHere(_ certificate: OpaquePointer) -> Bool {
        X509_verify(certificate, X509_get0_pubkey(authority)) == 1
    }

    private func isInForce(_ certificate: OpaquePointer) -> Bool {
        X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0
            && X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0
    }

    private func value(of identifier: String, in certificate: OpaquePointer) -> [UInt8]? {
        guard let kind = OBJ_txt2obj(identifier, 1) else { return nil }
        defer { ASN1_OBJECT_free(kind) }
        let index = X509_get_ext_by_OBJ(certificate, kind, -1)
        guard index >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(certificate, index)) else { return nil }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}
