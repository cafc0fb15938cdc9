/* SPDX-License-Identifier: Apache-2.0
 * tests/io/reader/test_reader_faults.c - reads that fail, come back short, late or out of order, in
 * every backend.
 *
 * Method: the system calls of the backends are replaced by ones that work from a plan: bad sectors
 * fail every read that touches them, other requests come back short or in another order,
 * submissions are taken in part. The image below fails on the same sectors. Whatever the plan, the
 * stream must be the bytes of the file with zeros in the bad sectors, and the bad ranges must be
 * those sectors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>

#include "tests/io/lib_io.h"

#include "io/image/image_fault.h"
#include "io/image/image_impl.h"
#include "io/reader/reader_impl.h"

enum { SECTOR = 512, DEPTH_MAX = 6, HELD_MAX = 256, BAD_MAX = 64, ROUNDS = 120 };

/* The plan, and what the stand-in for the kernel holds. Used by the reader alone while one is
 * open. */
struct plan {
    const uint8_t *bad;   /* [sectors] 1: bad */
    const uint8_t *bytes; /* of the file */
    uint64_t size;
    uint64_t random;
    uint32_t short_one_in, odd_one_in; /* 0: never */
    int odd;                           /* errno of requests that fail for another reason */
    uint32_t stop_after;               /* segments; the reader is closed then */
    uint32_t slow_us;                  /* requests come back one by one, so long apart */
    struct iocb *held[HELD_MAX];
    uint32_t held_count;
    uint64_t direct, cached, plain; /* calls */
    /* Of an image: all requests are taken at once, and the most in flight where reads have failed
     * nearby are counted, and elsewhere. NULL: not. */
    struct io_bad_places *places;
    uint32_t most_near, most_else;
};

static bool touches_bad(const struct plan *plan, uint64_t offset, uint64_t len)
{
    for (uint64_t s = offset / SECTOR; len > 0 && s <= (offset + len - 1) / SECTOR; s++)
        if (plan->bad[s])
            return true;
    return false;
}

/* Reads as a disk would: short at the end of the file, and at times elsewhere; what is not read is
 * not touched. */
static ssize_t plan_read(struct plan *plan, uint8_t *dst, size_t len, uint64_t offset)
{
    if (touches_bad(plan, offset, len))
        return -EIO;
    if (plan->odd_one_in != 0 && test_random(&plan->random) % plan->odd_one_in == 0)
        return -plan->odd;
    if (len > plan->size - offset)
        len = (size_t)(plan->size - offset);
    if (plan->short_one_in != 0 && test_random(&plan->random) % plan->short_one_in == 0)
        len = test_random(&plan->random) % (len + 1);
    memcpy(dst, plan->bytes + offset, len);
    return (ssize_t)len;
}

static ssize_t plan_pread(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    struct plan *plan = arg;

    (void)fd;
    plan->plain++;
    return plan_read(plan, dst, len, offset);
}

static ssize_t plan_pread_cached(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    struct plan *plan = arg;

    (void)fd;
    plan->cached++;
    if (test_random(&plan->random) % 3 == 0)
        return -EAGAIN;
    return plan_read(plan, dst, len, offset);
}

static int plan_submit(void *arg, io_context_t context, long count, struct iocb **requests)
{
    struct plan *plan = arg;

    (void)context;
    if (plan->places == NULL && plan->held_count > 0 && test_random(&plan->random) % 5 == 0)
        return -EAGAIN;
    const long taken =
        plan->places != NULL ? count : 1 + (long)(test_random(&plan->random) % (uint64_t)count);
    for (long i = 0; i < taken; i++) {
        assert_true(plan->held_count < HELD_MAX);
        assert_int_equal((uintptr_t)requests[i]->u.c.buf % SECTOR, 0); /* or O_DIRECT refuses it */
        assert_int_equal(requests[i]->u.c.offset % SECTOR, 0);
        assert_int_equal(requests[i]->u.c.nbytes % SECTOR, 0);
        plan->held[plan->held_count++] = requests[i];
        plan->direct++;
    }
    if (plan->places != NULL) {
        uint32_t *most = io_bad_places_near(plan->places, (uint64_t)requests[0]->u.c.offset)
                             ? &plan->most_near
                             : &plan->most_else;

        *most = plan->held_count > *most ? plan->held_count : *most;
    }
    return (int)taken;
}

