internal import CLinux
internal import COpenSSL
internal import Codes

/// What will stand in a certificate.
struct CertificateDraft {
    let commonName: String
    let alternativeNames: [String]
    let isAuthority: Bool
    let startsInDays: Int
    let lifetimeDays: Int
    var furtherExtensions: [CertificateExtension] = []

    /// The certificate for `key`, signed by `issuerKey`; without `issuer` it is its own.
    func sign(for key: OpaquePointer, issuer: OpaquePointer?, issuerKey: OpaquePointer) throws(Fault) -> OpaquePointer {
        ERR_clear_error()
        guard let certificate = X509_new() else { throw Fault(.issueFailed, tlsErrorText()) }
        let done =
            X509_set_version(certificate, 2) == 1 && setSerialNumber(certificate) && setValidity(certificate)
            && X509_set_pubkey(certificate, key) == 1 && setSubject(certificate)
            && X509_set_issuer_name(certificate, X509_get_subject_name(issuer ?? certificate)) == 1
            && addExtensions(to: certificate, issuer: issuer ?? certificate)
            && X509_sign(certificate, issuerKey, EVP_sha256()) > 0
        guard done else {
            X509_free(certificate)
            throw Fault(.issueFailed, tlsErrorText(), at: commonName)
        }
        return certificate
    }

    private func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return false }
        // Positive and of full length (RFC 5280 4.1.2.2).
        bytes[0] = bytes[0] & 0x7f | 0x40
        let number = BN_bin2bn(bytes, Int32(bytes.count), nil)
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private func setValidity(_ certificate: OpaquePointer) -> Bool {
        let day = 86_400
        return X509_gmtime_adj(X509_getm_notBefore(certificate), startsInDays * day) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), (startsInDays + lifetimeDays) * day) != nil
    }

    private func setSubject(_ certificate: OpaquePointer) -> Bool {
        // A common name holds at most 64 characters (RFC 5280 A.1); clients look at the alternative names.
        let text = Array(commonName.utf8.prefix(64))
        return X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate), "CN", MBSTRING_ASC | 0, text, Int32(text.count), -1, 0) == 1
    }

    private func addExtensions(to certificate: OpaquePointer, issuer: OpaquePointer) -> Bool {
        var extensions: [(Int32, String)] = [(NID_subject_key_identifier, "hash")]
        if isAuthority {
            extensions += [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ]
        } else {
            extensions += [
                (NID_authority_key_identifier, "keyid:always"), (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, "critical,digitalSignature"), (NID_ext_key_usage, "serverAuth,clientAuth"),
                (NID_subject_alt_name, alternativeNames.map(alternativeName).joined(separator: ",")),
            ]
        }
        return extensions.allSatisfy { add($0.0, $0.1, to: certificate, issuer: issuer) }
            && furtherExtensions.allSatisfy { add($0, to: certificate) }
    }

    private func alternativeName(_ name: String) -> String {
        var address = [UInt8](repeating: 0, count: 16)
        let isAddress = inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
        return (isAddress ? "IP:" : "DNS:") + name
    }

    private func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer) -> Bool {
        var context = v3_ext_ctx()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }

    private func add(_ further: CertificateExtension, to certificate: OpaquePointer) -> Bool {
        guard let kind = OBJ_txt2obj(further.identifier, 1) else { return false }
        defer { ASN1_OBJECT_free(kind) }
        guard let value = ASN1_OCTET_STRING_new() else { return false }
        defer { ASN1_OCTET_STRING_free(value) }
        guard ASN1_OCTET_STRING_set(value, further.value, Int32(further.value.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, kind, 0, value)
        else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }
}
