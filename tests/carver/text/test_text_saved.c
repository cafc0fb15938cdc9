/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/text/test_text_saved.c - sectors that may begin plain text are read back as they
 * were written; bytes that say what cannot be are none.
 *
 * The sectors are drawn here, and told by a plain list of flags, one for each sector.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/limits.h"
#include "carver/text/text_saved.h"

enum { SECTORS = 3000, FROM = 7 * LIMIT_SECTOR };

#define END (FROM + (uint64_t)SECTORS * LIMIT_SECTOR)

/* Whether sector i is one of the spots: some lie together, and some far apart. */
static bool spot(uint32_t i)
{
    return i % 700 < 9 || i % 331 == 330 || i == SECTORS - 1;
}

/* What the validator might say of text at sector i. */
static struct text_said said(uint32_t i)
{
    const uint8_t kind = (uint8_t)(i % TEXT_SAID_KINDS);

    return (struct text_said){ .at = FROM + (uint64_t)i * LIMIT_SECTOR,
                               .crc64 =
                                   kind != TEXT_SAID_NONE ? UINT64_C(0xfedcba9876543210) + i : 0,
                               .len = 1 + i * 70000,
                               .over = (uint16_t)(512 + i),
                               .kind = kind,
                               .type = kind != TEXT_SAID_NONE ? (uint8_t)(i % 10) : 0,
                               .zeros = i % 3 == 0 };
}

static void assert_said(const struct text_said *is, uint32_t i)
{
    const struct text_said as = said(i);

    assert_non_null(is);
    assert_int_equal(is->at, as.at);
    assert_int_equal(is->crc64, as.crc64);
    assert_int_equal(is->len, as.len);
    assert_int_equal(is->over, as.over);
    assert_int_equal(is->kind, as.kind);
    assert_int_equal(is->type, as.type);
    assert_int_equal(is->zeros, as.zeros);
}

static bool is_said(uint32_t i)
{
    return spot(i) && i % 4 != 1;
}

/* Of most of them something is said. */
static void say(struct text_starts *starts)
{
    struct err err;

    for (size_t i = 0; i < starts->count; i++) {
        const uint32_t sector = (uint32_t)((starts->items[i] - FROM) / LIMIT_SECTOR);

        if (!is_said(sector))
            continue;
        assert_int_equal(grow_items(&starts->said, starts->said_count, &starts->said_room,
                                    sizeof *starts->said, &err),
                         ERR_OK);
        starts->said[starts->said_count++] = said(sector);
    }
}

/* What a thread would note of the sectors [first, end). */
static void note(struct text_starts *starts, uint32_t first, uint32_t end)
{
    uint8_t sector[LIMIT_SECTOR];
    struct err err;

    text_starts_clear(starts);
    for (uint32_t i = first; i < end; i++) {
        memset(sector, spot(i) ? 'a' : 1, sizeof sector);
        assert_int_equal(
            text_sieve(starts, sector, sizeof sector, 0, FROM + (uint64_t)i * LIMIT_SECTOR, &err),
            ERR_OK);
    }
    say(starts);
}

/* As the merge and the run that goes on ask for them. */
static void assert_spots(const struct text_spots *spots, uint32_t sectors)
{
    uint32_t next = sectors;

    for (uint32_t i = sectors; i-- > 0;) {
        if (spot(i))
            next = i;
        assert_int_equal(text_spots_next(spots, FROM + (uint64_t)i * LIMIT_SECTOR),
                         FROM + (uint64_t)next * LIMIT_SECTOR);
        if (is_said(i))
            assert_said(text_spots_said(spots, FROM + (uint64_t)i * LIMIT_SECTOR), i);
        else
            assert_null(text_spots_said(spots, FROM + (uint64_t)i * LIMIT_SECTOR));
    }
}

static void a_stretch_is_read_back(void **state)
{
    struct text_starts starts = { 0 }, again = { 0 };
    struct pack bytes = { 0 };
    struct err err;

    (void)state;
    note(&starts, 0, SECTORS);
    text_starts_save(&starts, &bytes);
    assert_false(bytes.failed);
    assert_in_range(bytes.len, starts.count, starts.count + 16 + 20 * starts.said_count);

    struct unpack in = { .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, FROM, END, &in, &err), ERR_OK);
    assert_true(unpack_whole(&in));
    assert_int_equal(again.count, starts.count);
    assert_memory_equal(again.items, starts.items, starts.count * sizeof *starts.items);
    assert_int_equal(again.said_count, starts.said_count);
    for (size_t i = 0; i < again.said_count; i++)
        assert_said(&again.said[i], (uint32_t)((starts.said[i].at - FROM) / LIMIT_SECTOR));
    assert_int_equal(again.from, FROM);
    assert_int_equal(again.to, END);

    /* Nobody has looked. */
    pack_clear(&bytes);
    text_starts_clear(&starts);
    text_starts_save(&starts, &bytes);
    in = (struct unpack){ .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, FROM + 1, END, &in, &err), ERR_OK);
    assert_true(unpack_whole(&in));
    assert_int_equal(again.from, again.to);
    pack_release(&bytes);
    text_starts_release(&starts);
    text_starts_release(&again);
}

