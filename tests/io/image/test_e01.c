/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_e01.c - E01 images give the bytes that were put in, or say what is bad.
 *
 * Method: ewfacquire writes them in every format that it has. Then they are cut, bits of their
 * sections are changed, and tables are replaced. e01_write.py writes a file of more than 2 GiB,
 * which libewf reads too.
 * Labels: slow
 */
#include <errno.h>
#include <libdeflate.h>

#include "base/bytes.h"
#include "io/image/ewf_segments.h"
#include "tests/asan.h"
#include "tests/io/lib_damage.h"

enum {
    HEAD = IO_EWF_SECTION_LEN,
    TABLE_HEAD = 24, /* bytes of a table in front of its entries */
    AT_SUM = 20,
};

static void acquire(const struct disk *disk, const char *how, const char *name)
{
    char line[256];

    snprintf(line, sizeof line, "-u -q %s -t %s disk.raw", how, name);
    tool(disk, "ewfacquire", line);
}

/* How many files the image has. */
static uint32_t files(const struct disk *disk, const char *name)
{
    char path[256], part[LIMIT_PATH];
    uint32_t count = 0;

    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    while (io_ewf_name(path, count + 1, part) && access(part, F_OK) == 0)
        count++;
    return count;
}

static bool read_by_every_thread(const struct disk *disk, const char *name)
{
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };

    assert_int_equal(open_in(disk, name, &image, &err), ERR_OK);
    const bool mapped = io_image_map(image, 0, &span);
    io_image_close(image);
    return mapped;
}

static void every_format(void **state)
{
    static const char *const formats[] = { "encase2", "encase3", "encase4", "encase5", "encase6",
                                           "encase7", "ftk",     "linen5",  "linen6",  "linen7" };
    static const char *const packing[] = { "none", "fast", "best" };
    const struct disk *disk = *state;
    /* Each format is packed in one way or in all. */
    const uint32_t ways = FEW_OR_ALL(1, 1, 3);
    char how[64], name[64];

    for (uint32_t i = 0; i < 3 * sizeof formats / sizeof formats[0]; i++) {
        if (ways == 1 && i % 3 != i / 3 % 3)
            continue;
        snprintf(how, sizeof how, "-f %s -c %s -S 1572864", formats[i / 3], packing[i % 3]);
        snprintf(name, sizeof name, "%s-%s", formats[i / 3], packing[i % 3]);
        acquire(disk, how, name);
        strcat(name, ".E01");
        assert_true(files(disk, name) > 1);
        same_bytes(disk, name, "E01", files(disk, name));
        assert_true(read_by_every_thread(disk, name));
    }
    /* Chunks in another place: libewf's, one thread at a time. */
    acquire(disk, "-f encase1 -S 1572864", "first");
    same_bytes(disk, "first.E01", "E01", files(disk, "first.E01"));
    same_bytes(disk, "first.E02", "E01", files(disk, "first.E01"));
    assert_false(read_by_every_thread(disk, "first.E01"));
}

static void lower_case_other_chunks_and_sizes(void **state)
{
    const struct disk *disk = *state;

    acquire(disk, "-c none -S 1048576", "set");
    shell(disk, "for n in 1 2 3 4; do mv set.E0$n low.e0$n; done");
    same_bytes(disk, "low.e01", "E01", 4);
    same_bytes(disk, "low.e04", "E01", 4);
    acquire(disk, "-c fast -b 1024", "wide"); /* sectors of a chunk */
    same_bytes(disk, "wide.E01", "E01", 1);
    acquire(disk, "-c none -b 1024", "wide0");
    same_bytes(disk, "wide0.E01", "E01", 1);
    acquire(disk, "-c best -b 16", "fine");
    same_bytes(disk, "fine.E01", "E01", 1);
    shell(disk, "cp wide.E01 wide.bin"); /* its name is of no matter where it is alone */
    same_bytes(disk, "wide.bin", "E01", 1);
}

