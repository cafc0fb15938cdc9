/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_piece_holes.c - pieces begin where a hole does, and behind a cluster
 * that ends in zeros, unless zeros follow; not where a volume begins, nor where nothing was ever
 * written; nowhere where the image has no clusters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/holes.h"

enum { SECTOR = 512, UNIT = 2048, CLUSTERS = 20 };

struct volume {
    uint8_t bytes[CLUSTERS * UNIT];
    struct io_image *image;
    struct unread unread; /* nothing */
    struct splice splice;
    struct resemble_table *table;
};

static int setup(void **state)
{
    struct volume *volume = calloc(1, sizeof *volume);
    struct err err = { 0 };

    assert_non_null(volume);
    for (size_t i = 0; i < sizeof volume->bytes; i++)
        volume->bytes[i] = (uint8_t)(1 + i % 251);
    assert_int_equal(
        io_image_open_memory(volume->bytes, sizeof volume->bytes, &volume->image, &err), ERR_OK);
    assert_int_equal(splice_open(volume->image, &volume->unread, 1, &volume->splice, &err), ERR_OK);
    assert_int_equal(resemble_table_make(&volume->table, &err), ERR_OK);
    *state = volume;
    return 0;
}

static int teardown(void **state)
{
    struct volume *volume = *state;

    resemble_table_free(volume->table);
    splice_close(&volume->splice);
    io_image_close(volume->image);
    free(volume);
    return 0;
}

/* Zeros at the end of the cluster before this one. */
static void end_in_zeros(struct volume *volume, size_t cluster, size_t bytes)
{
    memset(volume->bytes + cluster * UNIT - bytes, 0, bytes);
}

static void pieces_begin_with_holes_and_behind_slack(void **state)
{
    struct volume *volume = *state;
    uint64_t begins[] = { 2 * UNIT, 10 * UNIT }, ends[] = { 8 * UNIT, 16 * UNIT };
    const struct islands islands = { .unit = UNIT, .begins = begins, .ends = ends, .count = 2 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    end_in_zeros(volume, 4, HOLES_ZEROS);
    end_in_zeros(volume, 6, HOLES_ZEROS - 1); /* too few */
    end_in_zeros(volume, 9, 100);             /* in no hole */
    end_in_zeros(volume, 10, 100);            /* a hole begins there anyway */
    end_in_zeros(volume, 13, 100);
    memset(volume->bytes + 12 * UNIT + UNIT, 0, SECTOR); /* zeros follow */
    end_in_zeros(volume, 15, 1000);
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    const uint64_t want[] = { 2 * UNIT, 4 * UNIT, 10 * UNIT, 15 * UNIT };
    assert_int_equal(holes.count, 4);
    assert_memory_equal(holes.begins, want, sizeof want);
    for (size_t i = 0; i < 4; i++)
        assert_memory_equal(holes.heads.bytes + i * HOLES_HEAD * SECTOR, volume->bytes + want[i],
                            HOLES_HEAD * SECTOR);
    holes_release(&holes);
}

/* A hole that begins with so many bytes that are all the same: whether it counts. */
static bool counts_with_same(struct volume *volume, size_t bytes)
{
    uint64_t begins[] = { 8 * UNIT }, ends[] = { 20 * UNIT };
    const struct islands islands = { .unit = UNIT, .begins = begins, .ends = ends, .count = 1 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    memset(volume->bytes + 8 * UNIT, 0xff, bytes);
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    const bool counts = holes.count == 1 && holes.begins[0] == 8 * UNIT;
    holes_release(&holes);
    return counts;
}

static void nothing_was_written_where_all_is_the_same(void **state)
{
    assert_false(counts_with_same(*state, HOLES_BLANK));
}

static void a_file_may_begin_with_some_that_is_the_same(void **state)
{
    assert_true(counts_with_same(*state, HOLES_BLANK - 1));
}

static void a_volume_begins_with_no_piece(void **state)
{
    struct volume *volume = *state;
    uint64_t begins[] = { 0 }, ends[] = { 7 * UNIT };
    const struct islands islands = { .unit = UNIT, .begins = begins, .ends = ends, .count = 1 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    end_in_zeros(volume, 2, 2 * UNIT); /* nor behind what is blank there */
    end_in_zeros(volume, 5, UNIT);
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 1);
    assert_int_equal(holes.begins[0], 5 * UNIT);
    holes_release(&holes);
}

static void without_clusters_there_are_none(void **state)
{
    struct volume *volume = *state;
    uint64_t begins[] = { 2 * UNIT }, ends[] = { 8 * UNIT };
    const struct islands islands = { .unit = SECTOR, .begins = begins, .ends = ends, .count = 1 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 0);
    holes_release(&holes);
}

/* They are not read again where the islands are the same, and are where one has changed. */
static void holes_stay_as_long_as_the_islands_do(void **state)
{
    struct volume *volume = *state;
    uint64_t begins[] = { 2 * UNIT, 10 * UNIT }, ends[] = { 8 * UNIT, 16 * UNIT };
    struct islands islands = { .unit = UNIT, .begins = begins, .ends = ends, .count = 2 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    end_in_zeros(volume, 4, 100);
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 3);
    const uint64_t *found = holes.begins;
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_ptr_equal(holes.begins, found);
    assert_int_equal(holes.count, 3);
    ends[0] = 4 * UNIT;
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 2);
    begins[1] = 11 * UNIT;
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 2);
    assert_int_equal(holes.begins[1], 11 * UNIT);
    islands.count = 1;
    assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err), ERR_OK);
    assert_int_equal(holes.count, 1);
    holes_release(&holes);
}

/* What was seen at a cluster is that cluster's alone: others are looked at where they begin. */
static void clusters_of_another_size_are_others(void **state)
{
    struct volume *volume = *state;
    uint64_t begins[] = { 2 * UNIT }, ends[] = { 20 * UNIT };
    struct islands islands = { .unit = UNIT, .begins = begins, .ends = ends, .count = 1 };
    struct holes holes = { 0 };
    struct err err = { 0 };

    end_in_zeros(volume, 5, 100);
    end_in_zeros(volume, 12, 100);
    for (uint32_t i = 0; i < 5; i++) {
        islands.unit = i % 2 == 0 ? 2 * UNIT : UNIT;
        ends[0] = (20 - 2 * (uint64_t)(i / 2)) * UNIT;
        assert_int_equal(holes_find(&islands, volume->table, &volume->splice, &holes, &err),
                         ERR_OK);
        assert_int_equal(holes.count, islands.unit == UNIT ? 3 : 2);
        assert_int_equal(holes.begins[holes.count - 1], 12 * UNIT);
    }
    holes_release(&holes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_begin_with_holes_and_behind_slack, setup, teardown),
        cmocka_unit_test_setup_teardown(holes_stay_as_long_as_the_islands_do, setup, teardown),
        cmocka_unit_test_setup_teardown(clusters_of_another_size_are_others, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_was_written_where_all_is_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_may_begin_with_some_that_is_the_same, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_volume_begins_with_no_piece, setup, teardown),
        cmocka_unit_test_setup_teardown(without_clusters_there_are_none, setup, teardown),
    };
    return cmocka_run_group_tests_name("piece_holes", tests, NULL, NULL);
}
