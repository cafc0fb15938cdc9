/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/triage/test_unit_look.c - what is told of one unit: files whose headers stand on
 * sectors, as far as the unit reaches; no file between sectors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/select/types.h"
#include "carver/triage/unit_look.h"

enum { LEN = 4096, FAR = 1 << 20 };

struct fixture {
    struct types_selection types;
    struct patterns files;
    struct match_matcher *matcher;
    struct known_scan known;
    struct unit_aim aim;
    struct unit_looker *looker;
    uint8_t unit[LEN];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct match_options options = { .threads = 1, .slots = 1, .segment_len = UNIT_MOST };

    assert_non_null(f);
    assert_int_equal(types_select(NULL, &f->types, NULL), ERR_OK);
    assert_int_equal(patterns_build(f->types.sigs, f->types.count, &f->files, NULL), ERR_OK);
    assert_int_equal(match_open(f->files.dictionary, &options, &f->matcher, NULL), ERR_OK);
    f->aim = (struct unit_aim){ .sigs = f->types.sigs,
                                .files = &f->files,
                                .file_matcher = f->matcher,
                                .known = &f->known,
                                .unit = LEN,
                                .image_size = (uint64_t)FAR * 16 };
    assert_int_equal(unit_look_open(&f->aim, &f->looker, NULL), ERR_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    unit_look_close(f->looker);
    match_close(f->matcher);
    patterns_release(&f->files);
    types_release(&f->types);
    free(f);
    return 0;
}

static struct unit_seen look(struct fixture *f)
{
    struct unit_seen seen;

    assert_int_equal(unit_look(f->looker, FAR, f->unit, LEN, &seen, NULL), ERR_OK);
    return seen;
}

/* The beginning of a PNG file of one pixel: PNG specification, 5.2, 5.3 and 11.2.2. */
static const uint8_t png[] = { 0x89, 'P', 'N',  'G',  13,  10,  26,  10,   0,    0,    0,
                               13,   'I', 'H',  'D',  'R', 0,   0,   0,    1,    0,    0,
                               0,    1,   8,    0,    0,   0,   0,   0x3a, 0x7e, 0x9b, 0x55,
                               0,    0,   0x7f, 0xff, 'I', 'D', 'A', 'T' };

static void a_file_begins_on_a_sector(void **state)
{
    struct fixture *f = *state;

    memcpy(f->unit + 1024, png, sizeof png); /* its data go on behind the unit */
    struct unit_seen seen = look(f);
    assert_int_equal(seen.found_count, 1);
    assert_int_equal(seen.found[0].offset, FAR + 1024);
    assert_int_equal(seen.found[0].len, 0); /* not seen to its end */
    assert_string_equal(seen.found[0].type->name, "png");
    memset(f->unit, 0, LEN);
    memcpy(f->unit + 1025, png, sizeof png);
    assert_int_equal(look(f).found_count, 0);
}

/* A field of a KeePass 4 header: kind, length, content. */
static size_t put_field(uint8_t *at, uint8_t kind, uint8_t len)
{
    at[0] = kind;
    at[1] = len;
    memset(at + 2, 0, 3);
    memset(at + 5, kind, len);
    return 5u + len;
}

/*
 * A store of KeePass 2, version 4.0: signatures, fields (cipher, compression, seed, initial vector,
 * parameters, end), two hashes, a block, the empty block. Returns its length.
 */
static size_t put_store(uint8_t *at)
{
    static const uint8_t head[] = { 0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5, 0, 0, 4, 0 };
    static const uint8_t fields[][2] = { { 2, 16 }, { 3, 4 },   { 4, 32 },
                                         { 7, 16 }, { 11, 40 }, { 0, 4 } };
    enum { BLOCK = 1000 };
    size_t len = sizeof head;
    uint32_t random = 1;

    memcpy(at, head, len);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        len += put_field(at + len, fields[i][0], fields[i][1]);
    for (size_t i = 0; i < 64 + 32 + 4 + BLOCK + 32; i++) {
        random = random * 1664525 + 1013904223;
        at[len + i] = (uint8_t)(random >> 24);
    }
    memcpy(at + len + 96, (const uint8_t[]){ BLOCK & 255, BLOCK >> 8, 0, 0 }, 4);
    len += 64 + 32 + 4 + BLOCK + 32;
    memset(at + len, 0, 4);
    return len + 4;
}

static void a_whole_file_has_its_length(void **state)
{
    struct fixture *f = *state;
    uint8_t store[LEN];
    const size_t len = put_store(store);

    memcpy(f->unit + 512, store, len);
    struct unit_seen seen = look(f);
    assert_int_equal(seen.found_count, 1);
    assert_int_equal(seen.found[0].offset, FAR + 512);
    assert_int_equal(seen.found[0].len, len);
    assert_string_equal(seen.found[0].type->name, "kdbx");
    memset(f->unit, 0, LEN);
    memcpy(f->unit + LEN - 512, store, 512); /* it goes on in another unit */
    seen = look(f);
    assert_int_equal(seen.found_count, 1);
    assert_int_equal(seen.found[0].len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_begins_on_a_sector, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_whole_file_has_its_length, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("unit_look", tests, NULL, NULL);
}
