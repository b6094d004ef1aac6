// OpenSSL 3.0 (Apache-2.0). Function-like macros are not imported into Swift, hence the inline wrappers.
// Threads: SSL_CTX may be shared after set-up; an SSL belongs to one loop thread.
// Errors: per-thread error queue, ERR_get_error; clear it before each SSL_* call that will be judged.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // as in CLinux: the same glibc types must look the same in every C module
#endif
#include <fcntl.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>

// TLS sessions and certificates (HTTP2).
static inline int crl_open_key_log(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}
static inline void crl_ssl_ctx_set_read_ahead(SSL_CTX *context) {
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 64 * 1024);
}
static inline void crl_ssl_ctx_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}
static inline int crl_ssl_ctx_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
static inline int crl_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
// PEM text of a memory BIO; valid until the BIO is written or freed.
static inline long crl_bio_memory(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}
static inline EVP_PKEY *crl_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}
static inline int crl_ssl_ctx_add_extra_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add_extra_chain_cert(context, certificate);
}
