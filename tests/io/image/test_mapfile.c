/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_mapfile.c - maps of GNU ddrescue are read as its manual says, and an image
 * goes by them.
 *
 * Method: texts by hand; and random maps over an image that knows some ranges by itself, against an
 * array with one letter a byte.
 */
#include "tests/io/lib_io.h"

#include "io/image/image_impl.h"
#include "io/mapfile.h"

enum { SIZE = 4096, ROUNDS = 300 };

static enum err_code parse(const char *text, struct io_mapfile *map, struct err *err)
{
    return io_mapfile_parse("m", text, strlen(text), map, err);
}

static void all_its_spellings(void **state)
{
    static const char *const texts[] = {
        "# Mapfile. Created by GNU ddrescue version 1.27\n# current_pos  current_status  "
        "current_pass\n0x00000400     +               1\n#      pos        size  status\n"
        "0x00000000  0x00000200  +\n0x00000200  0x00000200  -\n0x00000400  0x00000400  *\n",
        "1024 + 1\n0 512 +\n512 512 -\n1024 1024 *\n",
        "02000 F\n0 01000 +\n01000 01000 -\n02000 02000 *", /* octal; no pass; no end */
        "\n  0X400\t?\t0 # now\r\n0 0x200 +\r\n0x200 512 -#no comment\n", /* refused below */
    };
    struct io_mapfile map;
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(parse(texts[i], &map, &err), ERR_OK);
        assert_int_equal(map.begin, 0);
        assert_int_equal(map.end, 2048);
        assert_int_equal(map.read_end, 512);
        assert_int_equal(map.count, 2);
        assert_int_equal(map.bad[0].offset, 512);
        assert_int_equal(map.bad[0].len, 512);
        assert_int_equal(map.bad[0].status, '-');
        assert_int_equal(map.bad[1].offset, 1024);
        assert_int_equal(map.bad[1].len, 1024);
        assert_int_equal(map.bad[1].status, '*');
        assert_int_equal(map.bad[1].source, IO_BAD_MAPFILE);
        io_mapfile_release(&map);
    }
    assert_int_equal(parse(texts[3], &map, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "m:4: a block of a map"));
    io_mapfile_release(&map);
}

static void what_is_no_map(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "no line but comments" },
        { "# Mapfile\n", "no line but comments" },
        { "hello world\n", "m:1: not a map" },
        { "0 + 1 2\n", "m:1: not a map" },
        { "0 x\n", "m:1: not a map" },
        { "0 +\n0 512 F\n", "m:2: a block of a map" },
        { "0 +\n0 512\n", "m:2: a block of a map" },
        { "0 +\n0 512 + 1\n", "m:2: a block of a map" },
        { "0 +\n0 -512 +\n", "m:2: a block of a map" },
        { "0 +\n0 0x +\n", "m:2: a block of a map" },
        { "0 +\n0 089 +\n", "m:2: a block of a map" },
        { "0 +\n0 9223372036854775808 +\n", "m:2: a block of a map" },
        { "0 +\n0 0xFFFFFFFFFFFFFFFFF +\n", "m:2: a block of a map" },
        { "0 +\n1 0x7FFFFFFFFFFFFFFF ?\n", "m:2: a block of 9223372036854775807 bytes at 1" },
        { "0 +\n0 0 +\n", "m:2: a block of 0 bytes" },
        { "0 +\n\n0 512 +\n513 1 -\n",
          "m:4: the block begins at 513, and the one before it ends at "
          "512: the map has a gap" },
        { "0 +\n0 512 +\n511 1 -\n", "m:3: the block begins at 511, and the one before it ends at "
                                     "512: the map says two things" },
    };
    struct io_mapfile map;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = { 0 };

        assert_int_equal(parse(cases[i].text, &map, &err), ERR_INPUT);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].text, err.text);
        io_mapfile_release(&map);
    }
}

/* Only a + must lie in the image: ddrescue does not know where a disk ends before it has read it.
 */
