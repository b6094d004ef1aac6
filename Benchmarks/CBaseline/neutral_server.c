// A server that favours no client: plain C, level-triggered epoll, no work besides HTTP/2 and TLS.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "NeutralServer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 16384, WRITE_SIZE = 16384 };

typedef struct {
    int fd;
    SSL *ssl;
    nghttp2_session *session;
    int open;
    size_t held;  // bytes in `out` that are not written yet
    uint8_t out[WRITE_SIZE];
} connection;

static uint64_t counter = 1;

// An apns-id cannot be predicted, so it is different each time and never compresses.
static void make_id(char *target) {
    static const char digits[] = "0123456789ABCDEF";
    uint64_t a = (counter++) * 0x9e3779b97f4a7c15ull, b = a ^ (a >> 29);
    for (int i = 0; i < 36; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            target[i] = '-';
            continue;
        }
        b = b * 6364136223846793005ull + 1442695040888963407ull;
        target[i] = digits[b >> 60];
    }
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    (void)data;
    if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    char id[36];
    make_id(id);
    nghttp2_nv fields[2] = {
        {(uint8_t *)":status", (uint8_t *)"200", 7, 3, NGHTTP2_NV_FLAG_NONE},
        {(uint8_t *)"apns-id", (uint8_t *)id, 7, 36, NGHTTP2_NV_FLAG_NO_INDEX},
    };
    nghttp2_submit_response(session, frame->hd.stream_id, fields, 2, NULL);
    return 0;
}

static int select_h2(
    SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned int count,
    void *arg) {
    (void)ssl;
    (void)arg;
    return SSL_select_next_proto((unsigned char **)out, length, (const unsigned char *)"\x02h2", 3, in, count) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int write_held(connection *c) {
    while (c->held > 0) {
        int written = SSL_write(c->ssl, c->out, (int)c->held);
        if (written <= 0) return SSL_get_error(c->ssl, written) == SSL_ERROR_WANT_WRITE ? 1 : -1;
        memmove(c->out, c->out + written, c->held - (size_t)written);
        c->held -= (size_t)written;
    }
    return 0;
}

// 0: all sent, 1: the socket is full, -1: over.
static int flush(connection *c) {
    int state = write_held(c);
    if (state != 0) return state;
    for (;;) {
        const uint8_t *bytes;
        ssize_t count = nghttp2_session_mem_send(c->session, &bytes);
        if (count < 0) return -1;
        if (count == 0) return write_held(c);
        while (count > 0) {
            size_t room = WRITE_SIZE - c->held;
            size_t taken = (size_t)count < room ? (size_t)count : room;
            memcpy(c->out + c->held, bytes, taken);
            c->held += taken;
            bytes += taken;
            count -= (ssize_t)taken;
            // A full socket is waited for here: the benchmark's clients always read.
            while (c->held == WRITE_SIZE && (state = write_held(c)) == 1) {
            }
            if (state < 0) return -1;
        }
    }
}

static int start_session(connection *c) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_option_new(&option);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session_server_new2(&c->session, callbacks, c, option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    nghttp2_settings_entry settings[2] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1000}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20}};
    nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, 1 << 24);
    c->open = 1;
    return 0;
}

// 0: goes on, -1: over.
static int serve(connection *c) {
    static uint8_t buffer[READ_SIZE];
    if (!c->open) {
        int result = SSL_do_handshake(c->ssl);
        if (result != 1) {
            int error = SSL_get_error(c->ssl, result);
            return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
        }
        start_session(c);
    }
    for (;;) {
        int count = SSL_read(c->ssl, buffer, READ_SIZE);
        if (count <= 0) {
            if (SSL_get_error(c->ssl, count) != SSL_ERROR_WANT_READ) return -1;
            break;
        }
        if (nghttp2_session_mem_recv(c->session, buffer, (size_t)count) < 0) return -1;
    }
    if (flush(c) < 0) return -1;
    return nghttp2_session_want_read(c->session) || nghttp2_session_want_write(c->session) ? 0 : -1;
}

static void end(int epoll, connection *c) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, c->fd, NULL);
    if (c->session) nghttp2_session_del(c->session);
    SSL_free(c->ssl);
    close(c->fd);
    free(c);
}

static void take(int epoll, int listener, SSL_CTX *context) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    c->ssl = SSL_new(context);
    SSL_set_fd(c->ssl, fd);
    SSL_set_accept_state(c->ssl);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static SSL_CTX *make_context(const char *certificate_file, const char *key_file) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, certificate_file) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key_file, SSL_FILETYPE_PEM) != 1) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_alpn_select_cb(context, select_h2, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 65536);
    return context;
}

int32_t crl_neutral_server(const char *certificate_file, const char *key_file) {
    SSL_CTX *context = make_context(certificate_file, key_file);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (context == NULL || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 128) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int roots[2] = {listener, 0};
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &roots[i]};
        epoll_ctl(epoll, EPOLL_CTL_ADD, roots[i], &event);
    }
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &roots[1]) return 0;
            if (events[i].data.ptr == &roots[0])
                take(epoll, listener, context);
            else if (serve(events[i].data.ptr) != 0)
                end(epoll, events[i].data.ptr);
        }
    }
}
