/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_shards_ahead.c - what one thread brings comes to another one whole, in its
 * order, whoever is the slower one; either may end first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "carver/plan/plan.h"
#include "carver/scan/shards_ahead.h"

enum { LINES = 500, PAUSE = 64 /* lines between two pauses of who is slow */, MICROSECONDS = 3000 };

struct fixture {
    struct plan_options plan;
    struct lookback lookback;
    struct shards_ahead ahead;
    struct thread brings;
    bool slow;      /* who brings is */
    uint32_t to;    /* lines that are brought */
    uint32_t added; /* lines that were, of the thread until it is joined */
    bool ends;      /* and says so */
    struct err err;
};

static void bring(void *arg)
{
    struct fixture *f = arg;

    for (uint32_t i = 0; i < f->to; i++) {
        struct shards_slot *slot = shards_ahead_next(&f->ahead);
        char line[16];

        if (slot == NULL)
            break;
        assert_null(slot->line);
        snprintf(line, sizeof line, "%u", i);
        slot->line = strdup(line);
        assert_non_null(slot->line);
        shards_ahead_add(&f->ahead);
        f->added++;
        if (f->slow && i % PAUSE == 0)
            usleep(MICROSECONDS);
    }
    if (f->ends)
        shards_ahead_end(&f->ahead);
}

static void open_fixture(struct fixture *f, uint32_t threads)
{
    const struct part_reader reader = { .options = &f->plan };

    *f = (struct fixture){ .to = LINES, .ends = true };
    assert_int_equal(shards_ahead_open(&f->ahead, &reader, &f->lookback, false, threads, &f->err),
                     ERR_OK);
}

static void start(struct fixture *f)
{
    assert_int_equal(thread_start(&f->brings, "test", bring, f, &f->err), ERR_OK);
}

static void close_fixture(struct fixture *f)
{
    thread_join(&f->brings);
    shards_ahead_close(&f->ahead);
}

/* Each line has come once, in its turn. */
static void take_all(struct fixture *f, bool slow)
{
    const struct shards_slot *slot;
    uint32_t count = 0;

    while ((slot = shards_ahead_take(&f->ahead, 0)) != NULL) {
        assert_int_equal(strtoul(slot->line, NULL, 10), count);
        count++;
        if (slow && count % PAUSE == 0)
            usleep(MICROSECONDS);
    }
    assert_int_equal(count, f->to);
    assert_true(shards_ahead_is_done(&f->ahead));
}

static void all_come_in_their_order(void **state)
{
    const uint32_t threads[] = { 1, 2, 8 };

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct fixture f;

        open_fixture(&f, threads[i % 3]);
        f.slow = i >= 3;
        start(&f);
        take_all(&f, !f.slow);
        close_fixture(&f);
    }
}

/* No more than the slots but one, which whoever takes may still look at. */
static void who_brings_ends_when_stopped(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct fixture f;

        open_fixture(&f, threads);
        start(&f);
        assert_string_equal(shards_ahead_take(&f.ahead, 0)->line, "0");
        shards_ahead_stop(&f.ahead);
        assert_true(shards_ahead_is_stopped(&f.ahead));
        thread_join(&f.brings);
        assert_in_range(f.added, 1, f.ahead.slot_count);
        close_fixture(&f);
    }
}

static void patience_has_an_end(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f, 2);
    f.to = 1;
    f.ends = false;
    assert_null(shards_ahead_take(&f.ahead, 1));
    assert_false(shards_ahead_is_done(&f.ahead));
    start(&f);
    thread_join(&f.brings);
    assert_string_equal(shards_ahead_take(&f.ahead, 1)->line, "0");
    assert_null(shards_ahead_take(&f.ahead, 1));
    assert_false(shards_ahead_is_done(&f.ahead));
    shards_ahead_end(&f.ahead);
    assert_null(shards_ahead_take(&f.ahead, 0));
    assert_true(shards_ahead_is_done(&f.ahead));
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_in_their_order),
        cmocka_unit_test(who_brings_ends_when_stopped),
        cmocka_unit_test(patience_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
