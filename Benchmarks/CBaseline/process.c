#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "NeutralServer.h"

#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t crl_pin(int32_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

int32_t crl_spawn(const char *const *arguments, int32_t cpu, int32_t *to_stdin, int32_t *from_stdout) {
    int input[2], output[2];
    if (pipe2(input, 0) != 0) return -1;
    if (pipe2(output, 0) != 0) {
        close(input[0]);
        close(input[1]);
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        crl_pin(cpu);
        dup2(input[0], 0);
        dup2(output[1], 1);
        close(input[0]);
        close(input[1]);
        close(output[0]);
        close(output[1]);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    if (child < 0) {
        close(input[1]);
        close(output[0]);
        return -1;
    }
    *to_stdin = input[1];
    *from_stdout = output[0];
    return child;
}

static double microseconds(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e6 +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

int32_t crl_wait(int32_t process, double *cpu_microseconds) {
    int status = 0;
    struct rusage usage;
    if (wait4(process, &status, 0, &usage) != process) return -1;
    *cpu_microseconds = microseconds(&usage);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double crl_cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return microseconds(&usage);
}

int64_t crl_peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}
