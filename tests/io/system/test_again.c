/* SPDX-License-Identifier: Apache-2.0
 * tests/io/system/test_again.c - a bad sector costs a sector, where the page cache would give up a
 * page for it.
 *
 * Method: the linker puts functions of this file in the place of pread, open, statx and
 * posix_fadvise (--wrap), which answer for a disk with bad sectors. As the kernel does, they fail a
 * read with O_DIRECT that is not aligned, or that touches a bad sector; and a read through the page
 * cache when the page of a bad sector comes first, else it ends in front of that page.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "tests/io/lib_io.h"

#include "io/image/image_impl.h"

#include "io/reader/reader_impl.h"

enum {
    SECTOR = 512,
    PAGE = 4096,
    FILE_LEN = (1 << 20) - 100,
    SECTORS = FILE_LEN / SECTOR + 1,
    LIST_MAX = SECTORS
};

/* One disk at a time: the wrapped calls have no other way to know it. */
static struct world {
    ino_t inode; /* of the file that plays the disk; 0: no file does */
    const uint8_t *bytes;
    uint64_t size;
    uint8_t bad[SECTORS];
    uint32_t align;   /* what O_DIRECT asks for */
    uint32_t told;    /* what statx says of that; 0: nothing */
    bool refuse_open; /* O_DIRECT */
    uint64_t gone;    /* offset from which on the device was taken away; UINT64_MAX: none */
    uint32_t direct, cached, refused;
    uint32_t random; /* descriptors that were told not to read ahead */
} world;

ssize_t __real_pread64(int fd, void *dst, size_t len, off_t offset);
ssize_t __wrap_pread64(int fd, void *dst, size_t len, off_t offset);
/* What the compiler makes of them with FORTIFY_SOURCE. */
ssize_t __wrap___pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room);
int __wrap___open64_2(const char *path, int flags);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __real_statx(int fd, const char *path, int flags, unsigned mask, struct statx *about);
int __wrap_statx(int fd, const char *path, int flags, unsigned mask, struct statx *about);
int __real_posix_fadvise64(int fd, off_t offset, off_t len, int advice);
int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice);

static bool touches_bad(uint64_t offset, uint64_t end)
{
    for (uint64_t s = offset / SECTOR; s * SECTOR < end && s < SECTORS; s++)
        if (world.bad[s])
            return true;
    return false;
}

static ssize_t world_read_direct(uint8_t *dst, size_t len, uint64_t offset)
{
    const uint64_t left = offset < world.size ? world.size - offset : 0;

    if ((uintptr_t)dst % SECTOR != 0 || len % world.align != 0 || offset % world.align != 0) {
        world.refused++;
        return -EINVAL;
    }
    world.direct++;
    if (offset + len > world.gone)
        return -ENODEV;
    if (touches_bad(offset, offset + len))
        return -EIO;
    memcpy(dst, world.bytes + offset, len < left ? len : left);
    return (ssize_t)(len < left ? len : left);
}

static ssize_t world_read_cached(uint8_t *dst, size_t len, uint64_t offset)
{
    const uint64_t left = offset < world.size ? world.size - offset : 0;
    const uint64_t end = offset + (len < left ? len : left);
    uint64_t at = offset;

    world.cached++;
    if (end > world.gone)
        return -ENODEV;
    while (at < end && !touches_bad(at / PAGE * PAGE, at / PAGE * PAGE + PAGE))
        at = at / PAGE * PAGE + PAGE;
    if (at >= end)
        at = end;
    if (at == offset && at < end)
        return -EIO;
    memcpy(dst, world.bytes + offset, at - offset);
    return (ssize_t)(at - offset);
}

static bool is_disk(int fd)
{
    struct stat st;

    return world.inode != 0 && fstat(fd, &st) == 0 && st.st_ino == world.inode;
}

