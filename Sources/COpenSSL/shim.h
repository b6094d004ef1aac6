// OpenSSL 3.0 (Apache-2.0). Function-like macros are not imported into Swift, hence the inline wrappers.
// Threads: SSL_CTX may be shared after set-up; an SSL belongs to one loop thread.
// Errors: per-thread error queue, ERR_get_error; clear it before each SSL_* call that will be judged.
#pragma once
// As in CLinux: the same system headers must look the same in both modules, or Swift cannot import both.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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