static void names_of_files(void **state)
{
    static const struct {
        const char *path;
        uint32_t number;
        const char *name; /* NULL: there is none */
    } rows[] = {
        { "/a.E01", 99, "/a.E99" },        { "/a.E01", 100, "/a.EAA" }, { "/a.E01", 125, "/a.EAZ" },
        { "/a.E01", 126, "/a.EBA" },       { "/a.E01", 775, "/a.EZZ" }, { "/a.E07", 776, "/a.FAA" },
        { "/a.E01", 14971, "/a.ZZZ" },     { "/a.E01", 14972, NULL },   { "/a.e01", 100, "/a.eaa" },
        { "/a.faa", 1, "/a.e01" },         { "/a.EAA", 2, "/a.E02" },   { "/a.s01", 3, "/a.s03" },
        { "/a.raw.E01", 1, "/a.raw.E01" }, { "/a.1", 2, NULL },         { "/E01", 2, NULL },
        { "/b.c/E01", 2, NULL },
    };
    char name[LIMIT_PATH];

    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool right = io_ewf_name(rows[i].path, rows[i].number, name);

        if (right != (rows[i].name != NULL) || (right && strcmp(name, rows[i].name) != 0))
            fail_msg("%s, %u: %s", rows[i].path, rows[i].number, name);
    }
}

/* Place of the head of the nth section of a type, from 0. */
static size_t section(const struct damaged *d, const char *type, uint32_t nth)
{
    size_t at = IO_EWF_HEADER_LEN;

    for (;;) {
        const size_t next = (size_t)bytes_u64le(d->bytes + at + 16);

        if (strcmp((const char *)d->bytes + at, type) == 0 && nth-- == 0)
            return at;
        assert_true(next > at && next < d->len);
        at = next;
    }
}

static void flip_section(struct damaged *d, const char *type, size_t len)
{
    damaged_flip_some(d, section(d, type, 0), len, DAMAGE_SHARE);
}

static void a_changed_bit_is_found_out(void **state)
{
    const uint32_t bits = 8 / DAMAGE_SHARE; /* of each byte */
    const struct disk *disk = *state;
    struct damaged d;

    for (uint32_t packed = 0; packed < 2; packed++) {
        acquire(disk, packed ? "-c best" : "-c none", "one");
        damaged_begin(&d, disk, "one.E01", "ewf");
        damaged_flip(&d, 8, 5);
        flip_section(&d, "volume", HEAD + 100);
        flip_section(&d, "sectors", HEAD + 64);
        flip_section(&d, "table", HEAD + TABLE_HEAD + 40);
        flip_section(&d, "table2", HEAD + TABLE_HEAD + 40);
        flip_section(&d, "done", HEAD);
        assert_int_equal(d.counts[DAMAGE_SILENT], 0);
        assert_in_range(d.counts[DAMAGE_REFUSED], 5 * bits * HEAD,
                        5 * bits * HEAD + bits * 100 + 40);
        /* The chunk; a table has its copy. */
        assert_in_range(d.counts[DAMAGE_TOLD], bits * 50, bits * 65);
        damaged_end(&d);
        shell(disk, "rm one.E01");
    }
}

static void what_a_cut_one_lacks_is_told(void **state)
{
    const struct disk *disk = *state;
    struct damaged d;

    acquire(disk, "-c fast", "one");
    damaged_begin(&d, disk, "one.E01", "ewf");
    damaged_cut(&d, 40000);
    assert_int_equal(d.counts[DAMAGE_REFUSED], d.counts[DAMAGE_NONE] + d.counts[DAMAGE_REFUSED]);
    assert_int_equal(d.counts[DAMAGE_NONE], 0);
    damaged_end(&d);
}

static void put_u32le(const struct damaged *d, size_t at, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                               (uint8_t)(value >> 24) };

    damaged_put(d, at, bytes, 4);
}

/* Changes an entry of a table, and its checksum with it: `right` or not. */
static void change_entry(const struct damaged *d, const char *type, uint32_t entry, uint32_t to,
                         bool right)
{
    const size_t at = section(d, type, 0) + HEAD;
    const size_t len = (size_t)bytes_u32le(d->bytes + at) * 4;
    uint8_t *entries = malloc(len);
    uint8_t value[4] = { (uint8_t)to, (uint8_t)(to >> 8), (uint8_t)(to >> 16),
                         (uint8_t)(to >> 24) };

    memcpy(entries, d->bytes + at + TABLE_HEAD, len);
    memcpy(entries + (size_t)entry * 4, value, 4);
    damaged_put(d, at + TABLE_HEAD, entries, len);
    if (right)
        put_u32le(d, at + TABLE_HEAD + len, libdeflate_adler32(1, entries, len));
    free(entries);
}

