// What Glibc's Swift module leaves out: epoll, eventfd, timerfd, signalfd, thread names, getrusage helpers.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int crl_set_thread_name(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}
// d_name is a fixed array, which Swift imports as a tuple.
static inline const char *crl_entry_name(const struct dirent *entry) {
    return entry->d_name;
}
static inline int crl_terminal_size(int fd, uint16_t *rows, uint16_t *columns) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}
// errno is a macro over a call; Swift cannot import it without Glibc's overlay.
static inline int crl_errno(void) {
    return errno;
}
// prctl is variadic. The caller dies with SIGTERM when its parent does, so that no child outlives a killed demo or
// test.
static inline int crl_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGTERM);
}
// The wait status macros are not imported.
static inline int crl_exited(int status) {
    return WIFEXITED(status);
}
static inline int crl_exit_status(int status) {
    return WEXITSTATUS(status);
}
static inline int crl_term_signal(int status) {
    return WTERMSIG(status);
}
// No wrapper in this glibc's headers.
#include <sys/syscall.h>
static inline int crl_pidfd_open(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}
static inline char **crl_environment(void) {
    return environ;
}
// open(2) is variadic; Swift imports no variadic functions. `mode` matters only with O_CREAT.
static inline int crl_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}
// SIG_IGN is a cast macro. A peer that goes away must be an error of write(2), not the end of the process.
static inline void crl_ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}
