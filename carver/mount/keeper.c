/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/keeper.c - see keeper.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "carver/mount/keeper.h"
#include "carver/mount/mount_table.h"
#include "carver/mount/through.h"

enum keeper_word {
    KEEPER_MOUNT = 'm',
    KEEPER_AHEAD = 'a',
    KEEPER_LEND = 'l',
    KEEPER_END = 'e',
    KEEPER_DONE = 'd',
    KEEPER_FAILED = 'f',
};
enum { KEEPER_WHY_MAX = 512, KEEPER_SOCKET = STDERR_FILENO + 1 };

/* The process's own. */
struct keeper_work {
    const struct lib_fuse *fuse;
    const char *folder;
    char options[KEEPER_OPTIONS_MAX];
    int socket;
    bool mounted;
    dev_t device; /* of the mount */
};

/* Of the options of a mount commas part one from the next. */
static void keeper_escape(char *to, size_t room, const char *from)
{
    size_t at = 0;

    for (; *from != '\0' && at + 3 < room; from++) {
        if (*from == ',' || *from == '\\')
            to[at++] = '\\';
        to[at++] = *from;
    }
    to[at] = '\0';
}

static void keeper_options(struct keeper_work *work, const char *source, bool others)
{
    char escaped[PATH_MAX + 64];

    keeper_escape(escaped, sizeof escaped, source);
    snprintf(work->options, sizeof work->options,
             "ro,nosuid,nodev,noexec,default_permissions,subtype=burin%s,fsname=%s",
             others ? ",allow_other" : "", escaped);
}

/* Mounts; the descriptor of the connection, or -1. */
static int keeper_try(const struct keeper_work *work)
{
    const struct fuse_lowlevel_ops none = { 0 };
    struct fuse_args args = { 0 };
    int fd = -1;

    if (work->fuse->fuse_opt_add_arg(&args, "burin") == 0 &&
        work->fuse->fuse_opt_add_arg(&args, "-o") == 0 &&
        work->fuse->fuse_opt_add_arg(&args, work->options) == 0) {
        struct fuse_session *session =
            work->fuse->fuse_session_new(&args, &none, sizeof none, NULL);

        if (session != NULL && work->fuse->fuse_session_mount(session, work->folder) == 0)
            fd = work->fuse->fuse_session_fd(session);
        /* The session is not destroyed: that would end the connection. The process ends soon. */
    }
    work->fuse->fuse_opt_free_args(&args);
    return fd;
}

/* What the library and fusermount3 wrote on standard error: the last line that says something. */
static void keeper_read_why(int from, char why[KEEPER_WHY_MAX])
{
    const ssize_t got = read(from, why, KEEPER_WHY_MAX - 1);
    char *line = why, *end;

    why[got > 0 ? got : 0] = '\0';
    while ((end = strchr(line, '\n')) != NULL && end[1] != '\0')
        line = end + 1;
    if (end != NULL)
        *end = '\0';
    memmove(why, line, strlen(line) + 1);
    if (why[0] == '\0')
        snprintf(why, KEEPER_WHY_MAX, "the kernel refuses it");
}

/* A word, a text of less than KEEPER_WHY_MAX bytes, and a descriptor, unless it is -1. */
static bool keeper_send(int socket, char word, const char *text, int fd)
{
    char bytes[1 + KEEPER_WHY_MAX] = { word };
    const size_t len = strlen(text);

    memcpy(bytes + 1, text, len);
    return fds_send(socket, bytes, 1 + len, &fd, fd >= 0 ? 1 : 0);
}

static void keeper_do_mount(struct keeper_work *work)
{
    char why[KEEPER_WHY_MAX];
    int says[2];

    if (work->mounted || pipe2(says, O_CLOEXEC | O_NONBLOCK) != 0) {
        keeper_send(work->socket, KEEPER_FAILED, "no pipe", -1);
        return;
    }
    dup2(says[1], STDERR_FILENO);
    const int fd = keeper_try(work);
    keeper_read_why(says[0], why);
    close(says[0]);
    close(says[1]);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    work->mounted = fd >= 0 && mount_table_find(work->folder, &work->device);
    keeper_send(work->socket, fd >= 0 ? KEEPER_DONE : KEEPER_FAILED, fd >= 0 ? "" : why, fd);
    if (fd >= 0)
        close(fd); /* the connection lives as long as the program has it */
}

static void keeper_do_ahead(const struct keeper_work *work)
{
    char name[64], size[16];

    snprintf(name, sizeof name, "/sys/class/bdi/%u:%u/read_ahead_kb", major(work->device),
             minor(work->device));
    const int len = snprintf(size, sizeof size, "%d", KEEPER_AHEAD_BYTES >> 10);
    const int fd = work->mounted ? open(name, O_WRONLY | O_CLOEXEC) : -1;
    const bool taken = fd >= 0 && write(fd, size, (size_t)len) == len;
    if (fd >= 0)
        close(fd);
    keeper_send(work->socket, taken ? KEEPER_DONE : KEEPER_FAILED, "", -1);
}

/* fds: the connection, and a file. The answer is a number. */
static void keeper_do_lend(const struct keeper_work *work, const int fds[FDS_MAX], uint32_t count)
{
    const uint32_t number = count == 2 ? through_lend(fds[0], fds[1]) : 0;
    char text[KEEPER_WHY_MAX];

    snprintf(text, sizeof text, "%" PRIu32, number);
    keeper_send(work->socket, number > 0 ? KEEPER_DONE : KEEPER_FAILED, text, -1);
}

