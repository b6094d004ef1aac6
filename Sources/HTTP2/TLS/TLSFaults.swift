internal import COpenSSL
internal import Codes

/// The oldest error of this thread's OpenSSL queue in words; empties the queue.
func tlsErrorText() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no reason given" }
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
}

/// Why a handshake ended, as one of the codes a person can act on.
func handshakeFault(_ ssl: OpaquePointer, at place: String) -> Fault {
    let verification = SSL_get_verify_result(ssl)
    let error = ERR_peek_error()
    let reason = Int32(truncatingIfNeeded: error & 0x7f_ffff)
    if reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
        ERR_clear_error()
        let text = String(cString: X509_verify_cert_error_string(verification))
        return Fault(verificationCode(Int32(truncatingIfNeeded: verification)), text, at: place)
    }
    let text = tlsErrorText()
    return Fault(alertCode(reason), text, at: place)
}

private func verificationCode(_ result: Int32) -> Code {
    switch result {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
        .unknownAuthority
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongServerName
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .serverCertificateExpired
    default: .serverCertificateRefused
    }
}

/// OpenSSL gives a received alert the reason 1000 + its number (RFC 8446 6).
private func alertCode(_ reason: Int32) -> Code {
    switch reason - 1000 {
    case 120: .noHTTP2
    case 42...46, 48, 49, 116: .clientCertificateRefused
    default: reason == SSL_R_NO_APPLICATION_PROTOCOL ? .noHTTP2 : .tlsFailed
    }
}
