/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/stage.c - see stage.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "carver/audit/stage.h"
#include "carver/cli/interrupt.h"

enum { STAGE_LOOK_NS = 20000000 /* between two looks at the process */ };

/* What a process says at its end: fewer bytes than a pipe takes without waiting. */
struct stage_report {
    enum err_code rc;
    enum exit_status status;
    char text[ERR_TEXT_MAX];
    struct audit_counts counts;
};
_Static_assert(sizeof(struct stage_report) < 16384, "a report must fit into a pipe");

static void stage_child(stage_fn run, struct audit *audit, int out, pid_t parent)
{
    struct stage_report report = { .counts = audit->counts };
    struct err err = { 0 };

    interrupt_release(); /* the audit's own */
    /* A scan whose audit was killed would hold the case file, and nobody would read it. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_ENVIRONMENT);
    report.rc = run(audit, &report.counts, &report.status, &err);
    snprintf(report.text, sizeof report.text, "%s", err.text);
    fflush(NULL);
    _exit(write(out, &report, sizeof report) == (ssize_t)sizeof report ? EXIT_DONE
                                                                       : EXIT_ENVIRONMENT);
}

/* Waits for the end of the process; hands on what asks it to stop. */
static enum err_code stage_wait(pid_t pid, uint64_t deadline, bool *late, int *how, struct err *err)
{
    const struct timespec pause = { .tv_nsec = STAGE_LOOK_NS };
    bool told = false;
    pid_t got;

    while ((got = waitpid(pid, how, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        const bool over = deadline != 0 && clock_now(CLOCK_MONOTONIC) >= deadline;

        if (!told && (over || interrupt_requested())) {
            *late = !interrupt_requested();
            kill(pid, SIGTERM);
            told = true;
        }
        nanosleep(&pause, NULL);
    }
    return got > 0 ? ERR_OK : ERR_RAISE(err, ERR_ENV, "a process is lost: %s", strerror(errno));
}

/* What the process has said, or how it ended instead. */
static enum err_code stage_read(int in, int how, const char *name, struct audit *audit,
                                bool stopped, enum exit_status *status, struct err *err)
{
    struct stage_report report;

    if (read(in, &report, sizeof report) != (ssize_t)sizeof report) {
        if (stopped) /* it quit by itself, because it could not come to its end in time */
            return ERR_RAISE(err, ERR_INTERRUPTED, "the %s was stopped", name);
        return WIFSIGNALED(how)
                   ? ERR_RAISE(err, ERR_ENV, "the %s was ended by signal %d (%s)", name,
                               WTERMSIG(how), strsignal(WTERMSIG(how)))
                   : ERR_RAISE(err, ERR_ENV, "the %s ended with status %d and said nothing", name,
                               WEXITSTATUS(how));
    }
    report.text[sizeof report.text - 1] = '\0';
    audit->counts = report.counts;
    if (report.status != EXIT_DONE)
        *status = report.status;
    return report.rc == ERR_OK ? ERR_OK : ERR_RAISE(err, report.rc, "%s", report.text);
}

enum err_code stage_run(stage_fn run, const char *name, struct audit *audit, uint64_t deadline,
                        bool *late, enum exit_status *status, struct err *err)
{
    const pid_t parent = getpid();
    int ends[2], how = 0;

    *late = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ERR_RAISE(err, ERR_ENV, "no pipe for the %s: %s", name, strerror(errno));
    fflush(NULL); /* or both would write what is still in memory */
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        stage_child(run, audit, ends[1], parent);
    }
    close(ends[1]);
    enum err_code rc =
        pid > 0 ? stage_wait(pid, deadline, late, &how, err)
                : ERR_RAISE(err, ERR_ENV, "no process for the %s: %s", name, strerror(errno));
    if (rc == ERR_OK)
        rc = stage_read(ends[0], how, name, audit, *late || interrupt_requested(), status, err);
    close(ends[0]);
    if (rc != ERR_INTERRUPTED)
        *late = false;
    return rc;
}