static void the_map_of_another_image(void **state)
{
    uint8_t *bytes = test_bytes(SIZE, 1);
    struct io_image *image;
    struct io_mapfile map;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, SIZE, &image, &err), ERR_OK);
    assert_int_equal(parse("0 +\n0 4096 +\n4096 0x7FFFFFFFFFFFEFFF ?\n", &map, &err), ERR_OK);
    assert_int_equal(io_mapfile_apply(&map, "m", image, &err), ERR_OK);
    assert_int_equal(image->unread.count, 0);
    io_mapfile_release(&map);
    assert_int_equal(parse("0 +\n0 4096 -\n4096 1 +\n", &map, &err), ERR_OK);
    assert_int_equal(io_mapfile_apply(&map, "m", image, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "m:3: says that the disk was read up to byte 4097"));
    io_mapfile_release(&map);
    io_image_close(image);
    free(bytes);
}

struct letters {
    char of[SIZE + 1];
};

static void mark(void *arg, const struct io_bad_range *range)
{
    struct letters *letters = arg;

    assert_true(range->offset + range->len <= SIZE);
    for (uint64_t at = range->offset; at < range->offset + range->len; at++) {
        assert_int_equal(letters->of[at], '+');
        letters->of[at] = range->source == IO_BAD_ACQUISITION ? 'a' : range->status;
    }
}

/* A random map, as text and as letters; it may end before the image, or behind it. */
static size_t make_map(uint64_t *random, char *text, size_t size, struct letters *want)
{
    uint64_t at = test_random(random) % 3 == 0 ? test_random(random) % 300 : 0;
    const uint64_t stop = test_random(random) % (SIZE + 500);
    size_t len = (size_t)snprintf(text, size, "0 + 1\n");

    memset(want->of, '?', SIZE);
    while (at < stop && len < size - 64) {
        uint64_t step = 1 + test_random(random) % 200;
        const char status = "+-*/?+"[test_random(random) % 6];

        if (status == '+' && at + step > SIZE)
            break;
        for (uint64_t i = at; i < at + step && i < SIZE; i++)
            want->of[i] = status;
        len += (size_t)snprintf(text + len, size - len, "%llu 0x%llx %c\n", (unsigned long long)at,
                                (unsigned long long)step, status);
        at += step;
    }
    return len;
}

static void every_byte_is_as_the_map_says(void **state)
{
    uint8_t *bytes = test_bytes(SIZE, 2), dst[SIZE];
    static char text[1 << 16];
    uint64_t random = 4711;

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct letters want = { .of = "" }, got;
        struct io_image *image;
        struct io_mapfile map;
        struct err err = { 0 };
        uint64_t counted = 0, bad = 0;
        uint32_t ranges = 0;
        const size_t len = make_map(&random, text, sizeof text, &want);

        assert_int_equal(io_image_open_memory(bytes, SIZE, &image, &err), ERR_OK);
        assert_int_equal(io_mapfile_parse("m", text, len, &map, &err), ERR_OK);
        io_mapfile_count(&map, SIZE, &counted, &ranges);
        for (uint32_t at = 0; at < SIZE; at++)
            bad += want.of[at] != '+';
        assert_int_equal(counted, bad);
        for (uint64_t at = test_random(&random) % 900, step; round % 2 == 0 && at < SIZE;
             at += step + 1 + test_random(&random) % 900) { /* what the image knows by itself */
            step = 1 + test_random(&random) % 400;
            step = at + step > SIZE ? SIZE - at : step;
            const struct io_bad_range own = { at, step, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD };
            io_bad_list_add(&image->unread, &own);
            memset(want.of + at, 'a', step);
        }
        assert_int_equal(io_mapfile_apply(&map, "m", image, &err), ERR_OK);
        memset(got.of, '+', SIZE);
        assert_int_equal(io_salvage_read(image, 0, dst, SIZE, mark, &got, &err), ERR_OK);
        assert_memory_equal(got.of, want.of, SIZE);
        for (uint32_t at = 0; at < SIZE; at++)
            assert_int_equal(dst[at], want.of[at] == '+' ? bytes[at] : 0);
        io_mapfile_release(&map);
        io_image_close(image);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_its_spellings),
        cmocka_unit_test(what_is_no_map),
        cmocka_unit_test(the_map_of_another_image),
        cmocka_unit_test(every_byte_is_as_the_map_says),
    };

    return cmocka_run_group_tests_name("mapfile", tests, NULL, NULL);
}
