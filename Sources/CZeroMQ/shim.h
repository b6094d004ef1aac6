// libzmq 4.3.4 (Debian 12; LGPL-3.0+ with linking exception).
// Threads: a socket belongs to one thread at a time; a context may be shared.
// Ownership: zmq_msg_t is owned by whoever initialised it until zmq_msg_send takes it.
// Errors: -1 or NULL with zmq_errno(); EAGAIN and EINTR are not failures.
#pragma once
#include <zmq.h>
#include <errno.h>

// Listed as draft in 4.3.4's header but part of every build: refuse CURVE clients when nobody answers ZAP.
#define CRL_ZMQ_ZAP_ENFORCE_DOMAIN 93