ssize_t __wrap_pread64(int fd, void *dst, size_t len, off_t offset)
{
    if (!is_disk(fd))
        return __real_pread64(fd, dst, len, offset);
    const ssize_t got = (fcntl(fd, F_GETFL) & O_DIRECT) != 0
                            ? world_read_direct(dst, len, (uint64_t)offset)
                            : world_read_cached(dst, len, (uint64_t)offset);
    errno = got < 0 ? (int)-got : errno;
    return got < 0 ? -1 : got;
}

ssize_t __wrap___pread64_chk(int fd, void *dst, size_t len, off_t offset, size_t room)
{
    assert_true(len <= room);
    return __wrap_pread64(fd, dst, len, offset);
}

int __wrap___open64_2(const char *path, int flags)
{
    return __wrap_open64(path, flags);
}

int __wrap_open64(const char *path, int flags, ...)
{
    va_list rest;

    if (world.refuse_open && (flags & O_DIRECT) != 0) {
        errno = EINVAL;
        return -1;
    }
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return __real_open64(path, flags, mode);
}

int __wrap_statx(int fd, const char *path, int flags, unsigned mask, struct statx *about)
{
    const int result = __real_statx(fd, path, flags, mask, about);

    about->stx_mask &= ~STATX_DIOALIGN;
    if (world.told != 0) {
        about->stx_mask |= STATX_DIOALIGN;
        about->stx_dio_offset_align = world.told;
        about->stx_dio_mem_align = SECTOR;
    }
    return result;
}

int __wrap_posix_fadvise64(int fd, off_t offset, off_t len, int advice)
{
    world.random += advice == POSIX_FADV_RANDOM;
    return __real_posix_fadvise64(fd, offset, len, advice);
}

struct disk {
    char folder[64];
    uint8_t *bytes;
    struct io_image *image;
};

static void set_up(struct disk *disk)
{
    char path[96];
    struct stat st;
    struct err err = { 0 };

    disk->bytes = test_bytes(FILE_LEN, 21);
    test_make_folder(disk->folder);
    snprintf(path, sizeof path, "%s/image", disk->folder);
    test_write_file(path, disk->bytes, FILE_LEN);
    assert_int_equal(stat(path, &st), 0);
    world = (struct world){
        .bytes = disk->bytes, .size = FILE_LEN, .align = SECTOR, .gone = UINT64_MAX
    };
    const int direct = __real_open64(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (direct < 0) {
        test_remove_folder(disk->folder);
        free(disk->bytes);
        print_message("the file system of /tmp takes no O_DIRECT\n");
        skip();
    }
    close(direct);
    assert_int_equal(io_image_open(path, NULL, &disk->image, &err), ERR_OK);
    world.inode = st.st_ino;
}

static void tear_down(struct disk *disk)
{
    world.inode = 0;
    io_image_close(disk->image);
    test_remove_folder(disk->folder);
    free(disk->bytes);
}

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

/*
 * Salvages [offset, offset + len): what is bad must be the units of the file that a bad sector lies
 * in, and no more.
 */
static void salvaged(const struct disk *disk, uint64_t offset, size_t len, uint32_t unit)
{
    static struct list list;
    uint8_t *got = malloc(len + 1);
    struct err err = { 0 };
    uint32_t i = 0;

    list.count = 0;
    io_bad_places_release(&disk->image->places); /* in this world bad sectors become good */
    disk->image->places = (struct io_bad_places){ 0 };
    assert_int_equal(io_salvage_read(disk->image, offset, got, len, collect, &list, &err), ERR_OK);
    for (uint64_t at = offset; at < offset + len; at++) {
        const uint64_t start = at / unit * unit;
        const bool bad = touches_bad(start, start + unit);

        while (i < list.count && list.items[i].offset + list.items[i].len <= at)
            i++;
        if (bad != (i < list.count && list.items[i].offset <= at) ||
            got[at - offset] != (bad ? 0 : disk->bytes[at]))
            fail_msg("byte %llu of %llu+%zu", (unsigned long long)at, (unsigned long long)offset,
                     len);
    }
    for (i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i].cause, EIO);
        assert_int_equal(list.items[i].source, IO_BAD_READ);
    }
    free(got);
}

