/* SPDX-License-Identifier: Apache-2.0
 * tests/io/reader/test_reader.c - every backend hands out the bytes of the file, in order, whatever
 * the sizes.
 *
 * Method: files of odd and even sizes, whole, partly or not at all in the page cache, are streamed
 * with random segment sizes, depths and ranges. What comes back is compared with the bytes that
 * were written, and the cuts between segments with the rule in reader.h worked out anew here.
 */
#include <fcntl.h>

#include "tests/io/lib_io.h"

enum { RANGES_MAX = 6, DEPTH_MAX = 8, ROUNDS = 40 };

static const char *const backends[] = {
#define BACKEND(id) #id,
#include "io/backends.def"
#undef BACKEND
};

/* The segments that reader.h promises for these ranges, one after the other. */
struct expected {
    const struct io_range *ranges;
    uint32_t count, range;
    uint64_t at;
};

static void expect_segment(struct expected *want, const struct io_segment *got,
                           uint32_t segment_len, const uint8_t *bytes)
{
    assert_true(want->range < want->count);
    const struct io_range *r = &want->ranges[want->range];
    const uint64_t left = r->len - want->at;

    assert_int_equal(got->offset, r->offset + want->at);
    assert_int_equal(got->len, left < segment_len ? left : segment_len);
    assert_memory_equal(got->bytes, bytes + got->offset, got->len);
    const bool touches_before = want->range > 0 && r[-1].offset + r[-1].len == r->offset;
    assert_int_equal(got->follows, want->at > 0 || touches_before);
    want->at += got->len;
    const bool touches_after = want->range + 1 < want->count && r[1].offset == r->offset + r->len;
    assert_int_equal(got->ends_range, want->at == r->len && !touches_after);
    if (want->at == r->len) {
        want->range++;
        want->at = 0;
    }
}

static void stream_and_compare(struct io_image *image, const struct io_reader_options *options,
                               const uint8_t *bytes, struct expected *want)
{
    uint8_t *buffers[DEPTH_MAX];
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    bool lent;

    struct io_reader_options whole = *options;

    /* First other ranges, of which not all is taken: what was lent comes back. */
    whole.ranges = NULL;
    if (io_reader_open(image, &whole, &reader, &err) != ERR_OK)
        fail_msg("%s: %s", options->backend == NULL ? "auto" : options->backend, err.text);
    for (uint32_t i = 0; i < options->depth; i++) {
        buffers[i] = aligned_alloc(IO_BUFFER_ALIGN, options->segment_len);
        assert_non_null(buffers[i]);
        assert_int_equal(io_reader_lend(reader, buffers[i], &buffers[i], &lent, &err), ERR_OK);
    }
    assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
    assert_memory_equal(segment.bytes, bytes, segment.len);
    assert_int_equal(io_reader_again(reader, options->ranges, options->range_count, &err), ERR_OK);
    for (uint32_t i = 0; i < options->depth; i++) {
        memset(buffers[i], 0xEE, options->segment_len);
        assert_int_equal(io_reader_lend(reader, buffers[i], &buffers[i], &lent, &err), ERR_OK);
    }
    if (options->depth > 2) /* what is read in one go is the same */
        io_reader_fill(reader);
    for (;;) {
        assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        if (segment.len == 0)
            break;
        assert_ptr_equal(segment.bytes, *(uint8_t **)segment.tag);
        expect_segment(want, &segment, options->segment_len, bytes);
        memset(segment.bytes, 0xEE, options->segment_len);
        assert_int_equal(io_reader_lend(reader, segment.bytes, segment.tag, &lent, &err), ERR_OK);
    }
    assert_int_equal(want->range, want->count);
    const struct io_bad_range *bad;
    uint32_t bad_count;
    io_reader_bad_ranges(reader, &bad, &bad_count);
    assert_int_equal(bad_count, 0);
    io_reader_close(reader);
    for (uint32_t i = 0; i < options->depth; i++)
        free(buffers[i]);
}

/* Ascending ranges; some touch, some begin at odd offsets, some end with the image. */
static uint32_t random_ranges(uint64_t *state, uint64_t size, struct io_range *ranges)
{
    uint32_t count = 0;
    uint64_t at = 0;

    while (count < RANGES_MAX && at < size) {
        if (test_random(state) % 3 != 0)
            at += test_random(state) % (size - at);
        if (test_random(state) % 2 == 0)
            at = at / 512 * 512;
        if (count > 0 && at < ranges[count - 1].offset + ranges[count - 1].len)
            at = ranges[count - 1].offset + ranges[count - 1].len;
        ranges[count].offset = at;
        ranges[count].len = 1 + test_random(state) % (size - at);
        at += ranges[count].len;
        count++;
    }
    return count;
}

/* Takes the file out of the page cache, and a random piece of it back in, so that bytes come from
 * both. */
static void cool(const char *path, size_t size, uint64_t *state)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char bytes[64];

    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(pread(fd, bytes, sizeof bytes, (off_t)(test_random(state) % size)) > 0);
    const off_t from = (off_t)(test_random(state) % size);
    assert_int_equal(readahead(fd, from, test_random(state) % (size - (size_t)from) / 2), 0);
    close(fd);
}