/* Gives back at least min of the held requests, in any order. */
static int plan_getevents(void *arg, io_context_t context, long min, long max,
                          struct io_event *events)
{
    struct plan *plan = arg;
    const long most = max < (long)plan->held_count ? max : (long)plan->held_count;
    const long least = min < most ? min : most;
    const long want =
        plan->slow_us != 0
            ? least
            : least + (long)(test_random(&plan->random) % (uint64_t)(most - least + 1));

    (void)context;
    usleep(plan->slow_us);
    if (test_random(&plan->random) % 7 == 0)
        return -EINTR;
    for (long i = 0; i < want; i++) {
        const uint32_t pick = (uint32_t)(test_random(&plan->random) % plan->held_count);
        struct iocb *iocb = plan->held[pick];

        plan->held[pick] = plan->held[--plan->held_count];
        events[i] = (struct io_event){ .data = iocb->data, .obj = iocb };
        events[i].res = (unsigned long)plan_read(plan, iocb->u.c.buf, iocb->u.c.nbytes,
                                                 (uint64_t)iocb->u.c.offset);
    }
    return (int)want;
}

struct setup {
    char folder[64];
    uint8_t *bytes, *bad;
    uint64_t size;
    struct io_image *raw, *image;
};

static void set_up(struct setup *setup, uint64_t size, uint64_t bad_one_in, uint64_t *random)
{
    struct io_fault faults[BAD_MAX];
    uint32_t count = 0;
    char path[96];
    struct err err = { 0 };

    setup->size = size;
    setup->bytes = test_bytes(size, size);
    setup->bad = calloc(1, size / SECTOR + 1);
    for (uint64_t s = 0; bad_one_in != 0 && s * SECTOR < size && count < BAD_MAX; s++)
        if (test_random(random) % bad_one_in == 0) {
            setup->bad[s] = 1;
            faults[count++] = (struct io_fault){ s * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 };
        }
    test_make_folder(setup->folder);
    snprintf(path, sizeof path, "%s/image", setup->folder);
    test_write_file(path, setup->bytes, size);
    assert_int_equal(io_image_open(path, NULL, &setup->raw, &err), ERR_OK);
    const struct io_fault_script script = { faults, count, true };
    assert_int_equal(io_image_open_fault(setup->raw, &script, &setup->image, &err), ERR_OK);
}

static void tear_down(struct setup *setup)
{
    io_image_close(setup->image);
    io_image_close(setup->raw);
    test_remove_folder(setup->folder);
    free(setup->bytes);
    free(setup->bad);
}