/* By the program that may, for those who may not. */
static void keeper_run_unmount(const char *folder)
{
    const pid_t pid = fork();

    if (pid == 0) {
        execlp("fusermount3", "fusermount3", "-u", "-q", "-z", "--", folder, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void keeper_do_unmount(struct keeper_work *work)
{
    dev_t device;

    /* Whoever unmounted it may have mounted something else there. */
    if (!work->mounted || !mount_table_find(work->folder, &device) || device != work->device)
        return;
    if (umount2(work->folder, MNT_DETACH) != 0)
        keeper_run_unmount(work->folder);
    work->mounted = false;
}

_Noreturn static void keeper_run(struct keeper_work *work)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGALRM };
    char word = KEEPER_END;
    int fds[FDS_MAX];
    uint32_t count;
    bool on = true;

    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        signal(stops[i], SIG_IGN); /* the program is stopped, and then says so */
    /* Whoever waits for the end of a pipe of the program does not wait for this process. */
    if (work->socket != KEEPER_SOCKET && dup2(work->socket, KEEPER_SOCKET) < 0)
        _exit(1);
    work->socket = KEEPER_SOCKET;
    (void)close_range(KEEPER_SOCKET + 1, UINT_MAX, 0);
    (void)fcntl(KEEPER_SOCKET, F_SETFD, FD_CLOEXEC);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; null >= 0 && i <= STDERR_FILENO; i++)
        dup2(null, i);
    setsid();
    (void)prctl(PR_SET_NAME, "mount-keeper");
    if (chdir("/") != 0)
        _exit(1);
    while (on) {
        count = FDS_MAX;
        on = fds_receive(work->socket, &word, 1, fds, &count) == 1;
        if (on && word == KEEPER_MOUNT)
            keeper_do_mount(work);
        else if (on && word == KEEPER_AHEAD)
            keeper_do_ahead(work);
        else if (on && word == KEEPER_LEND)
            keeper_do_lend(work, fds, count);
        else
            break;
        while (count > 0)
            close(fds[--count]);
    }
    keeper_do_unmount(work);
    if (on)
        keeper_send(work->socket, KEEPER_DONE, "", -1);
    _exit(0);
}

enum err_code keeper_start(struct keeper *keeper, const struct lib_fuse *fuse, const char *folder,
                           const char *source, bool others, struct err *err)
{
    struct keeper_work work = { .fuse = fuse, .folder = folder };
    int ends[2];

    *keeper = (struct keeper){ .socket = -1 };
    keeper_options(&work, source, others);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_RAISE(err, ERR_ENV, "no socket: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work.socket = ends[1];
        keeper_run(&work);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ERR_RAISE(err, ERR_ENV, "no process that mounts: %s", strerror(errno));
    }
    keeper->pid = pid;
    keeper->socket = ends[0];
    return ERR_OK;
}

/* The answer: its word, or 0 when there is none. *fd is -1 unless one came. */
static char keeper_receive(int socket, char text[KEEPER_WHY_MAX], int *fd)
{
    char bytes[KEEPER_WHY_MAX];
    uint32_t count = 1;

    *fd = -1;
    const ssize_t got = fds_receive(socket, bytes, sizeof bytes, fd, &count);
    const size_t len = got > 1 ? (size_t)got - 1 : 0;
    memcpy(text, bytes + 1, len);
    text[len] = '\0';
    return got < 1 ? 0 : bytes[0];
}

enum err_code keeper_mount(struct keeper *keeper, int *fd, struct err *err)
{
    const char word = KEEPER_MOUNT;
    char why[KEEPER_WHY_MAX] = "";

    if (send(keeper->socket, &word, 1, MSG_NOSIGNAL) == 1 &&
        keeper_receive(keeper->socket, why, fd) == KEEPER_DONE && *fd >= 0)
        return ERR_OK;
    return ERR_RAISE(err, ERR_ENV, "cannot mount: %s",
                     why[0] != '\0' ? why : "the process that mounts is gone");
}

void keeper_ahead(struct keeper *keeper)
{
    const char word = KEEPER_AHEAD;
    char text[KEEPER_WHY_MAX];
    int none;

    if (send(keeper->socket, &word, 1, MSG_NOSIGNAL) == 1)
        (void)keeper_receive(keeper->socket, text, &none);
}

uint32_t keeper_lend(struct keeper *keeper, int connection, int file)
{
    const int fds[2] = { connection, file };
    const char word = KEEPER_LEND;
    char text[KEEPER_WHY_MAX] = "";
    int none;

    return fds_send(keeper->socket, &word, 1, fds, 2) &&
                   keeper_receive(keeper->socket, text, &none) == KEEPER_DONE
               ? (uint32_t)strtoul(text, NULL, 10)
               : 0;
}

void keeper_end(struct keeper *keeper)
{
    const char word = KEEPER_END;
    char why[KEEPER_WHY_MAX];
    int fd;

    if (keeper->pid <= 0)
        return;
    if (send(keeper->socket, &word, 1, MSG_NOSIGNAL) == 1)
        (void)keeper_receive(keeper->socket, why, &fd);
    close(keeper->socket);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *keeper = (struct keeper){ .socket = -1 };
}