static void every_backend_gives_the_bytes_of_the_file(void **state)
{
    static const size_t sizes[] = { 1,    511,   512,   513,    4095,    4096,
                                    4097, 65535, 65536, 131073, 1 << 20, 3333333 };
    char folder[64], path[96];
    uint64_t random = 20240607;

    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/image", folder);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint8_t *bytes = test_bytes(sizes[s], s + 1);
        struct io_image *image;
        struct err err = { 0 };

        test_write_file(path, bytes, sizes[s]);
        assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const uint32_t which = round % (sizeof backends / sizeof backends[0] + 1);
            struct io_range ranges[RANGES_MAX] = { { 0, sizes[s] } };
            const uint32_t count = round < 4 ? 1 : random_ranges(&random, sizes[s], ranges);
            struct expected want = { ranges, count, 0, 0 };
            struct io_reader_options options = {
                .ranges = round < 4 ? NULL : ranges,
                .range_count = count,
                .segment_len = 4096u << test_random(&random) % 9,
                .depth = 1 + (uint32_t)(test_random(&random) % DEPTH_MAX),
                .backend = which == 0 ? NULL : backends[which - 1],
            };
            if (test_random(&random) % 2 == 0)
                cool(path, sizes[s], &random);
            stream_and_compare(image, &options, bytes, &want);
        }
        io_image_close(image);
        free(bytes);
    }
    test_remove_folder(folder);
}

static void a_wrong_option_is_refused(void **state)
{
    static const uint8_t bytes[8192];
    const struct io_range outside = { 8000, 193 }, backwards[] = { { 10, 10 }, { 19, 1 } },
                          empty = { 5, 0 };
    const struct io_reader_options wrong[] = {
        { .segment_len = 4096, .depth = 0 },
        { .segment_len = 5000, .depth = 1 },
        { .segment_len = 0, .depth = 1 },
        { .segment_len = 1u << 30, .depth = 1 },
        { .segment_len = 4096, .depth = 1, .backend = "floppy" },
        { .segment_len = 4096, .depth = 1, .ranges = &outside, .range_count = 1 },
        { .segment_len = 4096, .depth = 1, .ranges = backwards, .range_count = 2 },
        { .segment_len = 4096, .depth = 1, .ranges = &empty, .range_count = 1 },
    };
    struct io_image *image;
    struct io_reader *reader;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &image, &err), ERR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(io_reader_open(image, &wrong[i], &reader, &err), ERR_ARG);
        assert_null(reader);
    }
    io_image_close(image);
}

static void no_ranges_is_an_empty_stream(void **state)
{
    static const uint8_t bytes[1];
    static const struct io_range none[1];
    const struct io_reader_options options = { .ranges = none, .segment_len = 4096, .depth = 1 };
    struct io_image *image;
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    bool lent = true;
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, 4096);

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, 1, &image, &err), ERR_OK);
    assert_int_equal(io_reader_open(image, &options, &reader, &err), ERR_OK);
    assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
    assert_false(lent);
    assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
    assert_int_equal(segment.len, 0);
    io_reader_close(reader);
    io_image_close(image);
    free(buffer);
}

static void lending_is_checked(void **state)
{
    static const uint8_t bytes[65536];
    const struct io_reader_options options = { .segment_len = 4096, .depth = 1 };
    struct io_image *image;
    struct io_reader *reader;
    struct err err = { 0 };
    bool lent;
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, 8192);

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &image, &err), ERR_OK);
    assert_int_equal(io_reader_open(image, &options, &reader, &err), ERR_OK);
    assert_int_equal(io_reader_lend(reader, buffer + 1, NULL, &lent, &err), ERR_ARG);
    assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
    assert_true(lent);
    assert_int_equal(io_reader_lend(reader, buffer + 4096, NULL, &lent, &err), ERR_ARG);
    assert_false(lent);
    io_reader_close(reader);
    io_image_close(image);
    free(buffer);
}

/* One buffer of many that may be lent is read when somebody asks for it. */
static void one_buffer_of_many_is_enough(void **state)
{
    static const uint8_t bytes[3 * 4096];
    const struct io_reader_options options = { .segment_len = 4096, .depth = 16 };
    struct io_image *image;
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    bool lent;
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, 4096);

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &image, &err), ERR_OK);
    assert_int_equal(io_reader_open(image, &options, &reader, &err), ERR_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
        assert_true(lent);
        assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        assert_int_equal(segment.offset, i * 4096);
        assert_int_equal(segment.len, 4096);
    }
    io_reader_close(reader);
    io_image_close(image);
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_backend_gives_the_bytes_of_the_file),
        cmocka_unit_test(a_wrong_option_is_refused),
        cmocka_unit_test(no_ranges_is_an_empty_stream),
        cmocka_unit_test(lending_is_checked),
        cmocka_unit_test(one_buffer_of_many_is_enough),
    };
    return cmocka_run_group_tests_name("io reader", tests, NULL, NULL);
}