/* Takes the file out of the page cache, so that requests are made. */
static void cool(const struct setup *setup)
{
    char path[96];

    snprintf(path, sizeof path, "%s/image", setup->folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
}

static uint8_t expected_byte(const struct setup *setup, uint64_t at)
{
    return setup->bad[at / SECTOR] ? 0 : setup->bytes[at];
}

/* Checks the bad ranges told since *at against the sectors of [*at, end). */
static void check_bad_ranges(struct io_reader *reader, const struct setup *setup, uint64_t *at,
                             uint64_t end)
{
    const struct io_bad_range *bad;
    uint32_t count, i = 0;

    io_reader_bad_ranges(reader, &bad, &count);
    while (*at < end) {
        uint64_t to = *at;
        while (to < end && setup->bad[to / SECTOR])
            to++;
        if (to > *at) {
            assert_true(i < count);
            assert_int_equal(bad[i].offset, *at);
            assert_int_equal(bad[i].len, to - *at);
            assert_int_equal(bad[i].cause, EIO);
            i++;
            *at = to;
        } else {
            ++*at;
        }
    }
    assert_int_equal(i, count);
}

static void stream(const struct setup *setup, struct plan *plan,
                   const struct io_reader_options *options)
{
    const struct io_sys sys = { plan, plan_pread, plan_pread_cached, plan_submit, plan_getevents };
    uint8_t *buffers =
        aligned_alloc(IO_BUFFER_ALIGN, (size_t)options->depth * options->segment_len);
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    uint64_t at = 0, told = 0;
    bool lent;

    memset(buffers, 0xEE, (size_t)options->depth * options->segment_len);
    assert_int_equal(io_reader_open_sys(setup->image, options, &sys, &reader, &err), ERR_OK);
    for (uint32_t i = 0; i < options->depth; i++)
        assert_int_equal(
            io_reader_lend(reader, buffers + (size_t)i * options->segment_len, NULL, &lent, &err),
            ERR_OK);
    for (uint32_t n = 0;; n++) {
        assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        if (segment.len == 0 || n == plan->stop_after)
            break;
        assert_int_equal(segment.offset, at);
        for (uint32_t i = 0; i < segment.len; i++)
            if (segment.bytes[i] != expected_byte(setup, at + i))
                fail_msg("%s: byte %llu", io_reader_backend(reader), (unsigned long long)(at + i));
        at += segment.len;
        if (n % 3 == 0) /* told for several segments at a time, too */
            check_bad_ranges(reader, setup, &told, at);
        memset(segment.bytes, 0xEE, options->segment_len);
        assert_int_equal(io_reader_lend(reader, segment.bytes, NULL, &lent, &err), ERR_OK);
    }
    if (segment.len == 0) {
        assert_int_equal(at, setup->size);
        check_bad_ranges(reader, setup, &told, at);
    }
    io_reader_close(reader);
    assert_int_equal(plan->held_count, 0); /* nothing would write into the buffers now */
    free(buffers);
}

/*
 * Read once, a segment with a bad sector is bad from its first byte to its last, and zeros; all
 * others are as they are.
 */
static void read_once_nothing_is_cut(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    enum { LEN = 16 * 4096, COUNT = 12 };
    uint64_t random = 5;

    (void)state;
    for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
        struct setup setup;

        set_up(&setup, (uint64_t)COUNT * LEN, 300, &random);
        cool(&setup);
        struct plan plan = { .bad = setup.bad,
                             .bytes = setup.bytes,
                             .size = setup.size,
                             .random = 1,
                             .stop_after = UINT32_MAX };
        const struct io_sys sys = { &plan, plan_pread, plan_pread_cached, plan_submit,
                                    plan_getevents };
        const struct io_reader_options options = {
            .segment_len = LEN, .depth = 1, .backend = backends[b], .once = true
        };
        uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, LEN);
        struct io_reader *reader;
        struct io_segment segment = { .len = 1 };
        struct err err = { 0 };
        uint32_t hit = 0, whole = 0;

        assert_int_equal(io_reader_open_sys(setup.image, &options, &sys, &reader, &err), ERR_OK);
        for (bool lent = true; lent;) {
            const struct io_bad_range *bad;
            uint32_t count;
            bool faulty = false;

            assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
            assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
            io_reader_bad_ranges(reader, &bad, &count);
            for (uint32_t s = 0; s < segment.len / SECTOR; s++)
                faulty |= setup.bad[segment.offset / SECTOR + s] != 0;
            assert_int_equal(count, faulty ? 1 : 0);
            hit += faulty;
            whole += segment.len > 0 && !faulty;
            for (uint32_t i = 0; i < segment.len; i++)
                assert_int_equal(segment.bytes[i], faulty ? 0 : setup.bytes[segment.offset + i]);
            if (faulty) {
                assert_int_equal(bad[0].offset, segment.offset);
                assert_int_equal(bad[0].len, segment.len);
                assert_int_equal(bad[0].status, IO_STATUS_UNTRIMMED);
            }
        }
        assert_true(hit > 0 && whole > 0);
        io_reader_close(reader);
        free(buffer);
        tear_down(&setup);
    }
}