static void stretches_are_those_of_an_image(void **state)
{
    struct text_starts starts = { 0 };
    struct text_spots spots = { 0 };
    struct pack bytes = { 0 };
    struct err err;
    bool right = false;

    (void)state;
    for (uint32_t at = 0; at < SECTORS; at += 500) {
        note(&starts, at, at + 500);
        text_spots_save(&starts, &bytes);
    }
    assert_int_equal(text_spots_restore(&spots, bytes.bytes, bytes.len, END, &right, &err), ERR_OK);
    assert_true(right);
    assert_spots(&spots, SECTORS);
    assert_int_equal(text_spots_next(&spots, FROM - 5), FROM - 5); /* not looked at */
    assert_int_equal(text_spots_next(&spots, END + 5), END + 5);

    /* All of it lies before its end. */
    assert_int_equal(text_spots_restore(&spots, bytes.bytes, bytes.len, END, &right, &err), ERR_OK);
    assert_false(right);
    pack_release(&bytes);
    text_starts_release(&starts);
    text_spots_release(&spots);
}

/* Bytes that were cut off, or changed: what is taken of them lies in the stretch, in order. */
static void what_cannot_be_is_refused(void **state)
{
    struct text_starts starts = { 0 }, again = { 0 };
    struct pack bytes = { 0 };
    struct err err;

    (void)state;
    note(&starts, 0, SECTORS);
    text_starts_save(&starts, &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct unpack in = { .at = bytes.bytes, .end = bytes.bytes + len };

        assert_int_equal(text_starts_restore(&again, FROM, END, &in, &err), ERR_OK);
        assert_true(in.failed);
        assert_int_equal(again.count + again.said_count, 0);
    }
    for (size_t at = 0; at < bytes.len; at++) {
        const uint8_t was = bytes.bytes[at];

        for (uint32_t with = 0; with < 256; with += 17) {
            bytes.bytes[at] = (uint8_t)with;
            struct unpack in = { .at = bytes.bytes, .end = bytes.bytes + bytes.len };

            assert_int_equal(text_starts_restore(&again, FROM, END, &in, &err), ERR_OK);
            assert_true(again.to <= END || in.failed);
            for (size_t i = 0; i < again.count; i++) {
                assert_true(again.items[i] >= again.from && again.items[i] < again.to);
                assert_true(i == 0 || again.items[i] > again.items[i - 1]);
                assert_int_equal(again.items[i] % LIMIT_SECTOR, 0);
            }
            for (size_t i = 0; i < again.said_count; i++) {
                assert_true(again.said[i].at >= again.from && again.said[i].at < again.to);
                assert_true(i == 0 || again.said[i].at > again.said[i - 1].at);
                assert_true(again.said[i].len > 0 && again.said[i].kind < TEXT_SAID_KINDS);
            }
        }
        bytes.bytes[at] = was;
    }

    /* Longer than the part; and of a part that does not begin with a sector. */
    struct unpack in = { .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, FROM, END - 1, &in, &err), ERR_OK);
    assert_true(in.failed);
    in = (struct unpack){ .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, FROM + 1, END + LIMIT_SECTOR, &in, &err), ERR_OK);
    assert_true(in.failed);
    pack_release(&bytes);
    text_starts_release(&starts);
    text_starts_release(&again);
}

/* More than an image may have: nobody has looked; and nobody reads as many. */
static void there_are_not_too_many(void **state)
{
    enum { MANY = TEXT_SPOTS_MAX + 1 };
    struct text_starts starts = { 0 }, again = { 0 };
    struct pack bytes = { 0 };
    struct err err;

    (void)state;
    starts.items = calloc(MANY, sizeof *starts.items);
    assert_non_null(starts.items);
    for (uint32_t i = 0; i < MANY; i++)
        starts.items[i] = (uint64_t)i * LIMIT_SECTOR;
    starts.count = MANY;
    starts.to = (uint64_t)MANY * LIMIT_SECTOR;
    text_starts_save(&starts, &bytes);
    struct unpack in = { .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, 0, starts.to, &in, &err), ERR_OK);
    assert_true(unpack_whole(&in) && again.from == again.to);

    pack_clear(&bytes);
    pack_number(&bytes, MANY);
    pack_number(&bytes, MANY);
    memset(starts.items, 0, MANY);
    pack_bytes(&bytes, starts.items, MANY);
    in = (struct unpack){ .at = bytes.bytes, .end = bytes.bytes + bytes.len };
    assert_int_equal(text_starts_restore(&again, 0, starts.to, &in, &err), ERR_OK);
    assert_true(in.failed && again.room == 0);
    pack_release(&bytes);
    text_starts_release(&starts);
    text_starts_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretch_is_read_back),
        cmocka_unit_test(stretches_are_those_of_an_image),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(there_are_not_too_many),
    };
    return cmocka_run_group_tests_name("spots of text as bytes", tests, NULL, NULL);
}
