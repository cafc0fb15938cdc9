/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_holes.c - holes of sparse files are zeros that are not read, by any backend
 * and by no other reader; and what is there is read.
 *
 * Method: a file with bytes and holes of many lengths, which the file system tells of, and the same
 * bytes in memory. The calls that read are counted: no call touches a long hole.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "io/image/holes.h"
#include "io/image/image_impl.h"
#include "io/reader/reader_impl.h"
#include "tests/io/lib_io.h"

enum { FILE_LEN = 9 * 1024 * 1024 + 1000, SEGMENT = 65536, PIECES_MAX = 64 };

struct piece {
    uint64_t from, to;
};

/* What is asked of the kernel; what it is asked for must not lie in a hole as a whole. */
struct count {
    const struct piece *holes; /* [hole_count] */
    uint32_t hole_count;
    uint64_t bytes, wrong;
};

static void count_read(struct count *count, uint64_t offset, size_t len)
{
    for (uint32_t i = 0; i < count->hole_count; i++)
        count->wrong += offset >= count->holes[i].from && offset + len <= count->holes[i].to;
    count->bytes += len;
}

static ssize_t count_pread(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    count_read(arg, offset, len);
    return io_sys_kernel.pread(NULL, fd, dst, len, offset);
}

static ssize_t count_pread_cached(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    count_read(arg, offset, len);
    return io_sys_kernel.pread_cached(NULL, fd, dst, len, offset);
}

static int count_submit(void *arg, io_context_t context, long n, struct iocb **requests)
{
    for (long i = 0; i < n; i++)
        count_read(arg, (uint64_t)requests[i]->u.c.offset, requests[i]->u.c.nbytes);
    return io_sys_kernel.submit(NULL, context, n, requests);
}

static int count_getevents(void *arg, io_context_t context, long min, long max,
                           struct io_event *events)
{
    (void)arg;
    return io_sys_kernel.getevents(NULL, context, min, max, events);
}

/* Writes the file: bytes, a hole, bytes, and so on, in whole blocks. Returns the bytes of it. */
static uint8_t *write_sparse(const char *path, struct piece *holes, uint32_t *hole_count)
{
    uint8_t *bytes = calloc(1, FILE_LEN);
    const int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    uint64_t random = 11;

    assert_non_null(bytes);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, FILE_LEN), 0);
    *hole_count = 0;
    for (uint64_t at = 4096; at < FILE_LEN;) {
        const uint64_t left = FILE_LEN - at, data = 4096 * (1 + test_random(&random) % 20);
        const uint64_t hole = 4096 * (1 + test_random(&random) % (*hole_count % 3 == 0 ? 8 : 300));
        const uint64_t len = data < left ? data : left;

        for (uint64_t i = 0; i < len; i++)
            bytes[at + i] = (uint8_t)test_random(&random);
        assert_int_equal(pwrite(fd, bytes + at, len, (off_t)at), len);
        assert_true(*hole_count < PIECES_MAX);
        at += len;
        holes[(*hole_count)++] = (struct piece){ at, at + hole < FILE_LEN ? at + hole : FILE_LEN };
        at += hole;
    }
    assert_int_equal(fsync(fd), 0);
    close(fd);
    return bytes;
}

static void read_all(struct io_image *image, const char *backend, const struct io_sys *sys,
                     const uint8_t *bytes)
{
    const struct io_reader_options options = { .segment_len = SEGMENT,
                                               .depth = 1,
                                               .backend = backend };
    uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, SEGMENT);
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    uint64_t at = 0;
    bool lent = true;

    assert_non_null(buffer);
    assert_int_equal(io_reader_open_sys(image, &options, sys, &reader, &err), ERR_OK);
    while (lent) {
        memset(buffer, 0xEE, SEGMENT);
        assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
        assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        if (segment.len > 0)
            assert_memory_equal(segment.bytes, bytes + at, segment.len);
        at += segment.len;
    }
    assert_int_equal(at, FILE_LEN);
    io_reader_close(reader);
    free(buffer);
}

/* The holes that are no shorter than IO_HOLES_LEAST. */
static uint32_t long_holes(struct piece *holes, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (holes[i].to - holes[i].from >= IO_HOLES_LEAST)
            holes[kept++] = holes[i];
    return kept;
}

static void a_hole_is_not_read(void **state)
{
    static const char *const backends[] = { "aio", "cache" };
    char folder[64], path[96];
    struct piece holes[PIECES_MAX];
    uint32_t hole_count = 0;
    struct io_image *image;
    struct err err = { 0 };
    struct stat st;

    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/image", folder);
    uint8_t *bytes = write_sparse(path, holes, &hole_count);
    assert_int_equal(stat(path, &st), 0);
    const bool told = st.st_blocks * 512 < FILE_LEN / 2;
    hole_count = long_holes(holes, hole_count);
    assert_true(hole_count > 8);
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        struct count count = { .holes = holes, .hole_count = hole_count };
        const struct io_sys sys = { &count, count_pread, count_pread_cached, count_submit,
                                    count_getevents };

        assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
        read_all(image, backends[i], &sys, bytes);
        if (told) { /* the file system makes holes */
            assert_int_equal(count.wrong, 0);
            assert_true(count.bytes < FILE_LEN / 2);
        }
        io_image_close(image);
    }
    free(bytes);
    test_remove_folder(folder);
}

/* Runs as io_image_map gives them follow each other, and those of zeros are zeros. */
static void runs_cover_the_file(void **state)
{
    char folder[64], path[96];
    struct piece holes[PIECES_MAX];
    uint32_t hole_count = 0;
    uint64_t random = 3, zeros = 0;
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };
    static uint8_t read[1 << 20];

    (void)state;
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/image", folder);
    uint8_t *bytes = write_sparse(path, holes, &hole_count);
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    for (uint32_t i = 0; i < 3000; i++) {
        const uint64_t at = test_random(&random) % FILE_LEN;
        const size_t len = (size_t)(test_random(&random) % sizeof read);
        const size_t most = FILE_LEN - at < len ? (size_t)(FILE_LEN - at) : len;

        assert_true(io_image_map(image, at, &span));
        assert_true(span.len > 0 && span.len <= FILE_LEN - at);
        for (uint64_t j = at; span.how == IO_SPAN_ZERO && j < at + span.len; j++)
            assert_int_equal(bytes[j], 0);
        zeros += span.how == IO_SPAN_ZERO;
        memset(read, 0xEE, sizeof read);
        if (i % 100 == 0) {
            assert_int_equal(io_salvage_read(image, at, read, most, NULL, NULL, &err), ERR_OK);
            assert_memory_equal(read, bytes + at, most);
        }
    }
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    if (st.st_blocks * 512 < FILE_LEN / 2)
        assert_true(zeros > 1000);
    io_image_close(image);
    free(bytes);
    test_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_is_not_read),
        cmocka_unit_test(runs_cover_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
