/* SPDX-License-Identifier: Apache-2.0
 * io/image/serve.c - see serve.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/image/serve.h"

enum {
    SERVE_LISTEN_FD = 3, /* where a program looks that is handed its socket: sd_listen_fds(3) */
    SERVE_WHY_MAX =
        3 * PATH_MAX, /* QEMU tells the path, with each comma twice, before the reason */
    SERVE_HAND_MAX = 256,
};

#define SERVE_HAND_TEXT "; by hand, where nothing can be harmed: "
#define SERVE_HAND_GIVE " -k /SOCKET%s, and give burin nbd+unix:///?socket=/SOCKET"

/* What a server is started for. */
struct serve_job {
    const char *program, *path, *format;
    int key;
};

/* How to do without a server of ours; a text that ends an error. */
static const char *serve_by_hand(const char *format, int key, char out[SERVE_HAND_MAX])
{
    if (key >= 0)
        snprintf(out, SERVE_HAND_MAX,
                 SERVE_HAND_TEXT "qemu-nbd -r -t -e 8 --object secret,id=key,file=KEY --image-opts "
                                 "driver=%s,key-secret=key,file.filename=IMAGE" SERVE_HAND_GIVE,
                 format, "");
    else
        snprintf(out, SERVE_HAND_MAX,
                 SERVE_HAND_TEXT "qemu-img convert -f %s -O raw IMAGE OUT, or serve it: qemu-nbd "
                                 "-r -t -e 8 -f %s" SERVE_HAND_GIVE,
                 format, format, " IMAGE");
    return out;
}

/* Where qemu-nbd is. False: nowhere. */
static bool serve_find(char out[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (path == NULL || path[0] == '\0')
        path = "/usr/local/bin:/usr/bin";
    for (size_t len; *path != '\0'; path += len + (path[len] == ':')) {
        char name[PATH_MAX];

        len = strcspn(path, ":");
        if (*path == '/' &&
            snprintf(name, sizeof name, "%.*s/qemu-nbd", (int)len, path) < PATH_MAX &&
            access(name, X_OK) == 0 && realpath(name, out) != NULL)
            return true;
    }
    return false;
}

/*
 * Makes a socket that listens and has no name any more: of its folder nobody else sees anything,
 * and that lies in memory, for the disk may be evidence. Returns 0 or an errno.
 */
static int serve_listen(int *listener, int *place)
{
    char folder[] = "/dev/shm/burin-nbd-XXXXXX";
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int failed = 0;

    *place = -1;
    *listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0 || mkdtemp(folder) == NULL)
        return errno;
    snprintf(name.sun_path, sizeof name.sun_path, "%s/s", folder);
    if (bind(*listener, (const struct sockaddr *)&name, (socklen_t)sizeof name) != 0 ||
        listen(*listener, IO_SERVE_CLIENTS) != 0 ||
        (*place = open(name.sun_path, O_PATH | O_CLOEXEC)) < 0)
        failed = errno;
    unlink(name.sun_path);
    rmdir(folder);
    return failed;
}

/* In the new process: only what it is handed stays open. */
static _Noreturn void serve_child(pid_t parent, int listener, int says, const struct serve_job *job)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it has ended already */
        _exit(IO_SERVE_NO_JAIL);
    /* Each is moved above the places that they are to have, or one would be closed for another. */
    const int from = fcntl(listener, F_DUPFD, IO_SERVE_KEY_FD + 1);
    const int to = fcntl(says, F_DUPFD, IO_SERVE_KEY_FD + 1);
    const bool keyed = job->key >= 0;
    const int key = keyed ? fcntl(job->key, F_DUPFD, IO_SERVE_KEY_FD + 1) : -1;

    if (null < 0 || from < 0 || to < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0 ||
        dup2(from, SERVE_LISTEN_FD) < 0 || (keyed && dup2(key, IO_SERVE_KEY_FD) < 0) ||
        close_range(keyed ? IO_SERVE_KEY_FD + 1 : SERVE_LISTEN_FD + 1, ~0U, 0) != 0)
        _exit(IO_SERVE_NO_JAIL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    io_serve_run(job->program, job->path, job->format, keyed);
}

