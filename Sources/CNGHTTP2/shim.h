// nghttp2 1.52 (MIT). Threads: a session belongs to the loop thread that made it.
// Ownership: callbacks get the user_data pointers the session was given; see HTTP2/ for who keeps them alive.
// Errors: negative return codes, nghttp2_strerror.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // as in CLinux: the same glibc types must look the same in every C module
#endif
#include <stddef.h>
#include <nghttp2/nghttp2.h>

// From 1.60 on these have successors with another suffix and the old names are deprecated; only this file knows.
#if NGHTTP2_VERSION_NUM >= 0x013c00
typedef nghttp2_data_provider2 crl_nghttp2_data_provider;
#else
typedef nghttp2_data_provider crl_nghttp2_data_provider;
#endif

// Bytes of the next frames to send, valid until the next call; 0: nothing, negative: an error.
static inline ptrdiff_t crl_nghttp2_mem_send(nghttp2_session *session, const uint8_t **bytes) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
    return nghttp2_session_mem_send2(session, bytes);
#else
    return nghttp2_session_mem_send(session, bytes);
#endif
}
static inline ptrdiff_t crl_nghttp2_mem_recv(nghttp2_session *session, const uint8_t *bytes, size_t count) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
    return nghttp2_session_mem_recv2(session, bytes, count);
#else
    return nghttp2_session_mem_recv(session, bytes, count);
#endif
}
static inline int32_t crl_nghttp2_submit_request(
    nghttp2_session *session, const nghttp2_nv *fields, size_t count, const crl_nghttp2_data_provider *body,
    void *stream_user_data) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
    return nghttp2_submit_request2(session, NULL, fields, count, body, stream_user_data);
#else
    return nghttp2_submit_request(session, NULL, fields, count, body, stream_user_data);
#endif
}
static inline int crl_nghttp2_submit_response(
    nghttp2_session *session, int32_t stream, const nghttp2_nv *fields, size_t count,
    const crl_nghttp2_data_provider *body) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
    return nghttp2_submit_response2(session, stream, fields, count, body);
#else
    return nghttp2_submit_response(session, stream, fields, count, body);
#endif
}
static inline ptrdiff_t crl_nghttp2_hd_deflate(
    nghttp2_hd_deflater *deflater, uint8_t *target, size_t capacity, const nghttp2_nv *field) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
    return nghttp2_hd_deflate_hd2(deflater, target, capacity, field, 1);
#else
    return nghttp2_hd_deflate_hd(deflater, target, capacity, field, 1);
#endif
}
