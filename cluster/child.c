/* SPDX-License-Identifier: Apache-2.0
 * cluster/child.c - see child.h. */
#include "cluster/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_CANNOT = 127, CHILD_UNUSED = 3 /* a descriptor that no program looks at */ };

/* In the new process. A rank that is killed takes what it has started with it. */
static void child_become(char *const *words, pid_t parent, int to, int to_fd, bool quiet)
{
    sigset_t none;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(CHILD_CANNOT);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* Ctrl-C is the rank's: it tells */
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || (quiet && dup2(null, STDERR_FILENO) < 0) ||
        dup2(to, to_fd) < 0)
        _exit(CHILD_CANNOT);
    execv(words[0], words);
    _exit(CHILD_CANNOT);
}

/* Starts it; *from is the other end of its descriptor to_fd. */
static enum err_code child_fork(char *const *words, int to_fd, bool quiet, pid_t *pid, int *from,
                                struct err *err)
{
    const pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return ERR_RAISE(err, ERR_ENV, "no pipe: %s", strerror(errno));
    fflush(NULL);
    *pid = fork();
    if (*pid == 0)
        child_become(words, parent, ends[1], to_fd, quiet);
    close(ends[1]);
    if (*pid < 0) {
        close(ends[0]);
        return ERR_RAISE(err, ERR_ENV, "%s: cannot be started: %s", words[0], strerror(errno));
    }
    *from = ends[0];
    return ERR_OK;
}

static int child_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum err_code child_start(char *const *words, struct child *out, struct err *err)
{
    *out = (struct child){ 0 };
    const enum err_code rc = child_fork(words, STDERR_FILENO, false, &out->pid, &out->from, err);

    if (rc == ERR_OK)
        fcntl(out->from, F_SETFL, O_NONBLOCK);
    return rc;
}

/* A line is whole: the number behind "position", or words for people. */
static void child_line(struct child *child, const char *prefix)
{
    const char *position;

    child->line[child->len] = '\0';
    if (child->line[0] != '{')
        fprintf(stderr, "%s%s\n", prefix, child->line);
    else if ((position = strstr(child->line, "\"position\": ")) != NULL)
        child->position = strtoull(position + strlen("\"position\": "), NULL, 10);
    child->len = 0;
}

static void child_take(struct child *child, const char *prefix)
{
    char bytes[CHILD_LINE_MAX];
    ssize_t got;

    while ((got = read(child->from, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] != '\n')
                child->line[child->len++] = bytes[i];
            if (bytes[i] == '\n' || child->len == sizeof child->line - 1)
                child_line(child, prefix);
        }
}

bool child_poll(struct child *child, const char *prefix, int *status)
{
    int ended = 0;
    const pid_t pid = waitpid(child->pid, &ended, WNOHANG);

    child_take(child, prefix);
    if (pid != child->pid)
        return false;
    if (child->len > 0)
        child_line(child, prefix);
    close(child->from);
    child->pid = 0;
    *status = child_status(ended);
    return true;
}

void child_stop(struct child *child)
{
    if (child->pid > 0) {
        kill(child->pid, SIGTERM);
        kill(child->pid, SIGCONT);
    }
}

int child_run(char *const *words)
{
    struct child child = { 0 };
    int ended = 0;

    const enum err_code rc = child_fork(words, CHILD_UNUSED, false, &child.pid, &child.from, NULL);
    if (rc != ERR_OK)
        return 4;
    while (waitpid(child.pid, &ended, 0) < 0 && errno == EINTR)
        ;
    close(child.from);
    return child_status(ended);
}

int child_ask(char *const *words, bool quiet, char *line, uint32_t size)
{
    pid_t pid = 0;
    int from = -1, ended = 0;
    char rest[CHILD_LINE_MAX];

    line[0] = '\0';
    if (child_fork(words, STDOUT_FILENO, quiet, &pid, &from, NULL) != ERR_OK)
        return 4;
    FILE *stream = fdopen(from, "r");
    if (stream != NULL && fgets(line, (int)size, stream) != NULL)
        line[strcspn(line, "\n")] = '\0';
    while (stream != NULL && fgets(rest, sizeof rest, stream) != NULL)
        ;
    if (stream != NULL)
        fclose(stream);
    else
        close(from);
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    return child_status(ended);
}
