// A slow disk for one process: loaded before libc it lets every flush of a file take longer, by as many milliseconds as
// the file named in SLOW_FLUSH_FILE says. While there is no such file, flushes take the time they take.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void pause_first(void) {
    const char *path = getenv("SLOW_FLUSH_FILE");
    if (path == NULL) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char text[16];
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return;
    text[count] = 0;
    long milliseconds = strtol(text, NULL, 10);
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

static int flush(const char *name, int file) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (next == NULL) {
        errno = ENOSYS;
        return -1;
    }
    pause_first();
    return next(file);
}

int fsync(int file) { return flush("fsync", file); }

int fdatasync(int file) { return flush("fdatasync", file); }
