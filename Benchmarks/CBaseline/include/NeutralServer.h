// The other end of the transport benchmarks, and the processes they run in.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Serves HTTP/2 over TLS on a free port of 127.0.0.1 with nghttp2 and OpenSSL on one thread: every request gets 200
/// and an apns-id. Writes the port and a newline to stdout, then runs until stdin ends. 0 when it ended so, else 1.
int32_t crl_neutral_server(const char *certificate_file, const char *key_file);

/// Pins this process to a CPU. 0 when done.
int32_t crl_pin(int32_t cpu);

/// Starts a program (looked up in PATH) pinned to `cpu`. Its stdin and stdout are pipes whose other ends are returned;
/// its stderr is kept. `arguments` ends with NULL. The process id, or -1.
int32_t crl_spawn(const char *const *arguments, int32_t cpu, int32_t *to_stdin, int32_t *from_stdout);

/// Waits for a process; its exit status, and its CPU time (user and system) in microseconds.
int32_t crl_wait(int32_t process, double *cpu_microseconds);

/// CPU time of this process so far (user and system), in microseconds.
double crl_cpu_microseconds(void);

/// Resident memory of this process at its peak, in KiB.
int64_t crl_peak_memory(void);

#ifdef __cplusplus
}
#endif
