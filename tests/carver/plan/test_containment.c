/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_containment.c - parents, and what is cut because another file begins
 * inside.
 *
 * Goal: the rules of containment.h on one object for each case, with the result worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/plan/containment.h"
#include "io/image.h"
#include "signatures/crc64.h"
#include "signatures/sig.h"
#include "tests/carver/run_fixture.h"

enum { SECTOR = 512, CLUSTER = 4096, IMAGE_SIZE = 1 << 24 };

struct row {
    const char *type;
    bool proven, container, validated;
    uint64_t offset, len;
    int64_t want_parent;
    uint64_t want_len;
    const char *want_state;
    const char *state; /* before; NULL: complete */
};

extern const struct sig sig_tar, sig_png;

/* Puts the rows into a case file, as objects 1, 2, …; those of type tar have the tar signature. */
static void add_rows(struct db_case *db, const struct row *rows, uint32_t count, int64_t *image_id,
                     int64_t signature_ids[2])
{
    static const char *const names[] = { "any", "tar" };
    int64_t run_id;

    assert_int_equal(db_begin(db, NULL), ERR_OK);
    fixture_run(db, IMAGE_SIZE, image_id, &run_id);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(db_signature_add(db,
                                          &(struct db_signature){ .run_id = run_id,
                                                                  .number = i,
                                                                  .name = names[i],
                                                                  .kind = "validator",
                                                                  .origin = "test",
                                                                  .header = "x",
                                                                  .size_max = 1 },
                                          &signature_ids[i], NULL),
                         ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t signature_id = signature_ids[strcmp(rows[i].type, "tar") == 0];
        const struct db_hit hit = { .id = i + 1,
                                    .image_id = *image_id,
                                    .signature_id = signature_id,
                                    .offset = rows[i].offset,
                                    .len = 2 };
        const struct db_extent extent = { rows[i].offset, rows[i].len };
        const struct db_object object = { .id = i + 1,
                                          .image_id = *image_id,
                                          .signature_id = signature_id,
                                          .type = rows[i].type,
                                          .extension = rows[i].type,
                                          .state =
                                              rows[i].state != NULL ? rows[i].state : "complete",
                                          .reason = "whole",
                                          .validated = rows[i].validated,
                                          .proven = rows[i].proven,
                                          .container = rows[i].container,
                                          .offset = rows[i].offset,
                                          .len = rows[i].len,
                                          .extents = &extent,
                                          .extent_count = 1,
                                          .name = "x/y.z" };

        assert_int_equal(db_hits_insert(db, &hit, 1, NULL), ERR_OK);
        assert_int_equal(db_object_insert(db, &object, NULL), ERR_OK);
    }
}

/* What a scan keeps of the rows in memory. */
static struct db_place *places_of(const struct row *rows, uint32_t count,
                                  const int64_t signature_ids[2])
{
    struct db_place *places = calloc(count, sizeof *places);

    assert_non_null(places);
    for (uint32_t i = 0; i < count; i++)
        places[i] =
            (struct db_place){ .id = i + 1,
                               .signature_id = signature_ids[strcmp(rows[i].type, "tar") == 0],
                               .offset = rows[i].offset,
                               .len = rows[i].len,
                               .validated = rows[i].validated,
                               .proven = rows[i].proven,
                               .container = rows[i].container,
                               .complete = rows[i].state == NULL ||
                                           strcmp(rows[i].state, "complete") == 0 };
    return places;
}

/*
 * rows, ascending by offset, become what they say they do; image: what it holds, or NULL for zeros.
 * in_memory: they are not read from the case file.
 */