static void a_bad_sector_costs_a_sector(void **state)
{
    static const uint32_t places[] = { 0, 1, 7, 8, 1000, SECTORS - 2, SECTORS - 1 };
    struct disk disk;

    (void)state;
    set_up(&disk);
    world.told = SECTOR;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        memset(world.bad, 0, sizeof world.bad);
        world.bad[places[i]] = 1;
        salvaged(&disk, 0, FILE_LEN, SECTOR);
    }
    assert_int_equal(world.refused, 0);
    tear_down(&disk);
}

/*
 * One read through the page cache finds the bad sector; all that follow go around it and halve
 * 2,048 sectors.
 */
static void it_costs_few_reads(void **state)
{
    struct disk disk;

    (void)state;
    set_up(&disk);
    world.told = SECTOR;
    world.bad[777] = 1;
    world.cached = world.random = 0;
    salvaged(&disk, 0, FILE_LEN, SECTOR);
    assert_int_equal(world.cached, 2); /* up to the page of sector 777, and that page */
    /*
     * A read of 1 MiB is 8 reads of the bounce buffer; its halves 4, 2, 1; those that fail stop at
     * sector 777.
     */
    assert_in_range(world.direct, 2 * 11 + 1, 2 * 11 + 1 + 24);
    assert_int_equal(world.random, 1);
    tear_down(&disk);
}

static void where_o_direct_asks_for_more(void **state)
{
    struct disk disk;

    (void)state;
    set_up(&disk);
    world.told = world.align = PAGE;
    world.bad[100] = world.bad[101] = world.bad[300] = 1;
    salvaged(&disk, 0, FILE_LEN, PAGE);
    assert_int_equal(world.refused, 0);
    tear_down(&disk);

    set_up(&disk); /* and the system does not say so */
    world.align = PAGE;
    world.bad[100] = world.bad[101] = world.bad[300] = 1;
    salvaged(&disk, 50 * SECTOR + 7, 300 * SECTOR, PAGE);
    assert_true(world.refused > 0);
    tear_down(&disk);
}

static void where_the_system_does_not_say_a_sector_is_tried(void **state)
{
    struct disk disk;

    (void)state;
    set_up(&disk);
    world.bad[100] = 1;
    salvaged(&disk, 0, FILE_LEN, SECTOR);
    assert_int_equal(world.refused, 0);
    tear_down(&disk);
}

/* Then the page cache is what there is; but what is ahead of a bad sector is not read unasked. */
static void where_o_direct_is_refused(void **state)
{
    struct disk disk;

    (void)state;
    set_up(&disk);
    world.refuse_open = true;
    world.bad[100] = world.bad[2000] = 1;
    world.random = 0; /* the image was opened with the same advice */
    salvaged(&disk, 0, FILE_LEN, PAGE);
    assert_int_equal(world.direct, 0);
    assert_int_equal(world.random, 1);
    tear_down(&disk);

    set_up(&disk); /* at the first read only, as some file systems do */
    world.align = 1 << 30;
    world.bad[100] = world.bad[2000] = 1;
    salvaged(&disk, 0, FILE_LEN, PAGE);
    assert_int_equal(world.direct, 0);
    tear_down(&disk);
}

static void any_sectors_and_any_range(void **state)
{
    static const uint32_t told[] = { 0, SECTOR, PAGE };
    uint64_t random = 77;
    struct disk disk;

    (void)state;
    for (int round = 0; round < 60; round++) {
        const uint64_t offset = test_random(&random) % FILE_LEN,
                       density = 2 + test_random(&random) % 300;

        set_up(&disk);
        world.told = told[round % 3];
        world.align = world.told == 0 ? SECTOR : world.told;
        for (uint32_t i = 0; i < SECTORS; i++)
            world.bad[i] = test_random(&random) % density == 0;
        salvaged(&disk, offset, (size_t)(test_random(&random) % (FILE_LEN - offset + 1)),
                 world.align);
        tear_down(&disk);
    }
}

