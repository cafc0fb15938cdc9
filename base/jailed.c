/* SPDX-License-Identifier: Apache-2.0
 * base/jailed.c - see jailed.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/jail.h"
#include "base/jailed.h"

enum {
    JAILED_ORDERS = 3, /* descriptors of the process */
    JAILED_ANSWERS = 4,
    JAILED_LOOK_MS = 100, /* between two looks at what it has used */
};
#define JAILED_SECOND UINT64_C(1000000000)

enum err_code jailed_open(const struct jailed_how *how, struct jailed *out, struct err *err)
{
    assert(how->answer <= JAILED_ANSWER_MAX);
    *out = (struct jailed){ .how = *how, .orders = -1, .answers = -1 };
    void *shared =
        mmap(NULL, how->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return ERR_NO_MEMORY(err, how->shared);
    out->shared = shared;
    return ERR_OK;
}

static void jailed_end(struct jailed *jailed)
{
    if (jailed->pid == 0)
        return;
    close(jailed->orders);
    close(jailed->answers);
    jailed->orders = jailed->answers = -1;
    (void)kill(jailed->pid, SIGKILL);
    while (waitpid(jailed->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    jailed->pid = 0;
}

void jailed_rest(struct jailed *jailed)
{
    jailed_end(jailed);
}

void jailed_close(struct jailed *jailed)
{
    if (jailed->shared == NULL)
        return;
    jailed_end(jailed);
    munmap(jailed->shared, jailed->how.shared);
    *jailed = (struct jailed){ 0 };
}

/* Nothing is left to it but these two descriptors. Without the filter it does nothing. */
static bool jailed_confine(const struct jailed_how *how, pid_t parent, int orders, int answers)
{
    const struct rlimit no_core = { 0, 0 }, memory = { how->memory, how->memory };

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        return false;
    /* The two may be each other's numbers: by way of two that nobody has. */
    const int from = fcntl(orders, F_DUPFD, JAILED_ANSWERS + 1),
              to = fcntl(answers, F_DUPFD, JAILED_ANSWERS + 1);
    if (from < 0 || to < 0 || dup2(from, JAILED_ORDERS) < 0 || dup2(to, JAILED_ANSWERS) < 0 ||
        close_range(JAILED_ANSWERS + 1, ~0U, 0) != 0)
        return false;
    if (!JAIL_SANITIZED) /* their reports go to standard error */
        (void)close_range(0, STDERR_FILENO, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (how->memory > 0 && !JAIL_SANITIZED)
        (void)setrlimit(RLIMIT_DATA, &memory);
    return jail_no_more_rights() == 0 && jail_calls(JAIL_CALLS_DECODER, 0) == 0;
}

static _Noreturn void jailed_work(const struct jailed_how *how, pid_t parent, int orders,
                                  int answers)
{
    uint64_t order;

    if (jailed_confine(how, parent, orders, answers))
        while (read(JAILED_ORDERS, &order, sizeof order) == sizeof order) {
            uint8_t answer[JAILED_ANSWER_MAX] = { 0 };

            how->work(how->arg, order, answer);
            if (write(JAILED_ANSWERS, answer, how->answer) != (ssize_t)how->answer)
                break;
        }
    _exit(0);
}

static bool jailed_start(struct jailed *jailed)
{
    const pid_t parent = getpid();
    int answers[2] = { -1, -1 };

    if (jailed->pid != 0)
        return true;
    if (jailed->failures >= jailed->how.failures)
        return false;
    /* No pipe: to write into one that nobody reads any more would be the end of this process. */
    const int orders = eventfd(0, EFD_CLOEXEC);
    if (orders >= 0 && pipe2(answers, O_CLOEXEC) == 0) {
        const pid_t pid = fork();

        if (pid == 0)
            jailed_work(&jailed->how, parent, orders, answers[1]);
        close(answers[1]);
        if (pid > 0) {
            jailed->pid = pid;
            jailed->orders = orders;
            jailed->answers = answers[0];
            return true;
        }
        close(answers[0]);
    }
    if (orders >= 0)
        close(orders);
    jailed->failures = jailed->how.failures; /* no descriptors or processes: there will be none */
    return false;
}

/* The time of the processor that it has taken so far, in nanoseconds: on a machine with other work
 * an order may take longer than it does elsewhere. */
static uint64_t jailed_used(const struct jailed *jailed)
{
    clockid_t clock;

    return clock_getcpuclockid(jailed->pid, &clock) == 0 ? clock_now(clock) : 0;
}

static bool jailed_answer(const struct jailed *jailed, void *answer)
{
    const struct jailed_how *how = &jailed->how;
    const uint64_t used = jailed_used(jailed) + how->seconds * JAILED_SECOND;
    const uint64_t end = clock_now(CLOCK_MONOTONIC) + how->patience * JAILED_SECOND;
    struct pollfd wait = { .fd = jailed->answers, .events = POLLIN };
    int got;

    do {
        got = poll(&wait, 1, JAILED_LOOK_MS);
        if (got < 0 && (errno != EINTR || (how->stop != NULL && how->stop())))
            break;
    } while (got <= 0 && jailed_used(jailed) < used && clock_now(CLOCK_MONOTONIC) < end);
    return got > 0 && (wait.revents & POLLIN) != 0 &&
           read(jailed->answers, answer, how->answer) == (ssize_t)how->answer;
}

void jailed_distrust(struct jailed *jailed)
{
    jailed->failures++;
    jailed_end(jailed);
}

bool jailed_ask(struct jailed *jailed, uint64_t order, void *answer)
{
    if (!jailed_start(jailed))
        return false;
    if (write(jailed->orders, &order, sizeof order) == sizeof order &&
        jailed_answer(jailed, answer))
        return true;
    jailed_distrust(jailed);
    return false;
}