static void faults_of_every_kind_in_every_backend(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    static const int odd[] = { EINVAL, ENODATA, EAGAIN };
    uint64_t random = 4711, direct = 0, cached = 0, plain = 0;

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint64_t size = 1 + test_random(&random) % (3 << 20);
        struct setup setup;

        set_up(&setup, size, test_random(&random) % 4 == 0 ? 0 : 50 + test_random(&random) % 2000,
               &random);
        if (test_random(&random) % 4 != 0)
            cool(&setup);
        struct plan plan = { .bad = setup.bad,
                             .bytes = setup.bytes,
                             .size = size,
                             .random = round + 1,
                             .short_one_in = (uint32_t)(test_random(&random) % 3) * 2,
                             .odd_one_in = (uint32_t)(test_random(&random) % 3) * 2,
                             .odd = odd[test_random(&random) % 3],
                             .stop_after = UINT32_MAX };
        if (test_random(&random) % 4 == 0) {
            plan.stop_after = 1;
            plan.slow_us = 1000;
        }
        const struct io_reader_options options = {
            .segment_len = 65536u << test_random(&random) % 5,
            .depth = 1 + (uint32_t)(test_random(&random) % DEPTH_MAX),
            .backend = backends[round % 3]
        };
        stream(&setup, &plan, &options);
        if (plan.short_one_in == 0 && plan.odd_one_in == 0 &&
            memchr(setup.bad, 1, size / SECTOR + 1) == NULL &&
            strcmp(options.backend, "pread") != 0)
            assert_int_equal(io_image_fault_reads(setup.image),
                             0); /* nothing was read a second time */
        direct += plan.direct;
        cached += plan.cached;
        plain += plan.plain;
        tear_down(&setup);
    }
    assert_true(plain > 0); /* the plan was asked at all */
    if (direct == 0 || cached == 0)
        print_message("this file system takes no O_DIRECT or shows no page cache: part of the plan "
                      "was not run\n");
}

/* A disk that fails is asked for little at a time. */
static void few_requests_where_reads_fail(void **state)
{
    uint64_t random = 12;
    struct setup setup;

    (void)state;
    set_up(&setup, 8 << 20, 3000, &random);
    cool(&setup);
    struct plan plan = { .bad = setup.bad,
                         .bytes = setup.bytes,
                         .size = setup.size,
                         .random = 3,
                         .stop_after = UINT32_MAX,
                         .places = &setup.image->places };
    const struct io_reader_options options = { .segment_len = 512 << 10,
                                               .depth = DEPTH_MAX,
                                               .backend = "aio" };

    stream(&setup, &plan, &options);
    if (plan.direct == 0)
        print_message("this file system takes no O_DIRECT: not tested\n");
    else
        assert_int_equal(plan.most_near, 2);
    assert_true(plan.direct == 0 || plan.most_else > 2); /* before the first one failed */
    tear_down(&setup);
}

