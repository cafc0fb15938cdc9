/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_pieces.c - tables of pieces, and images that are read by them.
 *
 * Method: an image is put together by hand out of files of known bytes, and read through
 * io_image_read_at, the map, and every backend of the reader. What must come out is put together
 * by hand too.
 */
#include <unistd.h>

#include "io/image/image_pieces.h"
#include "tests/io/lib_io.h"

enum { FILE_LEN = 300 * 1024, PIECE = 64 * 1024, IMAGE_LEN = 5 * PIECE + 700 };

struct fixture {
    char folder[64];
    uint8_t *bytes[2];
    uint8_t *want;
    struct io_image *image;
};

static void add(struct io_piece_list *list, enum io_piece_how how, uint32_t file, uint64_t at,
                uint64_t len)
{
    const struct io_piece piece = {
        .how = how, .file = file, .at = at, .len = len, .source = IO_BAD_ACQUISITION
    };
    struct err err;

    assert_int_equal(io_piece_list_add(list, &piece, &err), ERR_OK);
}

/* Stored (two that join), zeros, unread, and the other file. */
static int make(void **state)
{
    static const struct io_container container = { .name = "pieces" };
    struct fixture *f = calloc(1, sizeof *f);
    struct io_piece_list list = { 0 };
    struct io_pieces *pieces;
    struct err err;
    char path[96];
    uint64_t size;

    test_make_folder(f->folder);
    f->want = calloc(1, IMAGE_LEN);
    assert_int_equal(io_pieces_begin(&container, &pieces, &err), ERR_OK);
    for (uint32_t i = 0; i < 2; i++) {
        f->bytes[i] = test_bytes(FILE_LEN, 20 + i);
        snprintf(path, sizeof path, "%s/%u", f->folder, i);
        test_write_file(path, f->bytes[i], FILE_LEN);
        assert_int_equal(io_pieces_add_file(pieces, path, &size, &err), ERR_OK);
        assert_int_equal(size, FILE_LEN);
    }
    add(&list, IO_PIECE_STORED, 0, 512, PIECE);
    add(&list, IO_PIECE_STORED, 0, 512 + PIECE, PIECE);
    add(&list, IO_PIECE_ZERO, 0, 0, PIECE);
    add(&list, IO_PIECE_UNREAD, 0, 0, PIECE);
    add(&list, IO_PIECE_STORED, 1, 3, PIECE + 700);
    add(&list, IO_PIECE_STORED, 1, 3, 0);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.size, IMAGE_LEN);
    assert_int_equal(io_pieces_finish(pieces, io_pieces_list(pieces, &list, &err), &f->image, &err),
                     ERR_OK);
    memcpy(f->want, f->bytes[0] + 512, 2 * PIECE);
    memcpy(f->want + 4 * PIECE, f->bytes[1] + 3, PIECE + 700);
    *state = f;
    return 0;
}

static int clean(void **state)
{
    struct fixture *f = *state;

    io_image_close(f->image);
    test_remove_folder(f->folder);
    free(f->bytes[0]);
    free(f->bytes[1]);
    free(f->want);
    free(f);
    return 0;
}

static void check_span(const struct fixture *f, uint64_t offset, enum io_span_how how, uint64_t len,
                       uint64_t fd_offset)
{
    struct io_span span;

    assert_true(io_image_map(f->image, offset, &span));
    assert_int_equal(span.how, how);
    assert_int_equal(span.len, len);
    if (how == IO_SPAN_STORED)
        assert_int_equal(span.fd_offset, fd_offset);
    else
        assert_int_equal(span.fd, -1);
}

static void the_map_says_what_lies_where(void **state)
{
    const struct fixture *f = *state;
    struct io_span span;

    assert_int_equal(io_image_part_count(f->image), 2);
    check_span(f, 0, IO_SPAN_STORED, 2 * PIECE, 512);
    check_span(f, PIECE + 1, IO_SPAN_STORED, PIECE - 1, 512 + PIECE + 1);
    check_span(f, 2 * PIECE, IO_SPAN_ZERO, PIECE, 0);
    check_span(f, 3 * PIECE + 9, IO_SPAN_ASK, PIECE - 9, 0);
    check_span(f, 4 * PIECE, IO_SPAN_STORED, PIECE + 700, 3);
    assert_false(io_image_map(f->image, IMAGE_LEN, &span));
}

static void one_bad(void *arg, const struct io_bad_range *range)
{
    struct io_bad_range *bad = arg;

    assert_int_equal(bad->len, 0);
    *bad = *range;
}

static void check_bad(const struct io_bad_range *bad)
{
    assert_int_equal(bad->offset, 3 * PIECE);
    assert_int_equal(bad->len, PIECE);
    assert_int_equal(bad->source, IO_BAD_ACQUISITION);
}

