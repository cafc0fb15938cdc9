/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/shrinker.c - see shrinker.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/jail.h"
#include "carver/report/html/shrinker.h"

enum {
    SHRINKER_ORDERS = 3, /* descriptors of the process */
    SHRINKER_ANSWERS = 4,
    SHRINKER_CPU = 600,     /* seconds of the processor, for all pictures of a process */
    SHRINKER_LOOK_MS = 100, /* between two looks at what it has used */
    SHRINKER_LOOKS = 600,   /* then it waits for something */
    SHRINKER_SHARED = SHRINK_FILE + SHRINK_BYTES,
};

enum err_code shrinker_open(struct shrinker *out, struct err *err)
{
    *out = (struct shrinker){ .orders = -1, .answers = -1 };
    if (!lib_turbojpeg_find(&out->jpeg))
        return ERR_RAISE(err, ERR_ENV, "libturbojpeg is not loaded");
    void *shared =
        mmap(NULL, SHRINKER_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return ERR_NO_MEMORY(err, SHRINKER_SHARED);
    out->file = shared;
    out->small = out->file + SHRINK_FILE;
    return ERR_OK;
}

static void shrinker_end(struct shrinker *shrinker)
{
    if (shrinker->pid == 0)
        return;
    close(shrinker->orders);
    close(shrinker->answers);
    shrinker->orders = shrinker->answers = -1;
    (void)kill(shrinker->pid, SIGKILL);
    while (waitpid(shrinker->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    shrinker->pid = 0;
}

void shrinker_close(struct shrinker *shrinker)
{
    if (shrinker->file == NULL)
        return;
    shrinker_end(shrinker);
    munmap(shrinker->file, SHRINKER_SHARED);
    *shrinker = (struct shrinker){ 0 };
}

/* Nothing is left to it but these two descriptors. Without the filter it does nothing. */
static bool shrinker_confine(pid_t parent, int orders, int answers)
{
    const struct rlimit no_core = { 0, 0 }, cpu = { SHRINKER_CPU, SHRINKER_CPU };

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        return false;
    /* The two may be each other's numbers: by way of two that nobody has. */
    const int from = fcntl(orders, F_DUPFD, SHRINKER_ANSWERS + 1),
              to = fcntl(answers, F_DUPFD, SHRINKER_ANSWERS + 1);
    if (from < 0 || to < 0 || dup2(from, SHRINKER_ORDERS) < 0 || dup2(to, SHRINKER_ANSWERS) < 0 ||
        close_range(SHRINKER_ANSWERS + 1, ~0U, 0) != 0)
        return false;
    if (!JAIL_SANITIZED) /* their reports go to standard error */
        (void)close_range(0, STDERR_FILENO, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)setrlimit(RLIMIT_CPU, &cpu);
    return jail_no_more_rights() == 0 && jail_calls(JAIL_CALLS_DECODER, 0) == 0;
}

static _Noreturn void shrinker_work(const struct shrinker *shrinker, pid_t parent, int orders,
                                    int answers)
{
    uint64_t len;

    if (shrinker_confine(parent, orders, answers))
        while (read(SHRINKER_ORDERS, &len, sizeof len) == sizeof len && len <= SHRINK_FILE) {
            const struct shrunk shrunk =
                shrink_jpeg(&shrinker->jpeg, shrinker->file, (size_t)len, shrinker->small);

            if (write(SHRINKER_ANSWERS, &shrunk, sizeof shrunk) != sizeof shrunk)
                break;
        }
    _exit(0);
}

static bool shrinker_start(struct shrinker *shrinker)
{
    const pid_t parent = getpid();
    int answers[2] = { -1, -1 };

    if (shrinker->pid != 0)
        return true;
    if (shrinker->failures >= SHRINKER_FAILURES)
        return false;
    /* No pipe: to write into one that nobody reads any more would be the end of this process. */
    const int orders = eventfd(0, EFD_CLOEXEC);
    if (orders >= 0 && pipe2(answers, O_CLOEXEC) == 0) {
        const pid_t pid = fork();

        if (pid == 0)
            shrinker_work(shrinker, parent, orders, answers[1]);
        close(answers[1]);
        if (pid > 0) {
            shrinker->pid = pid;
            shrinker->orders = orders;
            shrinker->answers = answers[0];
            return true;
        }
        close(answers[0]);
    }
    if (orders >= 0)
        close(orders);
    shrinker->failures = SHRINKER_FAILURES; /* no descriptors or processes: there will be none */
    return false;
}

/* The time of the processor that it has taken so far, in nanoseconds: on a machine with other work
 * a picture may take longer than it does elsewhere. */
static uint64_t shrinker_used(const struct shrinker *shrinker)
{
    clockid_t clock;

    return clock_getcpuclockid(shrinker->pid, &clock) == 0 ? clock_now(clock) : 0;
}

/* What it says may be anything, once a picture has taken it over. */
static bool shrinker_answer(const struct shrinker *shrinker, struct shrunk *out)
{
    struct pollfd answer = { .fd = shrinker->answers, .events = POLLIN };
    const uint64_t began = shrinker_used(shrinker);
    uint64_t waited = 0;

    while (poll(&answer, 1, SHRINKER_LOOK_MS) == 0 && waited < SHRINKER_LOOKS &&
           shrinker_used(shrinker) < began + SHRINKER_SECONDS * UINT64_C(1000000000))
        waited++;
    return (answer.revents & POLLIN) != 0 &&
           read(shrinker->answers, out, sizeof *out) == sizeof *out && out->len <= SHRINK_BYTES &&
           out->damaged <= 1;
}

struct shrunk shrinker_make(struct shrinker *shrinker, uint32_t len)
{
    const uint64_t order = len;
    struct shrunk shrunk = { 0 };

    if (len == 0 || !shrinker_start(shrinker))
        return shrunk;
    if (write(shrinker->orders, &order, sizeof order) == sizeof order &&
        shrinker_answer(shrinker, &shrunk))
        return shrunk;
    shrinker->failures++;
    shrinker_end(shrinker);
    return (struct shrunk){ 0 };
}
