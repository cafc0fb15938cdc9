/* SPDX-License-Identifier: Apache-2.0
 * io/image/serve_run.c - the jail around qemu-nbd: see serve.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/jail.h"
#include "base/limits.h"
#include "io/image/serve.h"

enum {
    SERVE_MEMORY = 2047 << 20, /* bytes that it may allocate */
    SERVE_FILES = 128,         /* open at a time */
    SERVE_OPTS_MAX = 2 * LIMIT_PATH + 128,
};

/* The dynamic linker of each processor: the kernel runs it beside the program. */
static const char *const serve_linkers[] = { "/lib64/ld-linux-x86-64.so.2",
                                             "/lib/ld-linux-aarch64.so.1" };

static _Noreturn void serve_give_up(const char *what, int failed)
{
    dprintf(STDERR_FILENO, "%s%s%s\n", what, failed != 0 ? ": " : "",
            failed != 0 ? strerror(failed) : "");
    _exit(IO_SERVE_NO_JAIL);
}

static void serve_limits(void)
{
    const struct rlimit memory = { SERVE_MEMORY, SERVE_MEMORY }, none = { 0, 0 };
    const struct rlimit files = { SERVE_FILES, SERVE_FILES };

    if (setrlimit(RLIMIT_DATA, &memory) != 0 || setrlimit(RLIMIT_FSIZE, &none) != 0 ||
        setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_NOFILE, &files) != 0)
        serve_give_up("its limits cannot be set", errno);
}

/* The files that it may read, and the two that it may run. */
static void serve_files(const char *program, const char *path)
{
    static const char *const reads[] = { "/usr/lib",         "/usr/lib64",         "/lib",
                                         "/lib64",           "/nix/store",         "/gnu/store",
                                         "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/null",
                                         "/dev/urandom",     "/usr/local/lib" };
    struct jail_rules rules;
    int failed = jail_rules_open(&rules, JAIL_OTHER);

    if (failed == 0 && rules.version == 0)
        serve_give_up("this kernel has no Landlock, which is a wall of the jail", 0);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        jail_rules_allow(&rules, reads[i], JAIL_READ);
    for (size_t i = 0; i < sizeof serve_linkers / sizeof serve_linkers[0]; i++)
        jail_rules_allow(&rules, serve_linkers[i], JAIL_READ | JAIL_RUN);
    jail_rules_allow(&rules, program, JAIL_READ | JAIL_RUN);
    jail_rules_allow(&rules, path, JAIL_READ);
    if (failed == 0)
        failed = jail_rules_enforce(&rules);
    if (failed != 0)
        serve_give_up("Landlock, a wall of the jail, does not hold", failed);
}

/* The words of --image-opts: a comma of a path is written twice. */
static void serve_options(const char *path, const char *format, bool keyed,
                          char out[SERVE_OPTS_MAX])
{
    size_t len = (size_t)snprintf(out, SERVE_OPTS_MAX,
                                  "driver=%s,read-only=on,%sfile.driver=file,file.locking=off,"
                                  "file.read-only=on,file.filename=",
                                  format, keyed ? "key-secret=key," : "");

    for (; *path != '\0' && len + 3 < SERVE_OPTS_MAX; path++) {
        out[len++] = *path;
        if (*path == ',')
            out[len++] = ',';
    }
    out[len] = '\0';
}

_Noreturn void io_serve_run(const char *program, const char *path, const char *format, bool keyed)
{
    const uint64_t read = UINT64_C(1) << JAIL_CAP_READ_SEARCH;
    char options[SERVE_OPTS_MAX], shared[32], secret[64], pid[32];
    char *const argv[] = { (char *)(uintptr_t)program,
                           "--read-only",
                           "--persistent",
                           shared,
                           "--image-opts",
                           options,
                           keyed ? "--object" : NULL,
                           secret,
                           NULL };
    char *const envp[] = { "LISTEN_FDS=1", pid, "LC_ALL=C", NULL };
    int failed;

    snprintf(shared, sizeof shared, "--shared=%d", IO_SERVE_CLIENTS);
    snprintf(pid, sizeof pid, "LISTEN_PID=%d", (int)getpid());
    snprintf(secret, sizeof secret, "secret,id=key,file=/proc/self/fd/%d", IO_SERVE_KEY_FD);
    serve_options(path, format, keyed, options);
    failed = jail_no_more_rights();
    if (failed != 0)
        serve_give_up("its rights cannot be limited", failed);
    const bool needs = !jail_access_without(0, path, R_OK);

    serve_files(program, path);
    failed = jail_capabilities_drop(needs ? read : 0);
    if (failed == 0)
        failed = jail_calls(JAIL_CALLS_PROGRAM, JAIL_CALLS_SERVER);
    if (failed != 0)
        serve_give_up("seccomp, a wall of the jail, does not hold", failed);
    serve_limits(); /* last: they are for qemu-nbd, and a sanitizer here would need more */
    execve(program, argv, envp);
    serve_give_up("qemu-nbd cannot be run", errno);
}
