/* SPDX-License-Identifier: Apache-2.0
 * tests/io/leftover/test_votes.c - where clusters begin by votes of files.
 *
 * Method: starts of files lie at random, and for half of the first clusters one lies where the
 * cluster is; other sizes of clusters get the same starts. What is found is counted again, file by
 * file, and is the same for any number of threads.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "io/leftover/votes.h"
#include "tests/io/lib_io.h"

enum { FEW_KIB = 24 << 10 }; /* that two threads touch at most; a table for each poll is 56 MiB */
enum { POLLS = 7, RIGHT = 3, FIRSTS = 300, NOISE = 5000, STARTS = NOISE + FIRSTS, SECTOR = 512 };

static const uint32_t units[POLLS] = { 512, 1024, 2048, 4096, 8192, 16384, 32768 };

struct town {
    uint64_t firsts[FIRSTS];
    uint64_t starts[STARTS];
    uint64_t start_count;
    uint32_t first_count;
};

static int before(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* at: cluster 0; of so many of the firsts a file begins there, and so many elsewhere. */
static void build(struct town *town, uint64_t seed, uint64_t at, int firsts, int there, int noise)
{
    uint64_t random = seed, *end = town->starts;

    town->first_count = (uint32_t)firsts;
    for (int i = 0; i < noise; i++)
        *end++ = test_random(&random) % (1 << 21) * SECTOR;
    for (int i = 0; i < firsts; i++) {
        town->firsts[i] = test_random(&random) % 200000;
        if (i < there)
            *end++ = at + town->firsts[i] * units[RIGHT];
    }
    qsort(town->starts, (size_t)(end - town->starts), sizeof *end, before);
    town->start_count = 0;
    for (const uint64_t *s = town->starts; s < end; s++)
        if (town->start_count == 0 || *s != town->starts[town->start_count - 1])
            town->starts[town->start_count++] = *s;
}

static uint32_t by_hand(const struct town *town, uint64_t at, uint32_t unit)
{
    uint32_t hits = 0;

    for (uint32_t f = 0; f < town->first_count; f++) {
        const uint64_t want = at + town->firsts[f] * unit;

        hits += bsearch(&want, town->starts, town->start_count, sizeof want, before) != NULL;
    }
    return hits;
}

static void ask(const struct town *town, uint32_t threads, struct votes_poll polls[POLLS])
{
    struct err err = { 0 };

    for (int i = 0; i < POLLS; i++)
        polls[i] =
            (struct votes_poll){ .firsts = town->firsts,
                                 .starts = town->starts,
                                 .start_count = town->start_count,
                                 .count = i == 1 ? 1 : town->first_count, /* one is not asked */
                                 .unit = units[i] };
    assert_int_equal(votes_all(polls, POLLS, threads, &err), ERR_OK);
}

static long touched_kib(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Memory that is touched for the first time is what takes longest. Before the other tests. */
static void few_threads_touch_little_memory(void **state)
{
    struct town *town = malloc(sizeof *town);
    struct votes_poll polls[POLLS];

    (void)state;
    assert_non_null(town);
    build(town, 1, 0, FIRSTS, FIRSTS / 2, NOISE);
    const long before_kib = touched_kib();
    ask(town, 2, polls);
    assert_int_equal(polls[RIGHT].hits, by_hand(town, 0, units[RIGHT]));
    assert_in_range(touched_kib() - before_kib, 0, FEW_KIB);
    free(town);
}

static void the_place_is_found_by_any_number_of_threads(void **state)
{
    static const uint32_t threads[] = { 1, 2, 3, 8, 16, 40 };
    struct town *town = malloc(sizeof *town);
    struct votes_poll first[POLLS], polls[POLLS];

    (void)state;
    assert_non_null(town);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const uint64_t at = (seed * 7919 + 63) * SECTOR;

        build(town, seed, at, FIRSTS, FIRSTS / 2, NOISE);
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            ask(town, threads[t], polls);
            assert_true(polls[RIGHT].at == at);
            assert_int_equal(polls[RIGHT].hits, by_hand(town, at, units[RIGHT]));
            assert_in_range(polls[RIGHT].hits, FIRSTS / 2, FIRSTS);
            if (t == 0)
                memcpy(first, polls, sizeof first);
            for (int i = 0; i < POLLS; i++) {
                assert_int_equal(polls[i].hits, first[i].hits);
                assert_true(polls[i].hits == 0 || i == RIGHT);
                assert_true(polls[i].hits == 0 || polls[i].at == first[i].at);
            }
        }
    }
    free(town);
}

/* Most slots have two votes then, for different places or none. */
static void few_files_are_enough(void **state)
{
    struct town *town = malloc(sizeof *town);
    struct votes_poll polls[POLLS];

    (void)state;
    assert_non_null(town);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const uint64_t at = seed % 3 * 1000 * SECTOR;

        build(town, seed, at, 13, 13, (int)(seed % 40));
        ask(town, seed % 2 == 0 ? 1 : 16, polls);
        assert_int_equal(polls[RIGHT].hits, 13);
        assert_true(polls[RIGHT].at == at);
    }
    free(town);
}

/* Most clusters lie behind the image: as few as an eighth of them are enough, and no fewer. */
static void an_eighth_in_the_image_is_enough(void **state)
{
    struct town *town = malloc(sizeof *town);
    struct votes_poll polls[POLLS];

    (void)state;
    assert_non_null(town);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        const uint64_t at = (seed * 7919 + 63) * SECTOR;

        for (uint32_t inside = 9; inside <= 10; inside++) {
            build(town, seed, at, (int)inside, (int)inside, 200);
            for (; town->first_count < 80; town->first_count++)
                town->firsts[town->first_count] = 100000000 + town->first_count;
            ask(town, seed % 2 == 0 ? 1 : 16, polls);
            assert_int_equal(polls[RIGHT].hits, inside == 10 ? 10 : 0);
            assert_true(polls[RIGHT].hits == 0 || polls[RIGHT].at == at);
        }
    }
    free(town);
}

static void files_at_random_give_no_place(void **state)
{
    struct town *town = malloc(sizeof *town);
    struct votes_poll polls[POLLS];

    (void)state;
    assert_non_null(town);
    for (uint64_t seed = 10; seed < 14; seed++) {
        build(town, seed, 0, FIRSTS, 0, NOISE);
        for (uint32_t threads = 1; threads <= 16; threads += 15) {
            ask(town, threads, polls);
            for (int i = 0; i < POLLS; i++)
                assert_int_equal(polls[i].hits, 0);
        }
    }
    free(town);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_threads_touch_little_memory),
        cmocka_unit_test(the_place_is_found_by_any_number_of_threads),
        cmocka_unit_test(few_files_are_enough),
        cmocka_unit_test(an_eighth_in_the_image_is_enough),
        cmocka_unit_test(files_at_random_give_no_place),
    };
    return cmocka_run_group_tests_name("votes", tests, NULL, NULL);
}
