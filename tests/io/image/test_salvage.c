/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_salvage.c - what can be read is read, what cannot is zeros and on the list.
 *
 * Method: sectors of an image in memory fail on cue; the expected list is worked out from those
 * sectors one by one.
 */
#include <errno.h>

#include "tests/io/lib_io.h"

#include "io/image/image_fault.h"
#include "io/image/image_impl.h"

enum { SECTOR = 512, SECTORS = 200, IMAGE_LEN = SECTORS * SECTOR - 100, LIST_MAX = SECTORS };

struct list {
    struct io_bad_range items[LIST_MAX];
    uint32_t count;
};

static void collect(void *arg, const struct io_bad_range *range)
{
    struct list *list = arg;

    assert_true(list->count < LIST_MAX);
    list->items[list->count++] = *range;
}

/* The bad sectors of [offset, offset + len), joined, cut at its ends. */
static void work_out(const int *cause_of, uint64_t offset, uint64_t len, struct list *want)
{
    want->count = 0;
    for (uint64_t at = offset; at < offset + len; at++) {
        const int cause = cause_of[at / SECTOR];
        if (cause == 0)
            continue;
        struct io_bad_range *last = want->count == 0 ? NULL : &want->items[want->count - 1];
        if (last != NULL && last->offset + last->len == at && last->cause == cause)
            last->len++;
        else
            want->items[want->count++] =
                (struct io_bad_range){ at, 1, cause, IO_BAD_READ, IO_STATUS_BAD };
    }
}

static void check(const int *cause_of, const uint8_t *bytes, uint64_t offset, size_t len,
                  enum io_fault_kind kind)
{
    struct io_fault faults[SECTORS];
    uint32_t count = 0;
    struct io_image *inner, *image;
    struct list got = { .count = 0 }, want;
    struct err err = { 0 };
    uint8_t *dst = malloc(len + 1);