static enum err_code serve_fork(const struct serve_job *job, struct io_serve *out, struct err *err)
{
    const pid_t parent = getpid();
    char hand[SERVE_HAND_MAX];
    int listener = -1, says[2] = { -1, -1 };
    enum err_code rc = ERR_OK;
    int failed = serve_listen(&listener, &out->socket);

    /* What nobody reads any more must not make it wait. */
    if (failed == 0 && pipe2(says, O_CLOEXEC | O_NONBLOCK) != 0)
        failed = errno;
    if (failed == 0) {
        out->pid = fork();
        if (out->pid == 0)
            serve_child(parent, listener, says[1], job);
        failed = out->pid < 0 ? errno : 0;
    }
    out->says = says[0];
    if (says[1] >= 0)
        close(says[1]);
    if (listener >= 0)
        close(listener);
    if (failed != 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "qemu-nbd cannot be started: %s (its socket lies in /dev/shm)%s",
                       strerror(failed), serve_by_hand(job->format, job->key, hand));
    return rc;
}

enum err_code io_serve_start(const char *path, const char *format, int key, struct io_serve *out,
                             struct err *err)
{
    char program[PATH_MAX], absolute[PATH_MAX], hand[SERVE_HAND_MAX];
    const struct serve_job job = { program, absolute, format, key };

    *out = (struct io_serve){ .pid = -1, .socket = -1, .says = -1, .keyed = key >= 0 };
    if (realpath(path, absolute) == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s", strerror(errno));
    if (!serve_find(program))
        return ERR_RAISE(err, ERR_INPUT,
                         "qemu-nbd reads it, and is not there: install it (Debian's package "
                         "qemu-utils)%s",
                         serve_by_hand(format, key, hand));
    const enum err_code rc = serve_fork(&job, out, err);
    if (rc != ERR_OK)
        io_serve_end(out);
    return rc;
}

bool io_serve_lives(const struct io_serve *serve)
{
    siginfo_t info = { 0 };

    return serve->pid > 0 &&
           waitid(P_PID, (id_t)serve->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

enum err_code io_serve_failed(struct io_serve *serve, const char *format, int failed,
                              struct err *err)
{
    char why[SERVE_WHY_MAX], hand[SERVE_HAND_MAX];
    const int key = serve->keyed ? IO_SERVE_KEY_FD : -1;
    int status = 0;

    if ((failed == ECONNRESET || failed == ECONNREFUSED) &&
        waitpid(serve->pid, &status, 0) == serve->pid)
        serve->pid = -1;
    const ssize_t got = read(serve->says, why, sizeof why - 1);
    why[got > 0 ? got : 0] = '\0';
    why[strcspn(why, "\n")] = '\0';
    io_serve_end(serve);
    if (WIFEXITED(status) && WEXITSTATUS(status) == IO_SERVE_NO_JAIL)
        return ERR_RAISE(err, ERR_INPUT,
                         "qemu-nbd reads it in a jail, which cannot be built here: %s%s", why,
                         serve_by_hand(format, key, hand));
    if (key >= 0 && strstr(why, "cannot unlock") != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "the key that --key-file names does not open it; each byte of the file is "
                         "a part of the key, a newline at its end too: printf %%s KEY > FILE "
                         "writes none");
    if (key >= 0 && strstr(why, "not valid UTF-8") != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "the key that --key-file names is no text in UTF-8, and QEMU takes no "
                         "other; open it with cryptsetup (cryptsetup open --readonly --key-file "
                         "FILE IMAGE NAME), and scan /dev/mapper/NAME");
    return ERR_RAISE(err, ERR_INPUT, "qemu-nbd, in its jail, says: %s",
                     why[0] != '\0' ? why : strerror(failed));
}

int io_serve_connect(const struct io_serve *serve, int *out)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d", serve->socket);
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*out < 0)
        return errno;
    return connect(*out, (const struct sockaddr *)&to, (socklen_t)sizeof to) == 0 ? 0 : errno;
}

void io_serve_end(struct io_serve *serve)
{
    if (serve->pid > 0) {
        kill(serve->pid, SIGKILL);
        while (waitpid(serve->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (serve->socket >= 0)
        close(serve->socket);
    if (serve->says >= 0)
        close(serve->says);
    *serve = (struct io_serve){ .pid = -1, .socket = -1, .says = -1 };
}