static uint32_t entry_of(const struct damaged *d, uint32_t entry)
{
    return bytes_u32le(d->bytes + section(d, "table", 0) + HEAD + TABLE_HEAD + (size_t)entry * 4);
}

static void note(void *arg, const struct io_bad_range *range)
{
    struct io_bad_range *bad = arg;

    assert_int_equal(bad->len, 0);
    *bad = *range;
}

/* Reads the damaged file; the one bad range that it has, and what is said of it. */
static struct io_bad_range bad_of(const struct damaged *d, char trouble[256])
{
    struct io_bad_range bad = { 0 };
    struct io_image *image;
    struct err err = { 0 };

    if (io_image_open(d->path, NULL, &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    snprintf(trouble, 256, "%s", io_image_trouble(image));
    assert_int_equal(io_salvage_read(image, 0, d->got, DISK_LEN, note, &bad, &err), ERR_OK);
    memcpy(d->got + bad.offset, d->disk->bytes + bad.offset, bad.len);
    assert_memory_equal(d->got, d->disk->bytes, DISK_LEN);
    io_image_close(image);
    return bad;
}

static void a_damaged_table_is_replaced_by_its_copy(void **state)
{
    const struct disk *disk = *state;
    struct io_bad_range bad;
    struct damaged d;
    char trouble[256];

    acquire(disk, "-c none", "one");
    damaged_begin(&d, disk, "one.E01", "ewf");
    assert_int_equal(bad_of(&d, trouble).len, 0);
    assert_string_equal(trouble, "");
    change_entry(&d, "table", 5, entry_of(&d, 9), false);
    assert_int_equal(bad_of(&d, trouble).len, 0);
    assert_non_null(strstr(trouble, "1 tables"));
    assert_non_null(strstr(trouble, "copies are sound"));
    /* Neither is sound: all of its chunks are bad, and none is another's. */
    change_entry(&d, "table2", 7, entry_of(&d, 9), false);
    bad = bad_of(&d, trouble);
    assert_int_equal(bad.offset, 0);
    assert_int_equal(bad.len, DISK_LEN);
    assert_int_equal(bad.source, IO_BAD_CHECKSUM);
    assert_string_equal(trouble, "");
    /* Not even how many there are. */
    damaged_put(&d, section(&d, "table", 0) + HEAD, (const uint8_t *)"\xff", 1);
    assert_int_equal(bad_of(&d, trouble).len, DISK_LEN);
    damaged_put(&d, section(&d, "table2", 0) + HEAD, (const uint8_t *)"\xff", 1);
    shell(disk, "mv damaged-one.E01 both.E01");
    refused(disk, "both.E01", "and its copy are damaged");
    damaged_end(&d);
}

/* Both checksums are right; the chunk is found by the table that says where it is. */
static void two_tables_that_differ(void **state)
{
    const struct disk *disk = *state;
    struct io_bad_range bad;
    struct damaged d;
    char trouble[256];

    acquire(disk, "-c none", "one");
    damaged_begin(&d, disk, "one.E01", "ewf");
    change_entry(&d, "table", 5, entry_of(&d, 5) + 100, true);
    bad = bad_of(&d, trouble); /* chunk 4 ends where chunk 5 begins, but its checksum is in place */
    assert_int_equal(bad.len, 0);
    change_entry(&d, "table2", 5, entry_of(&d, 5) + 200, true);
    bad = bad_of(&d, trouble);
    assert_int_equal(bad.offset, 5 * CHUNK_LEN);
    assert_int_equal(bad.len, CHUNK_LEN);
    assert_int_equal(bad.source, IO_BAD_CHECKSUM);
    damaged_end(&d);
}

static void a_bad_chunk_in_a_long_read_costs_no_other(void **state)
{
    const struct disk *disk = *state;
    struct io_bad_range bad;
    struct damaged d;
    char trouble[256];

    acquire(disk, "-c best", "one");
    damaged_begin(&d, disk, "one.E01", "ewf");
    const uint64_t base = bytes_u64le(d.bytes + section(&d, "table", 0) + HEAD + 8);
    damaged_put(&d, (size_t)base + (entry_of(&d, 70) & 0x7fffffff) + 1000, (const uint8_t *)"burin",
                5);
    bad = bad_of(&d, trouble);
    assert_int_equal(bad.offset, 70 * CHUNK_LEN);
    assert_int_equal(bad.len, CHUNK_LEN);
    assert_int_equal(bad.source, IO_BAD_CHECKSUM);
    assert_int_equal(bad.cause, EIO);
    damaged_end(&d);
}

static void parts_of_another_image(void **state)
{
    enum { AT_SET = 64, VOLUME_SUM = 1048 };
    const struct disk *disk = *state;
    uint8_t volume[VOLUME_SUM];
    struct damaged d;

    acquire(disk, "-c none -f encase6 -S 1048576", "set");
    damaged_begin(&d, disk, "set.E02", "ewf");
    const size_t at = section(&d, "data", 0) + HEAD;
    memcpy(volume, d.bytes + at, sizeof volume);
    volume[AT_SET]++;
    damaged_put(&d, at, volume, sizeof volume);
    put_u32le(&d, at + VOLUME_SUM, libdeflate_adler32(1, volume, sizeof volume));
    shell(disk, "cp set.E02 kept; mv damaged-set.E02 set.E02");
    refused(disk, "set.E01", "/set.E02: this part is of another E01 image");
    shell(disk, "cp kept set.E02; cp set.E04 set.E05");
    refused(disk, "set.E01", "/set.E05: the E01 image ends in the part before this one");
    shell(disk, "rm set.E05; cp set.E01 set.E02");
    refused(disk, "set.E01", "/set.E02: says that it is part 1");
    damaged_end(&d);
}

static const struct io_container *libewf(void)
{
    uint32_t count;
    const struct io_container *table = io_container_table(&count);

    for (uint32_t i = 0; i < count; i++)
        if (table[i].open == io_image_ewf_open)
            return &table[i];
    return NULL;
}

static void a_file_of_more_than_two_gibibytes(void **state)
{
    enum { CHUNK = 16 << 20, CHUNKS = 192, STORED = 100, MIDDLE = 128, TRY = 4096 };
    const struct disk *disk = *state;
    struct io_image *images[2] = { NULL, NULL };
    uint8_t got[2][2 * TRY];
    struct err err = { 0 };
    char path[256], line[512], root[256];

    assert_non_null(getcwd(root, sizeof root));
    snprintf(line, sizeof line, "python3 '%s/tests/io/e01_write.py' big.E01", root);
    shell(disk, line);
    snprintf(path, sizeof path, "%s/big.E01", disk->folder);
    if (open_in(disk, "big.E01", &images[0], &err) != ERR_OK ||
        libewf()->open(libewf(), path, &images[1], &err) != ERR_OK)
        fail_msg("%s", err.text);
    assert_true(io_image_map(images[0], 0, &(struct io_span){ 0 }));
    assert_int_equal(io_image_size(images[0]), (uint64_t)CHUNKS * CHUNK);
    /* Each read unpacks two chunks: all those around the first that is stored and around 2 GiB, and
     * some of the others. */
    for (uint64_t n = 1; n < CHUNKS;
         n += (n >= STORED - 3 && n < STORED + 2) || (n >= MIDDLE - 2 && n < MIDDLE + 4)
                  ? 1
                  : FEW_OR_ALL(64, 16, 4)) {
        for (uint32_t i = 0; i < 2; i++)
            if (io_image_read_at(images[i], n * CHUNK - TRY, got[i], sizeof got[i], &err) != ERR_OK)
                fail_msg("%u, chunk %d: %s", i, (int)n, err.text);
        assert_memory_equal(got[0], got[1], sizeof got[0]);
        assert_int_equal(got[0][TRY - 1], n);
        assert_int_equal(got[0][TRY], n + 1);
    }
    io_image_close(images[0]);
    io_image_close(images[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_format, make, clean),
        cmocka_unit_test_setup_teardown(lower_case_other_chunks_and_sizes, make, clean),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test_setup_teardown(a_changed_bit_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(what_a_cut_one_lacks_is_told, make, clean),
        cmocka_unit_test_setup_teardown(a_damaged_table_is_replaced_by_its_copy, make, clean),
        cmocka_unit_test_setup_teardown(two_tables_that_differ, make, clean),
        cmocka_unit_test_setup_teardown(a_bad_chunk_in_a_long_read_costs_no_other, make, clean),
        cmocka_unit_test_setup_teardown(parts_of_another_image, make, clean),
        cmocka_unit_test_setup_teardown(a_file_of_more_than_two_gibibytes, make, clean),
    };
    return cmocka_run_group_tests_name("io E01", tests, NULL, NULL);
}