    for (uint32_t i = 0; i < SECTORS; i++)
        if (cause_of[i] != 0)
            faults[count++] = (struct io_fault){
                .offset = (uint64_t)i * SECTOR, .len = SECTOR, .kind = kind, .cause = cause_of[i]
            };
    const struct io_fault_script script = { faults, count, false };
    assert_int_equal(io_image_open_memory(bytes, IMAGE_LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    memset(dst, 0xEE, len + 1);
    assert_int_equal(io_salvage_read(image, offset, dst, len, collect, &got, &err), ERR_OK);
    work_out(cause_of, offset, len, &want);
    assert_int_equal(got.count, want.count);
    for (uint32_t i = 0; i < want.count; i++) {
        assert_int_equal(got.items[i].offset, want.items[i].offset);
        assert_int_equal(got.items[i].len, want.items[i].len);
        assert_int_equal(got.items[i].cause, want.items[i].cause);
        assert_int_equal(got.items[i].source, IO_BAD_READ);
    }
    for (uint64_t i = 0; i < len; i++)
        assert_int_equal(dst[i], cause_of[(offset + i) / SECTOR] != 0 ? 0 : bytes[offset + i]);
    assert_int_equal(dst[len], 0xEE);
    io_image_close(image);
    io_image_close(inner);
    free(dst);
}

static void one_bad_sector_anywhere(void **state)
{
    static const uint32_t places[] = { 0, 1, 17, 99, 100, SECTORS - 2, SECTORS - 1 };
    uint8_t *bytes = test_bytes(IMAGE_LEN, 3);

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int cause_of[SECTORS] = { 0 };
        cause_of[places[i]] = EIO;
        check(cause_of, bytes, 0, IMAGE_LEN, IO_FAULT_FAIL);
        check(cause_of, bytes, 0, IMAGE_LEN, IO_FAULT_SHORT);
        check(cause_of, bytes, 300, IMAGE_LEN - 300, IO_FAULT_FAIL);
    }
    free(bytes);
}

/*
 * Of eight sectors in a row the one in the middle fails some times. With as many reads more as it
 * takes it comes back; how many reads there are without, the image that never comes back tells.
 */
static void what_comes_back_is_no_bad_range(void **state)
{
    enum { LEN = 8 * SECTOR, BAD = 4 * SECTOR, RETRIES = 3 };
    uint8_t *bytes = test_bytes(LEN, 6), dst[LEN];
    uint32_t failing = 0;

    (void)state;
    for (uint32_t times = 0; times < 40; times++) {
        uint32_t bad[2], reads[2];

        for (uint32_t retries = 0; retries <= RETRIES; retries += RETRIES) {
            const struct io_fault fault = { BAD, SECTOR, IO_FAULT_FAIL, EIO, times, 0 };
            const struct io_fault_script script = { .faults = &fault, .count = times > 0 };
            struct io_image *inner, *image;
            struct list got = { .count = 0 };
            struct err err = { 0 };
            const size_t i = retries > 0;

            assert_int_equal(io_image_open_memory(bytes, LEN, &inner, &err), ERR_OK);
            assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
            io_image_retry_bad(image, retries);
            assert_int_equal(io_salvage_read(image, 0, dst, LEN, collect, &got, &err), ERR_OK);
            bad[i] = got.count;
            reads[i] = (uint32_t)io_image_fault_reads(image);
            assert_true(got.count <= 1);
            if (got.count == 1) {
                assert_int_equal(got.items[0].offset, BAD);
                assert_int_equal(got.items[0].len, SECTOR);
                memset(dst + BAD, bytes[BAD], 1); /* zeros stand there */
                for (size_t k = 1; k < SECTOR; k++)
                    assert_int_equal(dst[BAD + k], 0);
                /* It is known, and not asked for again. */
                assert_int_equal(io_salvage_read(image, BAD, dst, SECTOR, NULL, NULL, &err),
                                 ERR_OK);
                assert_int_equal(io_image_fault_reads(image), reads[i]);
            } else {
                assert_memory_equal(dst, bytes, LEN);
            }
            io_image_close(image);
            io_image_close(inner);
        }
        if (failing == 0 && bad[0] == 1)
            failing = times; /* so many reads of it there are without retries */
        if (bad[0] == 1) {
            assert_int_equal(bad[1], times >= failing + RETRIES);
            assert_int_equal(reads[1] - reads[0],
                             times >= failing + RETRIES ? RETRIES : times - failing + 1);
        } else {
            assert_int_equal(bad[1], 0);
        }
    }
    assert_true(failing > 0 && failing < 30);
    free(bytes);
}

static void runs_and_other_causes(void **state)
{
    uint8_t *bytes = test_bytes(IMAGE_LEN, 4);
    int all[SECTORS], some[SECTORS] = { 0 };

    (void)state;
    for (uint32_t i = 0; i < SECTORS; i++)
        all[i] = EIO;
    for (uint32_t i = 40; i < 60; i++)
        some[i] = i < 50 ? EIO : ENODATA;
    check(all, bytes, 0, IMAGE_LEN, IO_FAULT_FAIL);
    check(all, bytes, 1000, 1, IO_FAULT_FAIL);
    check(some, bytes, 0, IMAGE_LEN, IO_FAULT_FAIL);
    check(some, bytes, 45 * SECTOR + 1, 10 * SECTOR, IO_FAULT_SHORT);
    check(some, bytes, 0, 0, IO_FAULT_FAIL);
    free(bytes);
}

static void random_sectors_and_ranges(void **state)
{
    uint8_t *bytes = test_bytes(IMAGE_LEN, 5);
    uint64_t random = 99;

    (void)state;
    for (int round = 0; round < 300; round++) {
        int cause_of[SECTORS] = { 0 };
        const uint64_t offset = test_random(&random) % IMAGE_LEN;
        const uint64_t density = 2 + test_random(&random) % 60;

        for (uint32_t i = 0; i < SECTORS; i++)
            cause_of[i] = test_random(&random) % density == 0 ? EIO : 0;
        check(cause_of, bytes, offset, (size_t)(test_random(&random) % (IMAGE_LEN - offset + 1)),
              round % 2 == 0 ? IO_FAULT_FAIL : IO_FAULT_SHORT);
    }
    free(bytes);
}

static void one_bad_sector_costs_few_reads(void **state)
{
    static const uint8_t bytes[1 << 20];
    const struct io_fault fault = { 777 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    struct io_image *inner, *image;
    struct err err = { 0 };
    uint8_t *dst = malloc(sizeof bytes);

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    assert_int_equal(io_salvage_read(image, 0, dst, sizeof bytes, NULL, NULL, &err), ERR_OK);
    assert_int_equal(io_image_fault_reads(image),
                     1 + 8 + 8 + 8 + 4); /* 2048, 256 and 32 sectors are cut in eight, and 4 in
                                            single ones; 777 is in no last piece */
    io_image_close(image);
    io_image_close(inner);
    free(dst);
}

static const struct io_image *slow_image;

/* Every read takes 8 seconds. */
static uint64_t slow_clock(void)
{
    return io_image_fault_reads(slow_image) * 8 * UINT64_C(1000000000);
}

/* What has failed by itself is not asked for again, by whoever reads. */
static void what_failed_is_not_asked_for_again(void **state)
{
    const struct io_fault faults[] = { { 30 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 },
                                       { 90 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 } };
    const struct io_fault_script script = { faults, 2, true };
    uint8_t *bytes = test_bytes(IMAGE_LEN, 7), *dst = malloc(IMAGE_LEN);
    struct list first = { .count = 0 }, again = { .count = 0 };
    struct io_image *inner, *image;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, IMAGE_LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    assert_int_equal(io_salvage_read(image, 0, dst, IMAGE_LEN, collect, &first, &err), ERR_OK);
    const uint64_t reads = io_image_fault_reads(image);
    assert_int_equal(io_salvage_read(image, 0, dst, IMAGE_LEN, collect, &again, &err), ERR_OK);
    assert_int_equal(io_image_fault_reads(image), reads + 3); /* before, between and behind */
    assert_int_equal(again.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(first.items[i].offset, faults[i].offset);
        assert_int_equal(again.items[i].offset, faults[i].offset);
        assert_int_equal(again.items[i].len, SECTOR);
        assert_int_equal(again.items[i].cause, EIO);
        assert_int_equal(again.items[i].status, IO_STATUS_BAD);
        memset(bytes + faults[i].offset, 0, SECTOR);
    }
    assert_memory_equal(dst, bytes, IMAGE_LEN);
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

/* Nor by a read that is not cut: one that wants a byte of the page that failed fails at once. */
static void what_failed_uncut_is_not_asked_for_again(void **state)
{
    const struct io_fault fault = { 30 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    static const struct {
        uint32_t sector, count; /* that are read */
        bool fails;
        uint32_t reads;
    } asks[] = { { 27, 4, true, 1 }, { 27, 4, true, 0 },  { 20, 30, true, 0 },
                 { 30, 1, true, 0 }, { 28, 2, false, 1 }, { 31, 9, false, 1 } };
    uint8_t *bytes = test_bytes(IMAGE_LEN, 9), *dst = malloc(IMAGE_LEN);
    struct io_image *inner, *image;
    struct list got = { .count = 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, IMAGE_LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        const uint64_t before = io_image_fault_reads(image);
        const size_t len = (size_t)asks[i].count * SECTOR;

        assert_int_equal(io_image_read_at(image, (uint64_t)asks[i].sector * SECTOR, dst, len, &err),
                         asks[i].fails ? ERR_IO : ERR_OK);
        assert_int_equal(io_image_fault_reads(image) - before, asks[i].reads);
        if (!asks[i].fails)
            assert_memory_equal(dst, bytes + (size_t)asks[i].sector * SECTOR, len);
    }
    /* It is cut all the same by who salvages, and then known by itself. */
    assert_int_equal(io_salvage_read(image, 0, dst, IMAGE_LEN, collect, &got, &err), ERR_OK);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.items[0].offset, 30 * SECTOR);
    assert_int_equal(got.items[0].len, SECTOR);
    const uint64_t before = io_image_fault_reads(image);
    assert_int_equal(io_image_read_at(image, 30 * SECTOR + 7, dst, 1, &err), ERR_IO);
    assert_int_equal(io_image_fault_reads(image), before);
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

/*
 * 20 MiB; of the first window the bytes from 1 MiB to 9 MiB cannot be read, and every read takes 8
 * seconds. After 8 that fail the place is stepped over: 64 KiB are left out and 64 KiB are tried,
 * then 128 KiB, 256, 512 KiB, 1 MiB five times, and 2 MiB, as more than 8 in a row have failed.
 */
static void slow_places_are_stepped_over(void **state)
{
    enum { MIB = 1 << 20, LEN = 20 * MIB };
    const struct io_fault fault = { MIB, 8 * MIB, IO_FAULT_FAIL, EIO, 0, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    uint8_t *bytes = test_bytes(LEN, 8), *dst = malloc(LEN);
    struct list got = { .count = 0 };
    struct io_image *inner, *image;
    struct err err = { 0 };
    uint64_t at = 0, lost = 0;

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    slow_image = image;
    image->places.clock = slow_clock;
    for (uint32_t i = 0; i < LEN / MIB; i++)
        assert_int_equal(io_salvage_read(image, (uint64_t)i * MIB, dst + (size_t)i * MIB, MIB,
                                         collect, &got, &err),
                         ERR_OK);
    /*
     * 1 of the first MiB; 8 that fail; a probe behind each step, of which 9 fit; then what is
     * read of the rest of that MiB, in probes of 64 KiB, and of six in probes as well; and 4 whole
     * ones in the second window.
     */
    assert_in_range(io_image_fault_reads(image), 1 + 8 + 9 + 4, 1 + 8 + 9 + 8 * 16 + 4);
    for (uint32_t i = 0; i < got.count; i++) {
        assert_true(got.items[i].offset >= at);
        at = got.items[i].offset + got.items[i].len;
        assert_true(got.items[i].status == IO_STATUS_BAD ||
                    got.items[i].status == IO_STATUS_UNTRIMMED);
        lost += got.items[i].len;
        memset(bytes + got.items[i].offset, 0, got.items[i].len);
    }
    assert_int_equal(got.items[0].offset, MIB);
    assert_in_range(lost, 8 * MIB, 9 * MIB + (64 << 10)); /* the last step may reach behind */
    assert_memory_equal(dst, bytes, LEN);
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

/*
 * 96 MiB, of which 64 MiB from 8 MiB on cannot be read, and every read takes 8 seconds. Worked out
 * by hand: in the first window 8 reads fail until 60 seconds are spent, and then probes of 64 KiB
 * behind steps of 64, 128, 256, 512 KiB and 1 MiB five times; the ninth that fails makes 2 MiB,
 * which reaches into the second window. There 4, 8 and 8 MiB follow, and so on: of each window that
 * is dead two probes fail, and at 77 MiB one gives its bytes.
 */
static void a_dead_surface_costs_little(void **state)
{
    enum { MIB = 1 << 20, WINDOW = 16 * MIB, LEN = 6 * WINDOW, BEGIN = 8 * MIB, DEAD = 64 * MIB };
    static const uint64_t want[6] = { 8 + 9, 3, 2, 2, 1, 0 }; /* reads that fail, of a window */
    const struct io_fault fault = { BEGIN, DEAD, IO_FAULT_FAIL, EIO, 0, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    uint8_t *bytes = test_bytes(LEN, 8), *dst = malloc(LEN);
    struct list got = { .count = 0 };
    struct io_image *inner, *image;
    struct err err = { 0 };
    uint64_t lost = 0;

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    slow_image = image;
    image->places.clock = slow_clock;
    for (uint32_t window = 0; window < 6; window++) {
        uint64_t failed = 0;

        for (uint64_t at = (uint64_t)window * WINDOW; at < (window + 1ull) * WINDOW; at += MIB) {
            const uint64_t before = io_image_fault_reads(image);
            const bool dead = at >= BEGIN && at < BEGIN + DEAD;

            assert_int_equal(io_salvage_read(image, at, dst + at, MIB, collect, &got, &err),
                             ERR_OK);
            failed += dead ? io_image_fault_reads(image) - before : 0;
        }
        assert_int_equal(failed, want[window]);
    }
    for (uint32_t i = 0; i < got.count; i++) {
        lost += got.items[i].len;
        memset(bytes + got.items[i].offset, 0, got.items[i].len);
    }
    assert_int_equal(got.items[0].offset, BEGIN);
    assert_in_range(lost, DEAD, DEAD + IO_BAD_PLACES_STEP_FAR);
    assert_memory_equal(dst, bytes, LEN);
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

static uint64_t set_ns;

static uint64_t set_clock(void)
{
    return set_ns;
}

/* Threads that wait for a disk at once spend its minute once: 41 s of two reads, and 19 of one. */
static void time_of_reads_at_once_is_counted_once(void **state)
{
    const uint64_t second = UINT64_C(1000000000);
    struct io_bad_places places = { .clock = set_clock };
    uint64_t until;

    (void)state;
    set_ns = 1040 * second;
    io_bad_places_failed(&places, 0, 1000 * second);
    set_ns = 1041 * second;
    io_bad_places_failed(&places, SECTOR, 1000 * second);
    assert_false(io_bad_places_slow(&places, 0, &until));
    set_ns = 1100 * second;
    io_bad_places_failed(&places, 2 * SECTOR, 1082 * second);
    assert_false(io_bad_places_slow(&places, 0, &until));
    set_ns = 1101 * second;
    io_bad_places_failed(&places, 3 * SECTOR, 1099 * second);
    assert_true(io_bad_places_slow(&places, 0, &until));
    io_bad_places_release(&places);
}

/* A drive that needs a second try loses nothing. */
static void a_fault_that_passes_leaves_no_trace(void **state)
{
    uint8_t *bytes = test_bytes(IMAGE_LEN, 6), *dst = malloc(IMAGE_LEN);
    const struct io_fault fault = { 5000, 1, IO_FAULT_FAIL, EIO, 1, 0 };
    const struct io_fault_script script = { &fault, 1, false };
    struct io_image *inner, *image;
    struct list got = { .count = 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, IMAGE_LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    assert_int_equal(io_salvage_read(image, 0, dst, IMAGE_LEN, collect, &got, &err), ERR_OK);
    assert_int_equal(got.count, 0);
    assert_memory_equal(dst, bytes, IMAGE_LEN);
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

/*
 * Sectors 10 to 11 and 50 to 69 were never read, and sector 12 fails now. Nothing is asked of what
 * is known, and of the rest no more than for the one bad sector.
 */
static void what_was_never_read_is_not_asked_for(void **state)
{
    static const struct io_bad_range unread[] = {
        { 10 * SECTOR, 2 * SECTOR, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD },
        { 50 * SECTOR, 20 * SECTOR, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD }
    };
    static const struct io_bad_range want[] = {
        { 10 * SECTOR, 2 * SECTOR, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD },
        { 12 * SECTOR, SECTOR, EIO, IO_BAD_READ, IO_STATUS_BAD },
        { 50 * SECTOR, 20 * SECTOR, 0, IO_BAD_ACQUISITION, IO_STATUS_BAD }
    };
    const struct io_fault faults[] = { { 12 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 0, 0 },
                                       { 50 * SECTOR, 20 * SECTOR, IO_FAULT_FAIL, EIO, 0, 0 } };
    const struct io_fault_script script = { faults, 2, true };
    uint8_t *bytes = test_bytes(IMAGE_LEN, 6), *dst = malloc(IMAGE_LEN);
    struct io_image *inner, *image;
    struct list got = { .count = 0 };
    struct io_span span;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, IMAGE_LEN, &inner, &err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, &err), ERR_OK);
    io_bad_list_add(&image->unread, &unread[0]);
    io_bad_list_add(&image->unread, &unread[1]);
    assert_int_equal(io_salvage_read(image, 0, dst, IMAGE_LEN, collect, &got, &err), ERR_OK);
    assert_int_equal(got.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(got.items[i].offset, want[i].offset);
        assert_int_equal(got.items[i].len, want[i].len);
        assert_int_equal(got.items[i].cause, want[i].cause);
        assert_int_equal(got.items[i].source, want[i].source);
        memset(bytes + want[i].offset, 0, want[i].len);
    }
    assert_memory_equal(dst, bytes, IMAGE_LEN);
    /* Before 10; 12 to 49, of which 38 and then 4 sectors are cut; behind 69. */
    assert_int_equal(io_image_fault_reads(image), 1 + 1 + 8 + 4 + 1);

    /* A read across them fails, and no other way round them leads to the file. */
    assert_int_equal(io_image_read_at(image, 11 * SECTOR, dst, 1, &err), ERR_IO);
    assert_int_equal(io_image_read_at(image, 9 * SECTOR, dst, SECTOR + 1, &err), ERR_IO);
    assert_int_equal(io_image_read_at(image, 9 * SECTOR, dst, SECTOR, &err), ERR_OK);
    assert_int_equal(io_image_read_at(image, 70 * SECTOR, dst, SECTOR, &err), ERR_OK);
    assert_false(io_image_map(image, 0, &span));
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    free(dst);
}

static uint32_t slept[16], slept_count;

static void sleeper(uint32_t seconds)
{
    assert_true(slept_count < sizeof slept / sizeof slept[0]);
    slept[slept_count++] = seconds;
}

/* Reads eight sectors of which the fourth fails, patiently; so many ranges are bad. */
static uint32_t read_patiently(const struct io_fault *fault, enum err_code want, struct err *err)
{
    enum { LEN = 8 * SECTOR };
    uint8_t *bytes = test_bytes(LEN, 6), dst[LEN];
    const struct io_fault_script script = { .faults = fault, .count = 1 };
    struct io_image *inner, *image;
    struct list got = { .count = 0 };

    slept_count = 0;
    assert_int_equal(io_image_open_memory(bytes, LEN, &inner, err), ERR_OK);
    assert_int_equal(io_image_open_fault(inner, &script, &image, err), ERR_OK);
    io_image_be_patient(image);
    image->patience.sleep = sleeper;
    assert_int_equal(io_salvage_read(image, 0, dst, LEN, collect, &got, err), want);
    if (want == ERR_OK) {
        if (got.count > 0)
            memset(bytes + fault->offset, 0, SECTOR);
        assert_memory_equal(dst, bytes, LEN);
    }
    io_image_close(image);
    io_image_close(inner);
    free(bytes);
    return got.count;
}

/* Three pauses, of 1, 5 and 25 seconds, are between the first try and the cutting. */
static void a_hiccup_passes(void **state)
{
    struct io_fault fault = { 3 * SECTOR, SECTOR, IO_FAULT_FAIL, EIO, 1, 0 };
    struct err err = { 0 };

    (void)state;
    for (fault.times = 1; fault.times <= 3; fault.times++) {
        assert_int_equal(read_patiently(&fault, ERR_OK, &err), 0);
        assert_int_equal(slept_count, fault.times);
    }
    fault.times = 0;
    assert_int_equal(read_patiently(&fault, ERR_OK, &err), 1);
    assert_int_equal(slept_count, 3);
    assert_int_equal(slept[0], 1);
    assert_int_equal(slept[1], 5);
    assert_int_equal(slept[2], 25);
}

/* Ten minutes of pauses are 19 times 31 seconds and a rest. */
static void patience_ends(void **state)
{
    struct io_patience patience = { .on = true, .sleep = sleeper };
    uint32_t waited = 0;

    (void)state;
    for (uint32_t place = 0; place < 100; place++) {
        slept_count = 0;
        for (uint32_t i = 0; io_patience_wait(&patience, i);)
            i++;
        for (uint32_t i = 0; i < slept_count; i++)
            waited += slept[i];
    }
    assert_in_range(waited, 600, 600 + 25);
    patience.on = false;
    assert_false(io_patience_wait(&patience, 0));
}

/* What a network says is no bad sector to the patient, and one to who has a disk of its own. */
static void networks_say_nothing_of_the_medium(void **state)
{
    static const int causes[] = { ETIMEDOUT, EREMOTEIO, EHOSTDOWN, ECONNRESET };
    int cause_of[SECTORS] = { 0 };
    uint8_t *bytes = test_bytes(IMAGE_LEN, 3);

    (void)state;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        const struct io_fault fault = { 3 * SECTOR, SECTOR, IO_FAULT_FAIL, causes[i], 0, 0 };
        struct err err = { 0 };

        assert_int_equal(read_patiently(&fault, ERR_ENV, &err), 0);
        assert_non_null(strstr(err.text, strerror(causes[i])));
        assert_int_equal(slept_count, 0);
        cause_of[3] = causes[i];
        check(cause_of, bytes, 0, IMAGE_LEN, IO_FAULT_FAIL);
    }
    free(bytes);
}

static void sources_have_names(void **state)
{
    (void)state;
    assert_string_equal(io_bad_source_name(IO_BAD_READ), "read");
    assert_string_equal(io_bad_source_name(IO_BAD_CHECKSUM), "checksum");
    assert_string_equal(io_bad_source_name(IO_BAD_ACQUISITION), "acquisition");
    assert_string_equal(io_bad_source_name(IO_BAD_LEFT_OUT), "not acquired");
}

/* Ranges in any order, against one flag a byte. */
static void a_settled_list_is_ascending_and_apart(void **state)
{
    enum { SPAN = 300 };
    uint64_t random = 12;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct io_bad_list list = { 0 };
        uint8_t bad[SPAN] = { 0 };
        uint32_t runs = 0;

        for (uint64_t i = test_random(&random) % 20; i-- > 0;) {
            const uint64_t offset = test_random(&random) % (SPAN - 20);
            const struct io_bad_range range = { offset, 1 + test_random(&random) % 20, 0,
                                                IO_BAD_ACQUISITION, IO_STATUS_BAD };

            io_bad_list_add(&list, &range);
            memset(bad + range.offset, 1, range.len);
        }
        io_bad_list_settle(&list);
        for (uint32_t at = 0; at < SPAN; at++) {
            const struct io_bad_range *found = io_bad_list_find(&list, at);

            assert_int_equal(found != NULL && found->offset <= at, bad[at]);
            runs += bad[at] && (at == 0 || !bad[at - 1]);
        }
        assert_int_equal(list.count, runs);
        io_bad_list_release(&list);
    }
}

static void outside_of_the_image_is_the_callers_mistake(void **state)
{
    static const uint8_t bytes[1000];
    struct io_image *image;
    struct err err = { 0 };
    uint8_t dst[8];

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, sizeof bytes, &image, &err), ERR_OK);
    assert_int_equal(io_salvage_read(image, 993, dst, 8, NULL, NULL, &err), ERR_ARG);
    assert_int_equal(io_salvage_read(image, UINT64_MAX - 2, dst, 8, NULL, NULL, &err), ERR_ARG);
    io_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bad_sector_anywhere),
        cmocka_unit_test(what_comes_back_is_no_bad_range),
        cmocka_unit_test(runs_and_other_causes),
        cmocka_unit_test(random_sectors_and_ranges),
        cmocka_unit_test(one_bad_sector_costs_few_reads),
        cmocka_unit_test(what_failed_uncut_is_not_asked_for_again),
        cmocka_unit_test(what_failed_is_not_asked_for_again),
        cmocka_unit_test(slow_places_are_stepped_over),
        cmocka_unit_test(a_dead_surface_costs_little),
        cmocka_unit_test(time_of_reads_at_once_is_counted_once),
        cmocka_unit_test(a_fault_that_passes_leaves_no_trace),
        cmocka_unit_test(what_was_never_read_is_not_asked_for),
        cmocka_unit_test(a_hiccup_passes),
        cmocka_unit_test(patience_ends),
        cmocka_unit_test(networks_say_nothing_of_the_medium),
        cmocka_unit_test(sources_have_names),
        cmocka_unit_test(a_settled_list_is_ascending_and_apart),
        cmocka_unit_test(outside_of_the_image_is_the_callers_mistake),
    };
    return cmocka_run_group_tests_name("io salvage", tests, NULL, NULL);
}