static void check_rows_by(const struct row *rows, uint32_t count, const uint8_t *image,
                          bool in_memory)
{
    static const struct sig *const sigs[] = { &sig_png, &sig_tar };
    char path[] = "/tmp/test_containment_XXXXXX";
    struct containment_image nest = { .end = IMAGE_SIZE, .sigs = sigs, .sig_count = 2 };
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    int64_t signature_ids[2];
    bool found;

    if (image != NULL)
        assert_int_equal(io_image_open_memory(image, IMAGE_SIZE, &nest.image, NULL), ERR_OK);
    else
        assert_int_equal(io_image_open_null(IMAGE_SIZE, &nest.image, NULL), ERR_OK);
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, NULL), ERR_OK);
    add_rows(db, rows, count, &nest.id, signature_ids);
    nest.signature_ids = signature_ids;
    struct db_place *places = in_memory ? places_of(rows, count, signature_ids) : NULL;
    nest.places = places;
    nest.place_count = in_memory ? count : 0;
    assert_int_equal(containment_objects(db, &nest, NULL), ERR_OK);
    assert_int_equal(db_commit(db, NULL), ERR_OK);
    free(places);

    assert_int_equal(db_objects_open(db, nest.id, &cursor, NULL), ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(db_objects_next(cursor, &found, &object, NULL), ERR_OK);
        assert_true(found);
        if (object.parent_id != rows[i].want_parent || object.len != rows[i].want_len)
            print_error("row %u, %s at %llu\n", i + 1, rows[i].type,
                        (unsigned long long)rows[i].offset);
        assert_int_equal(object.id, i + 1);
        assert_int_equal(object.parent_id, rows[i].want_parent);
        assert_int_equal(object.len, rows[i].want_len);
        assert_int_equal(object.extents[0].len, rows[i].want_len);
        assert_string_equal(object.state, rows[i].want_state);
    }
    db_objects_close(cursor);
    db_case_close(db);
    io_image_close(nest.image);
    assert_int_equal(unlink(path), 0);
}

static void check_rows(const struct row *rows, uint32_t count, const uint8_t *image)
{
    check_rows_by(rows, count, image, false);
    check_rows_by(rows, count, image, true);
}

static void parents_and_cuts_are_as_worked_out(void **state)
{
    static const struct row rows[] = {
        /* A bitmap whose length was believed, and a photograph that begins on a sector inside it:
           the bitmap is fragmented. */
        { "bmp", false, false, true, 0, 100000, 0, 51200, "truncated", NULL },
        { "jpg", true, true, true, 100 * SECTOR, 5000, 0, 5000, "complete", NULL },
        /* An archive that was checked keeps what lies in it, on a sector or not; the innermost one
           that can is the parent. */
        { "zip", true, true, true, 400 * SECTOR, 50000, 0, 50000, "complete", NULL },
        { "jpg", true, true, true, 400 * SECTOR + 100, 3000, 3, 3000, "complete", NULL },
        { "jpg", true, true, true, 400 * SECTOR + 700, 200, 4, 200, "complete", NULL },
        { "png", true, false, true, 420 * SECTOR, 1000, 3, 1000, "complete", NULL },
        /* What begins inside but ends outside has no parent. */
        { "gif", true, false, true, 490 * SECTOR + 1, 90000, 0, 90000, "complete", NULL },
        /* A file that was checked has children whatever its kind: what lies in it cannot be
           anything else. */
        { "pdf", true, false, true, 900 * SECTOR, 20000, 0, 20000, "complete", NULL },
        { "jpg", true, true, true, 901 * SECTOR, 3000, 8, 3000, "complete", NULL },
        /* Not on a sector: no sign of fragments, and it can only be a part of the other. */
        { "bmp", false, false, true, 1000 * SECTOR, 20000, 0, 20000, "complete", NULL },
        { "png", true, false, true, 1000 * SECTOR + 1001, 300, 10, 300, "complete", NULL },
        /* What only a rule found is no sign of fragments: in a kind that holds other files it is
           one of them, on a sector or not. */
        { "avi", false, true, true, 1100 * SECTOR, 20000, 0, 20000, "complete", NULL },
        { "dat", false, false, false, 1102 * SECTOR, 300, 12, 300, "complete", NULL },
        /* A range that only a rule found is nobody's parent and cuts nothing. */
        { "bmp", false, false, true, 2000 * SECTOR, 20000, 0, 20000, "complete", NULL },
        { "dat", false, false, false, 2001 * SECTOR, 4000, 0, 4000, "complete", NULL },
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof rows[0], NULL);
}