static void late_reads_keep_their_order(void **state)
{
    uint8_t *bytes = test_bytes(1 << 20, 8);
    const struct io_fault late = { 0, 70000, IO_FAULT_LATE, 0, 0, 20000 };
    const struct io_fault_script script = { &late, 1, false };
    const struct io_reader_options options = { .segment_len = 65536, .depth = 4 };
    uint8_t *buffers = aligned_alloc(IO_BUFFER_ALIGN, 4 * 65536);
    struct io_image *inner, *image;
    struct io_reader *reader;
    struct io_segment segment;
    struct err err = { 0 };
    bool lent;

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, 1 << 20, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    assert_int_equal(io_reader_open(image, &options, &reader, &err), ERR_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(io_reader_lend(reader, buffers + i * 65536, NULL, &lent, &err), ERR_OK);
    for (uint64_t at = 0; at < 1 << 20; at += 65536) {
        assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        assert_int_equal(segment.offset, at);
        assert_memory_equal(segment.bytes, bytes + at, 65536);
        assert_int_equal(io_reader_lend(reader, segment.bytes, NULL, &lent, &err), ERR_OK);
    }
    io_reader_close(reader);
    io_image_close(image);
    io_image_close(inner);
    free(buffers);
    free(bytes);
}

/* The kernel still writes into the buffers when the caller has had enough. */
static void closing_with_requests_in_flight(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    uint64_t random = 5;
    struct setup setup;

    (void)state;
    set_up(&setup, 5 << 20, 0, &random);
    for (uint32_t round = 0; round < 24; round++) {
        const struct io_reader_options options = { .segment_len = 1 << 20,
                                                   .depth = 4,
                                                   .backend = backends[round % 3] };
        uint8_t *buffers = aligned_alloc(IO_BUFFER_ALIGN, 4 << 20);
        struct io_reader *reader;
        struct io_segment segment;
        struct err err = { 0 };
        bool lent;

        cool(&setup);
        assert_int_equal(io_reader_open(setup.raw, &options, &reader, &err), ERR_OK);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(io_reader_lend(reader, buffers + (i << 20), NULL, &lent, &err),
                             ERR_OK);
        for (uint32_t i = 0; i < round % 4; i++)
            assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
        io_reader_close(reader);
        free(buffers); /* a write into them now is a use after free */
    }
    tear_down(&setup);
}

/* The file loses its end while it is read: what is gone is a bad range, and the stream goes on to
 * its end. */
static void a_file_that_shrinks(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    enum { KEPT = 1 << 20, SIZE = 3 << 20 };

    (void)state;
    for (uint32_t b = 0; b < 3; b++) {
        const struct io_reader_options options = { .segment_len = 1 << 20,
                                                   .depth = 1,
                                                   .backend = backends[b] };
        uint64_t random = 5, sum = 0;
        uint8_t *buffer = aligned_alloc(IO_BUFFER_ALIGN, 1 << 20);
        struct setup setup;
        struct io_reader *reader;
        struct io_segment segment;
        struct err err = { 0 };
        char path[96];
        bool lent;
        const struct io_bad_range *bad;
        uint32_t count;

        set_up(&setup, SIZE, 0, &random);
        snprintf(path, sizeof path, "%s/image", setup.folder);
        assert_int_equal(io_reader_open(setup.raw, &options, &reader, &err), ERR_OK);
        assert_int_equal(truncate(path, KEPT), 0);
        for (uint64_t at = 0; at < SIZE; at += segment.len) {
            assert_int_equal(io_reader_lend(reader, buffer, NULL, &lent, &err), ERR_OK);
            assert_int_equal(io_reader_next(reader, &segment, &err), ERR_OK);
            assert_int_equal(segment.offset, at);
            assert_true(segment.len > 0);
            for (uint32_t i = 0; at >= KEPT && i < segment.len; i++)
                sum += segment.bytes[i];
        }
        assert_int_equal(sum, 0);
        io_reader_bad_ranges(reader, &bad, &count);
        assert_int_equal(count, 1);
        assert_int_equal(bad[0].offset, KEPT);
        assert_int_equal(bad[0].len, SIZE - KEPT);
        io_reader_close(reader);
        tear_down(&setup);
        free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_every_kind_in_every_backend),
        cmocka_unit_test(read_once_nothing_is_cut),
        cmocka_unit_test(few_requests_where_reads_fail),
        cmocka_unit_test(late_reads_keep_their_order),
        cmocka_unit_test(closing_with_requests_in_flight),
        cmocka_unit_test(a_file_that_shrinks),
    };
    return cmocka_run_group_tests_name("io reader faults", tests, NULL, NULL);
}
