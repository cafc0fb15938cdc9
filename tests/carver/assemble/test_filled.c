/* SPDX-License-Identifier: Apache-2.0
 * Goal: of a volume that was filled as ntfs-3g fills it, the hole that was chosen next is said to
 * be the likeliest, and those that cannot have been to be unlikely; of a volume that was filled in
 * another order, and of one of which nothing is known, nothing is said.
 * Method: the driver is played here: room is looked for 4,096 clusters behind where the last piece
 * begins, and the largest hole is taken. Two files are told; what comes behind a third is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/assemble/filled.h"

enum { UNIT = 4096, VOLUME = 16384, HOLES = 48, PIECES = 5 };

struct volume {
    uint64_t begins[HOLES], ends[HOLES];
    bool used[HOLES];
    uint64_t at; /* where room is looked for */
    uint32_t seed;
};

static uint32_t next(struct volume *volume)
{
    volume->seed = volume->seed * 1664525 + 1013904223;
    return volume->seed >> 16;
}

static void volume_make(struct volume *volume)
{
    *volume = (struct volume){ .seed = 7, .at = 2048 };
    for (uint32_t i = 0; i < HOLES; i++) {
        volume->begins[i] = (2048 + (uint64_t)i * 290 + next(volume) % 100) * UNIT;
        volume->ends[i] = volume->begins[i] + (3 + next(volume) % 40) * UNIT;
    }
}

/* The hole that the driver fills next, and never again. */
static uint32_t volume_take(struct volume *volume)
{
    uint32_t best = HOLES;

    for (uint32_t look = 0; look < 2 && best == HOLES; look++)
        for (uint32_t i = 0; i < HOLES; i++)
            if (!volume->used[i] && (look == 1 || volume->begins[i] >= volume->at * UNIT) &&
                (best == HOLES ||
                 volume->ends[i] - volume->begins[i] > volume->ends[best] - volume->begins[best]))
                best = i;
    assert_true(best < HOLES);
    volume->used[best] = true;
    volume->at = volume->begins[best] / UNIT + 4096;
    volume->at = volume->at >= VOLUME ? 0 : volume->at;
    return best;
}

static void volume_file(struct volume *volume, struct io_range runs[PIECES])
{
    for (uint32_t i = 0; i < PIECES; i++) {
        const uint32_t hole = volume_take(volume);

        runs[i] =
            (struct io_range){ volume->begins[hole], volume->ends[hole] - volume->begins[hole] };
    }
}

/* What is left of the volume. */
static void volume_left(struct volume *volume, struct islands *islands, struct holes *holes)
{
    islands->unit = UNIT;
    islands->count = 0;
    for (uint32_t i = 0; i < HOLES; i++) {
        if (volume->used[i])
            continue;
        islands->begins[islands->count] = volume->begins[i];
        islands->ends[islands->count++] = volume->ends[i];
    }
    holes->begins = islands->begins;
    holes->count = islands->count;
}

struct fixture {
    struct volume volume;
    struct filled filled;
    uint64_t begins[HOLES], ends[HOLES];
    uint32_t costs[HOLES];
    struct islands islands;
    struct holes holes;
};

static void settle(struct fixture *f)
{
    f->islands = (struct islands){ .begins = f->begins, .ends = f->ends };
    volume_left(&f->volume, &f->islands, &f->holes);
    assert_int_equal(
        filled_settle(&f->filled, &f->holes, &f->islands, (uint64_t)VOLUME * UNIT, NULL), ERR_OK);
}

static void test_next_hole(void **state)
{
    struct fixture f = { 0 };
    struct io_range runs[PIECES];

    (void)state;
    volume_make(&f.volume);
    for (uint32_t i = 0; i < 2; i++) {
        volume_file(&f.volume, runs);
        assert_int_equal(filled_note(&f.filled, runs, PIECES, NULL), ERR_OK);
    }
    volume_file(&f.volume, runs);
    settle(&f);
    assert_true(f.filled.follows);
    filled_costs(&f.filled, runs, PIECES, f.costs);
    const uint64_t right = f.volume.begins[volume_take(&f.volume)];
    uint32_t cost = UINT32_MAX, cheaper = 0, most = 0;
    for (size_t i = 0; i < f.holes.count; i++)
        cost = f.begins[i] == right ? f.costs[i] : cost;
    for (size_t i = 0; i < f.holes.count; i++) {
        cheaper += f.costs[i] < cost;
        most = f.costs[i] > most ? f.costs[i] : most;
    }
    assert_true(cheaper <= 1);
    assert_true(most > cost + 6 * RESEMBLE_BIT);
    filled_release(&f.filled);
}

/* Near the end of the volume there may be no hole in front: the largest of all is taken then, which
 * may lie a little farther on. */