/* Proven files on clusters, but not on every second one alone; then the cases. */
static void what_begins_between_clusters_is_a_part(void **state)
{
    enum { PROVEN = 200, FROM = 700 * CLUSTER };
    static const struct row cases[] = {
        /* A believed bitmap holds what begins on a sector but on no cluster, and is cut by what
           begins on a cluster. */
        { "bmp", false, false, true, FROM, 100000, 0, 10 * CLUSTER, "truncated", NULL },
        { "png", true, false, true, FROM + SECTOR, 300, PROVEN + 1, 300, "complete", NULL },
        { "jpg", true, false, true, FROM + 10 * CLUSTER, 5000, 0, 5000, "complete", NULL },
        /* A container that breaks holds what lies between clusters in its right part, and nothing
           else. */
        { "zip", false, true, true, FROM + 100 * CLUSTER, 50000, 0, 50000, "truncated",
          "truncated" },
        { "png", true, false, true, FROM + 100 * CLUSTER + 77, 300, PROVEN + 4, 300, "complete",
          NULL },
        { "png", true, false, true, FROM + 102 * CLUSTER, 300, 0, 300, "complete", NULL },
        { "png", true, false, true, FROM + 112 * CLUSTER + 77, 3000, 0, 3000, "complete", NULL },
        /* The end of an archive, and an archive. */
        { "tar", true, true, true, FROM + 200 * CLUSTER + SECTOR, 10240, 0, 10240, "truncated",
          NULL },
        { "tar", true, true, true, FROM + 300 * CLUSTER, 10240, 0, 10240, "complete", NULL },
        /* A page that breaks in its first cluster is no piece of a file, and may lie in a packet.
         */
        { "pcap", false, false, true, FROM + 350 * CLUSTER, 100000, 0, 20 * CLUSTER, "truncated",
          NULL },
        { "html", false, false, true, FROM + 351 * CLUSTER, 1412, 0, 1412, "truncated",
          "truncated" },
        { "html", false, false, true, FROM + 370 * CLUSTER, CLUSTER, 0, CLUSTER, "truncated",
          "truncated" },
        /* Other files prove themselves where they begin. */
        { "gif", true, false, true, FROM + 400 * CLUSTER + SECTOR, 10240, 0, 10240, "complete",
          NULL },
        /* It goes on to the end of the image, which proves nothing of what is there. */
        { "mov", false, true, true, FROM + 500 * CLUSTER, IMAGE_SIZE - FROM - 500 * CLUSTER, 0,
          IMAGE_SIZE - FROM - 500 * CLUSTER, "truncated", "truncated" },
        { "png", true, false, true, FROM + 600 * CLUSTER + 77, 3000, 0, 3000, "complete", NULL },
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    struct row rows[PROVEN + CASES];

    (void)state;
    for (uint64_t i = 0; i < PROVEN; i++)
        rows[i] = (struct row){ "gif", true, false, true,       (2 * i + i / 2 % 2) * CLUSTER,
                                1000,  0,    1000,  "complete", NULL };
    memcpy(rows + PROVEN, cases, sizeof cases);
    check_rows(rows, PROVEN + CASES, NULL);
}

/* A header of an old archive: name, numbers and checksum, with one more for a member of 5000 bytes.
 */
static void put_tar_header(uint8_t *at)
{
    uint32_t sum = 8 * ' ';

    memcpy(at, "name", 4);
    memcpy(at + 100, "0000644\0000000000\0000000000\00000000011610\00000000000000", 48);
    memcpy(at + 257, "ustar\00000", 8);
    at[156] = '0';
    for (uint32_t i = 0; i < SECTOR; i++)
        sum += at[i];
    snprintf((char *)at + 148, 8, "%06o", sum);
}

static void what_is_no_member_cuts_an_archive(void **state)
{
    static const struct row rows[] = {
        { "tar", true, true, true, 0, 40 * SECTOR, 0, 40 * SECTOR, "complete", NULL },
        { "png", true, false, true, SECTOR, 5000, 1, 5000, "complete", NULL },
        /* A member that holds files as it likes, and a believed one, which is cut: not so what both
           lie in. */
        { "zip", true, true, true, 12 * SECTOR, 5000, 1, 5000, "complete", NULL },
        { "jpg", true, true, true, 14 * SECTOR, 600, 3, 600, "complete", NULL },
        /* No header before it: the archive lies in pieces. Another file that ends outside shows it
           as well. */
        { "tar", true, true, true, 100 * SECTOR, 60 * SECTOR, 0, 40 * SECTOR, "truncated", NULL },
        { "wav", false, false, true, 101 * SECTOR, 50 * SECTOR, 5, 39 * SECTOR, "truncated", NULL },
        { "png", true, false, true, 140 * SECTOR, 5000, 0, 5000, "complete", NULL },
        { "tar", true, true, true, 200 * SECTOR, 40 * SECTOR, 0, 30 * SECTOR, "truncated", NULL },
        { "png", true, false, true, 230 * SECTOR, 50000, 0, 50000, "complete", NULL },
    };
    uint8_t *image = calloc(1, IMAGE_SIZE);

    (void)state;
    assert_non_null(image);
    put_tar_header(image);
    put_tar_header(image + 11 * SECTOR);
    put_tar_header(image + 100 * SECTOR);
    check_rows(rows, sizeof rows / sizeof rows[0], image);
    free(image);
}

/* What is left of an object has the CRC of its bytes, zeros where the scan could not read; until
 * too much would be read again. */
static void what_is_cut_has_the_checksum_of_what_is_left(void **state)
{
    enum {
        MIB = 1 << 20
    }; /* of 16: 1 is read for a, then 10 for c, and there are not 11 left for b */
    static const struct row rows[] = {
        { "a", false, true, true, 0, 9 * MIB, 0, MIB, "truncated", NULL },         /* cut by b */
        { "b", false, true, true, MIB, 15 * MIB, 0, 11 * MIB, "truncated", NULL }, /* by d */
        { "c", false, true, true, 2 * MIB + 7, 13 * MIB, 0, 10 * MIB - 7, "truncated",
          NULL }, /* likewise */
        { "d", true, false, true, 12 * MIB, 5000, 0, 5000, "complete", NULL },
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static const struct sig *const sigs[] = { &sig_png, &sig_tar };
    const struct db_bad_range bad[] = {
        { .offset = 100, .len = 1000, .source = "read", .status = '-' },
        { .offset = (11 << 20) + 512, .len = 2 << 20, .source = "read", .status = '-' }
    };
    char path[] = "/tmp/test_containment_XXXXXX";
    uint8_t *image = malloc(IMAGE_SIZE);
    struct containment_image nest = {
        .end = IMAGE_SIZE, .sigs = sigs, .sig_count = 2, .run_id = 1
    };
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    int64_t signature_ids[2];
    bool found;

    (void)state;
    assert_non_null(image);
    for (uint32_t i = 0; i < IMAGE_SIZE; i++)
        image[i] = (uint8_t)(i * 2654435761u >> 20);
    assert_int_equal(io_image_open_memory(image, IMAGE_SIZE, &nest.image, NULL), ERR_OK);
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, NULL), ERR_OK);
    add_rows(db, rows, ROWS, &nest.id, signature_ids);
    nest.signature_ids = signature_ids;
    for (size_t i = 0; i < 2; i++) {
        struct db_bad_range range = bad[i];

        range.image_id = nest.id;
        assert_int_equal(db_bad_range_add(db, nest.run_id, &range, NULL), ERR_OK);
    }
    assert_int_equal(containment_objects(db, &nest, NULL), ERR_OK);
    assert_int_equal(db_commit(db, NULL), ERR_OK);

    for (size_t i = 0; i < 2; i++)
        memset(image + bad[i].offset, 0, bad[i].len);
    assert_int_equal(db_objects_open(db, nest.id, &cursor, NULL), ERR_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(db_objects_next(cursor, &found, &object, NULL), ERR_OK);
        assert_true(found);
        assert_int_equal(object.len, rows[i].want_len);
        assert_string_equal(object.state, rows[i].want_state);
        assert_int_equal(object.has_crc64, i == 0 || i == 2);
        if (object.has_crc64)
            assert_int_equal(object.crc64, crc64_add(0, image + object.offset, object.len));
    }
    db_objects_close(cursor);
    db_case_close(db);
    io_image_close(nest.image);
    free(image);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_and_cuts_are_as_worked_out),
        cmocka_unit_test(what_begins_between_clusters_is_a_part),
        cmocka_unit_test(what_is_no_member_cuts_an_archive),
        cmocka_unit_test(what_is_cut_has_the_checksum_of_what_is_left),
    };

    return cmocka_run_group_tests_name("nest", tests, NULL, NULL);
}