/* Parts of 1,000 bytes: their sectors begin at odd places of the image. */
static void in_the_parts_of_a_split_image(void **state)
{
    enum { PART = 1000, PARTS = 4 };
    static struct list list;
    uint8_t *bytes = test_bytes((size_t)PART * PARTS, 5), got[PART * PARTS];
    char folder[64], path[96];
    struct io_image *image;
    struct stat st;
    struct err err = { 0 };

    (void)state;
    test_make_folder(folder);
    for (int i = PARTS; i > 0; i--) {
        snprintf(path, sizeof path, "%s/disk.%03d", folder, i);
        test_write_file(path, bytes + (size_t)(i - 1) * PART, PART);
    }
    assert_int_equal(io_image_open(path, NULL, &image, &err), ERR_OK);
    snprintf(path, sizeof path, "%s/disk.003", folder);
    assert_int_equal(stat(path, &st), 0);
    world = (struct world){ .inode = st.st_ino,
                            .bytes = bytes + (size_t)2 * PART,
                            .size = PART,
                            .align = SECTOR,
                            .told = SECTOR,
                            .gone = UINT64_MAX };
    world.bad[1] = 1;
    list.count = 0;
    assert_int_equal(io_salvage_read(image, 0, got, sizeof got, collect, &list, &err), ERR_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].offset, 2 * PART + SECTOR);
    assert_int_equal(list.items[0].len, PART - SECTOR);
    memset(bytes + 2 * PART + SECTOR, 0, PART - SECTOR);
    assert_memory_equal(got, bytes, sizeof got);
    world.inode = 0;
    io_image_close(image);
    test_remove_folder(folder);
    free(bytes);
}

/* The backends' system calls, which answer for the same disk. */
enum { HELD_MAX = 64 };

static struct iocb *held[HELD_MAX];
static long held_count;

static ssize_t world_pread(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    (void)arg, (void)fd;
    return world_read_cached(dst, len, offset);
}

static ssize_t world_pread_cached(void *arg, int fd, uint8_t *dst, size_t len, uint64_t offset)
{
    (void)arg, (void)fd, (void)dst, (void)len, (void)offset;
    return -EAGAIN;
}

static int world_submit(void *arg, io_context_t context, long count, struct iocb **requests)
{
    (void)arg, (void)context;
    for (long i = 0; i < count; i++) {
        assert_true(held_count < HELD_MAX);
        held[held_count++] = requests[i];
    }
    return (int)count;
}

static int world_getevents(void *arg, io_context_t context, long min, long max,
                           struct io_event *events)
{
    const long most = held_count < max ? held_count : max;

    (void)arg, (void)context, (void)min;
    for (long i = 0; i < most; i++) {
        struct iocb *iocb = held[--held_count];

        events[i] = (struct io_event){ .data = iocb->data, .obj = iocb };
        events[i].res = (unsigned long)world_read_direct(iocb->u.c.buf, iocb->u.c.nbytes,
                                                         (uint64_t)iocb->u.c.offset);
    }
    return (int)most;
}

static const struct io_sys world_sys = { NULL, world_pread, world_pread_cached, world_submit,
                                         world_getevents };

