/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_share.c - every piece is done once, whatever the threads, and no worker does two
 * at a time. */
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jail.h"
#include "base/share.h"
#include "tests/match/match_test.h"

enum { PIECES = 5000 };

struct work {
    _Atomic uint32_t done[PIECES];
    _Atomic uint32_t busy[SHARE_THREADS];
    _Atomic uint32_t most; /* the largest number of a worker */
    _Atomic bool twice;    /* a worker had two pieces at a time */
};

static struct work work;

static void one(void *arg, size_t piece, uint32_t worker)
{
    uint32_t most = atomic_load(&work.most);

    assert_ptr_equal(arg, &work);
    if (atomic_fetch_add(&work.busy[worker], 1) != 0)
        atomic_store(&work.twice, true);
    while (worker > most && !atomic_compare_exchange_weak(&work.most, &most, worker))
        ;
    atomic_fetch_add(&work.done[piece], 1);
    atomic_fetch_sub(&work.busy[worker], 1);
}

/* Whether the first pieces, and no others, were done once each, by so many threads at most. */
static bool right(size_t count, uint32_t threads)
{
    bool all = !atomic_load(&work.twice) && atomic_load(&work.most) < (threads > 0 ? threads : 1);

    for (size_t i = 0; i < PIECES; i++)
        all = all && atomic_load(&work.done[i]) == (i < count);
    return all;
}

/* No address space is left for the stack of a thread. */
static void the_caller_does_it_where_there_are_no_threads(void **state)
{
    const struct rlimit none = { 0, 0 };
    int status = 0;

    (void)state;
    if (JAIL_SANITIZED)
        skip();
    memset(&work, 0, sizeof work);
    const pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_AS, &none);
        share_out("test", PIECES, 4, one, &work);
        _exit(right(PIECES, 1) ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void every_piece_is_done_once(void **state)
{
    static const uint32_t threads[] = { 0, 1, 2, 7, SHARE_THREADS, 1000 };
    static const size_t counts[] = { 0, 1, 2, 63, PIECES };

    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            memset(&work, 0, sizeof work);
            share_out("test", counts[k], threads[i], one, &work);
            assert_true(right(counts[k], threads[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caller_does_it_where_there_are_no_threads), /* stacks are kept */
        cmocka_unit_test(every_piece_is_done_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