static void what_is_read_is_what_was_put_together(void **state)
{
    const struct fixture *f = *state;
    struct io_bad_range bad = { 0 };
    uint8_t *got = malloc(IMAGE_LEN);
    uint64_t random = 5;
    struct err err;

    assert_int_equal(io_image_read_at(f->image, 0, got, IMAGE_LEN, &err), ERR_IO);
    assert_int_equal(io_salvage_read(f->image, 0, got, IMAGE_LEN, one_bad, &bad, &err), ERR_OK);
    check_bad(&bad);
    assert_memory_equal(got, f->want, IMAGE_LEN);
    for (int i = 0; i < 300; i++) {
        const uint64_t offset = test_random(&random) % IMAGE_LEN;
        const size_t len = (size_t)(test_random(&random) % (IMAGE_LEN - offset));
        bad.len = 0;
        assert_int_equal(io_salvage_read(f->image, offset, got, len, one_bad, &bad, &err), ERR_OK);
        assert_memory_equal(got, f->want + offset, len);
    }
    free(got);
}

static void every_backend_reads_it(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    const struct fixture *f = *state;
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, 1 << 16);
    struct err err;

    for (uint32_t i = 0; i < 3; i++) {
        const struct io_reader_options options = { .segment_len = 1 << 16,
                                                   .depth = 1,
                                                   .backend = backends[i] };
        struct io_bad_range bad = { 0 };
        struct io_reader *reader;
        struct io_segment segment;
        uint64_t seen = 0;
        bool lent;

        assert_int_equal(io_reader_open(f->image, &options, &reader, &err), ERR_OK);
        for (;;) {
            const struct io_bad_range *ranges;
            uint32_t count;

            assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
            if (!lent)
                break;
            memset(buffer, 0x55, 1 << 16);
            assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
            assert_memory_equal(segment.bytes, f->want + segment.offset, segment.len);
            seen += segment.len;
            io_reader_bad_ranges(reader, &ranges, &count);
            if (count > 0)
                one_bad(&bad, ranges);
        }
        assert_int_equal(seen, IMAGE_LEN);
        check_bad(&bad);
        io_reader_close(reader);
    }
    free(buffer);
}

static void places_are_inside_and_apart(void **state)
{
    struct io_places places = { .path = "it", .file_size = 1000 };
    struct err err;

    (void)state;
    assert_int_equal(io_places_add(&places, 500, 100, "a block", &err), ERR_OK);
    assert_int_equal(io_places_add(&places, 600, 400, "a block", &err), ERR_OK);
    assert_int_equal(io_places_add(&places, 0, 500, "a block", &err), ERR_OK);
    assert_int_equal(places.count, 2);
    assert_int_equal(io_places_check(&places, &err), ERR_OK);
    assert_int_equal(io_places_add(&places, 999, 2, "a block", &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "a block at byte 999"));
    assert_int_equal(io_places_add(&places, UINT64_MAX, 2, "a block", &err), ERR_INPUT);
    assert_int_equal(io_places_add(&places, 2, UINT64_MAX, "a block", &err), ERR_INPUT);
    assert_int_equal(io_places_add(&places, 20, 1, "a block", &err), ERR_OK);
    assert_int_equal(io_places_check(&places, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "bytes at 20 of the file twice"));
    io_places_release(&places);
}

static void a_table_is_not_read_where_the_file_cannot_have_it(void **state)
{
    static const struct io_container container = { .name = "pieces" };
    const struct fixture *f = *state;
    struct io_pieces *pieces;
    struct io_image *image = NULL;
    struct err err;
    uint64_t size;
    char path[96];

    snprintf(path, sizeof path, "%s/0", f->folder);
    assert_int_equal(io_pieces_begin(&container, &pieces, &err), ERR_OK);
    assert_int_equal(io_pieces_add_file(pieces, path, &size, &err), ERR_OK);
    assert_int_equal(io_pieces_each(pieces, 0, 0, UINT64_MAX / 8, 8, "the table", NULL, NULL, &err),
                     ERR_INPUT);
    assert_int_equal(io_pieces_each(pieces, 0, FILE_LEN - 8, 2, 8, "the table", NULL, NULL, &err),
                     ERR_INPUT);
    assert_int_equal(io_pieces_finish(pieces, ERR_OK, &image, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "empty"));
    assert_null(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_map_says_what_lies_where, make, clean),
        cmocka_unit_test_setup_teardown(what_is_read_is_what_was_put_together, make, clean),
        cmocka_unit_test_setup_teardown(every_backend_reads_it, make, clean),
        cmocka_unit_test(places_are_inside_and_apart),
        cmocka_unit_test_setup_teardown(a_table_is_not_read_where_the_file_cannot_have_it, make,
                                        clean),
    };
    return cmocka_run_group_tests_name("io pieces", tests, NULL, NULL);
}