static void test_no_room_in_front(void **state)
{
    const uint64_t near_end = (VOLUME - 4600) * (uint64_t)UNIT;
    const struct io_range ends[] = { { near_end, 9 * UNIT },
                                     { near_end + 300 * UNIT, 8 * UNIT },
                                     { near_end + 600 * UNIT, 7 * UNIT } };
    struct fixture f = { 0 };
    struct io_range runs[PIECES];

    (void)state;
    volume_make(&f.volume);
    for (uint32_t i = 0; i < 2; i++) {
        volume_file(&f.volume, runs);
        assert_int_equal(filled_note(&f.filled, runs, PIECES, NULL), ERR_OK);
        assert_int_equal(filled_note(&f.filled, ends, 3, NULL), ERR_OK);
    }
    settle(&f);
    assert_true(f.filled.follows);
    filled_release(&f.filled);
}

/* FAT: the next hole, whatever its size. */
static void test_other_order(void **state)
{
    struct fixture f = { 0 };
    struct io_range runs[PIECES];

    (void)state;
    volume_make(&f.volume);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < PIECES; k++) {
            const uint32_t hole = i * PIECES + k;

            f.volume.used[hole] = true;
            runs[k] = (struct io_range){ f.volume.begins[hole],
                                         f.volume.ends[hole] - f.volume.begins[hole] };
        }
        if (i < 2)
            assert_int_equal(filled_note(&f.filled, runs, PIECES, NULL), ERR_OK);
    }
    settle(&f);
    assert_false(f.filled.follows);
    filled_costs(&f.filled, runs, PIECES, f.costs);
    for (size_t i = 0; i < f.holes.count; i++)
        assert_int_equal(f.costs[i], 0);
    filled_release(&f.filled);
}

/* A large free place, in which many files lie that nobody knows, was not free: it would have been
 * filled before, and is one hole at most. The largest of all is taken where none is in front. */
static void test_unknown_files(void **state)
{
    enum { UNKNOWN = 60 };
    struct fixture f = { 0 };
    struct io_range runs[PIECES];
    uint64_t begins[HOLES + 1], ends[HOLES + 1], all[HOLES + UNKNOWN];
    uint32_t costs[HOLES + UNKNOWN], taken = 0, cheaper = 0;
    struct io_range last = { 0 };

    (void)state;
    volume_make(&f.volume);
    volume_file(&f.volume, runs); /* of which its first half is told */
    assert_int_equal(filled_note(&f.filled, runs, 3, NULL), ERR_OK);
    while (f.volume.at != 0) { /* up to where the volume ends */
        taken = volume_take(&f.volume);
        last = (struct io_range){ f.volume.begins[taken],
                                  f.volume.ends[taken] - f.volume.begins[taken] };
    }
    f.islands = (struct islands){ .begins = begins + 1, .ends = ends + 1 };
    volume_left(&f.volume, &f.islands, &f.holes);
    const size_t known = f.islands.count;
    begins[0] = 100 * UNIT;
    ends[0] = 1500 * UNIT;
    for (uint32_t i = 0; i < UNKNOWN; i++)
        all[i] = (100 + 20 * i) * (uint64_t)UNIT;
    for (size_t i = 0; i < known; i++)
        all[UNKNOWN + i] = begins[1 + i];
    f.islands =
        (struct islands){ .unit = UNIT, .begins = begins, .ends = ends, .count = known + 1 };
    f.holes = (struct holes){ .begins = all, .count = UNKNOWN + known };
    assert_int_equal(filled_settle(&f.filled, &f.holes, &f.islands, (uint64_t)VOLUME * UNIT, NULL),
                     ERR_OK);
    assert_true(f.filled.follows);
    filled_costs(&f.filled, &last, 1, costs);
    const uint64_t right = f.volume.begins[volume_take(&f.volume)];
    for (size_t i = 0; i < f.holes.count; i++)
        for (size_t k = 0; k < f.holes.count; k++)
            cheaper += all[k] == right && costs[i] < costs[k];
    assert_true(cheaper <= 2);
    filled_release(&f.filled);
}

static void test_nothing_known(void **state)
{
    struct fixture f = { 0 };
    struct io_range runs[PIECES];

    (void)state;
    volume_make(&f.volume);
    volume_file(&f.volume, runs);
    settle(&f);
    filled_costs(&f.filled, runs, PIECES, f.costs);
    for (size_t i = 0; i < f.holes.count; i++)
        assert_int_equal(f.costs[i], 0);
    filled_release(&f.filled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next_hole),     cmocka_unit_test(test_no_room_in_front),
        cmocka_unit_test(test_other_order),   cmocka_unit_test(test_unknown_files),
        cmocka_unit_test(test_nothing_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