/* Reads the image as a stream; returns what ended it. */
static enum err_code stream(const struct disk *disk, const char *backend, struct list *list,
                            uint64_t *at)
{
    enum { SEGMENT = 65536, DEPTH = 4 };
    const struct io_reader_options options = { .segment_len = SEGMENT,
                                               .depth = DEPTH,
                                               .backend = backend };
    uint8_t *buffers = aligned_alloc(IO_BUFFER_ALIGN, (size_t)DEPTH * SEGMENT);
    const struct io_bad_range *bad;
    struct io_reader *reader;
    struct io_segment segment = { .len = 1 };
    struct err err = { 0 };
    enum err_code rc = ERR_OK;
    uint32_t count;
    bool lent;

    held_count = 0;
    list->count = 0;
    *at = 0;
    assert_int_equal(io_reader_open_sys(disk->image, &options, &world_sys, &reader, &err), ERR_OK);
    for (size_t i = 0; i < DEPTH; i++)
        assert_int_equal(io_reader_lend(reader, buffers + i * SEGMENT, NULL, &lent, &err), ERR_OK);
    while ((rc = io_reader_next(reader, &segment, &err)) == ERR_OK && segment.len > 0) {
        for (uint32_t i = 0; i < segment.len; i++)
            assert_int_equal(segment.bytes[i],
                             world.bad[(*at + i) / SECTOR] ? 0 : disk->bytes[*at + i]);
        *at += segment.len;
        assert_int_equal(io_reader_lend(reader, segment.bytes, NULL, &lent, &err), ERR_OK);
    }
    if (rc != ERR_OK)
        assert_non_null(strstr(err.text, "cannot be read any more"));
    io_reader_bad_ranges(reader, &bad, &count);
    for (uint32_t i = 0; i < count; i++)
        collect(list, &bad[i]);
    io_reader_close(reader);
    free(buffers);
    return rc;
}

static void every_backend_loses_the_same_sectors(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    static struct list list;
    struct disk disk;
    uint64_t at;

    (void)state;
    set_up(&disk);
    world.told = SECTOR;
    world.bad[0] = world.bad[901] = world.bad[902] = world.bad[SECTORS - 1] = 1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stream(&disk, backends[i], &list, &at), ERR_OK);
        assert_int_equal(at, FILE_LEN);
        assert_int_equal(list.count, 3);
        assert_int_equal(list.items[0].offset, 0);
        assert_int_equal(list.items[0].len, SECTOR);
        assert_int_equal(list.items[1].offset, 901 * SECTOR);
        assert_int_equal(list.items[1].len, 2 * SECTOR);
        assert_int_equal(list.items[2].offset, (SECTORS - 1) * SECTOR);
        assert_int_equal(list.items[2].len, FILE_LEN % SECTOR);
    }
    tear_down(&disk);
}

/* What was read before is handed out, and the rest is no list of bad sectors. */
static void a_device_that_is_taken_away_ends_the_stream(void **state)
{
    static const char *const backends[] = { "aio", "cache", "pread" };
    static struct list list;
    static uint8_t got[FILE_LEN];
    struct disk disk;
    struct err err = { 0 };
    uint64_t at;

    (void)state;
    set_up(&disk);
    world.told = SECTOR;
    world.gone = 10 * 65536 + 5;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stream(&disk, backends[i], &list, &at), ERR_ENV);
        assert_int_equal(at, 10 * 65536);
        assert_int_equal(list.count, 0);
    }
    assert_int_equal(io_salvage_read(disk.image, 0, got, FILE_LEN, collect, &list, &err), ERR_ENV);
    assert_int_equal(io_image_read_at(disk.image, 0, got, FILE_LEN, &err), ERR_ENV);
    assert_int_equal(io_image_read_at(disk.image, 0, got, PAGE, &err), ERR_OK);
    assert_int_equal(list.count, 0);
    tear_down(&disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_sector_costs_a_sector),
        cmocka_unit_test(it_costs_few_reads),
        cmocka_unit_test(where_o_direct_asks_for_more),
        cmocka_unit_test(where_the_system_does_not_say_a_sector_is_tried),
        cmocka_unit_test(where_o_direct_is_refused),
        cmocka_unit_test(any_sectors_and_any_range),
        cmocka_unit_test(in_the_parts_of_a_split_image),
        cmocka_unit_test(every_backend_loses_the_same_sectors),
        cmocka_unit_test(a_device_that_is_taken_away_ends_the_stream),
    };
    return cmocka_run_group_tests_name("io reading again", tests, NULL, NULL);
}
