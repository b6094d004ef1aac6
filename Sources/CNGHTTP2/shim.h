// nghttp2 1.52 (MIT). Threads: a session belongs to the loop thread that made it.
// Ownership: callbacks get the user_data pointers the session was given; see HTTP2/ for who keeps them alive.
// Errors: negative return codes, nghttp2_strerror.
#pragma once
#include <nghttp2/nghttp2.h>
