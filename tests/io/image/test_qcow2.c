/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_qcow2.c - QEMU disks give the bytes that were put in, or an error.
 *
 * Method: qemu-img writes them, in every way of packing and with files below. Then they are cut,
 * and the bits of headers and tables are changed. Offsets are those of QEMU's
 * docs/interop/qcow2.txt. Labels: slow
 */
#include "base/bytes.h"
#include "base/thread.h"
#include "tests/io/lib_damage.h"

enum { L1_AT = 40, CLUSTER = 65536, READERS = 4 };

static void qcow2(void **state)
{
    static const char *const ways[] = {
        "",
        "-c",
        "-c -o compression_type=zstd",
        "-o cluster_size=512",
        "-c -o cluster_size=512",
        "-c -o cluster_size=2M",
        "-c -o cluster_size=2M,compression_type=zstd",
        "-o compat=0.10",
        "-c -o compat=0.10,cluster_size=4k",
        "-o preallocation=metadata",
        "-o lazy_refcounts=on",
    };
    char line[200];

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        snprintf(line, sizeof line, "convert -f raw -O qcow2 %s disk.raw disk.qcow2", ways[i]);
        tool(*state, "qemu-img", line);
        same_bytes(*state, "disk.qcow2", "QCOW2", 1);
    }
}

/* The last cluster is not whole, packed or not. */
static void a_disk_may_end_inside_a_cluster(void **state)
{
    const struct disk *disk = *state;
    const uint64_t len = DISK_LEN - 3 * CLUSTER + 1536;
    uint8_t *got = malloc(DISK_LEN);
    struct io_image *image;
    struct err err = { 0 };

    shell(disk, "truncate -s 2950656 disk.raw");
    assert_int_equal(len, 2950656);
    for (int packed = 0; packed < 2; packed++) {
        tool(disk, "qemu-img",
             packed ? "convert -f raw -O qcow2 -c disk.raw a.qcow2"
                    : "convert -f raw -O qcow2 disk.raw a.qcow2");
        assert_int_equal(open_in(disk, "a.qcow2", &image, &err), ERR_OK);
        assert_int_equal(io_image_size(image), len);
        assert_int_equal(io_image_read_at(image, 0, got, len, &err), ERR_OK);
        assert_memory_equal(got, disk->bytes, len);
        assert_int_equal(io_image_read_at(image, len - 700, got, 700, &err), ERR_OK);
        assert_memory_equal(got, disk->bytes + len - 700, 700);
        io_image_close(image);
    }
    free(got);
}

static void a_cut_qcow2_is_refused(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img", "convert -f raw -O qcow2 disk.raw a.qcow2");
    damaged_begin(&d, *state, "a.qcow2", "qcow2");
    damaged_cut(&d, 4096);
    assert_int_equal(d.counts[DAMAGE_NONE] + d.counts[DAMAGE_TOLD], 0);
    damaged_end(&d);
    tool(*state, "qemu-img", "convert -f raw -O qcow2 -c disk.raw b.qcow2");
    damaged_begin(&d, *state, "b.qcow2", "qcow2");
    damaged_cut(&d, 4096);
    damaged_end(&d);
}

/*
 * The header but for the name of features, and both tables. The lowest bit of an entry of version 3
 * says that the cluster is zeros, and nothing else says that it is not.
 */
static void a_changed_bit_of_a_qcow2_is_found_out(void **state)
{
    struct damaged d;

    tool(*state, "qemu-img", "convert -f raw -O qcow2 disk.raw a.qcow2");
    damaged_begin(&d, *state, "a.qcow2", "qcow2");
    const size_t l1 = (size_t)bytes_u64be(d.bytes + L1_AT);
    const size_t l2 = (size_t)(bytes_u64be(d.bytes + l1) & UINT64_C(0x00fffffffffffe00));
    damaged_flip(&d, 0, 8);
    damaged_flip(&d, 16, 8);
    damaged_flip(&d, 32, 32);
    damaged_flip(&d, 72, 8);
    damaged_flip(&d, 100, 12);
    damaged_flip(&d, l1, 8);
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    for (uint32_t i = 0; i < 3; i++)
        damaged_flip(&d, l2 + (size_t)i * 8, 7);
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_flip(&d, l2 + 7, 1);
    assert_int_equal(d.counts[DAMAGE_SILENT], 1);
    damaged_end(&d);
    /* In version 2 that bit has no meaning. */
    tool(*state, "qemu-img", "convert -f raw -O qcow2 -o compat=0.10 disk.raw b.qcow2");
    damaged_begin(&d, *state, "b.qcow2", "qcow2");
    assert_int_equal(bytes_u64be(d.bytes + L1_AT), l1);
    damaged_flip(&d, l1, 8);
    damaged_flip(&d, l2, 32);
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_end(&d);
}

struct one {
    struct io_bad_range range;
    uint32_t count;
};

static void note(void *arg, const struct io_bad_range *range)
{
    struct one *one = arg;

    one->range = *range;
    one->count++;
}

/* A packed cluster that cannot be unpacked is one bad range, and nothing beside it is lost. */
static void a_damaged_packed_cluster_is_a_bad_range(void **state)
{
    const struct disk *disk = *state;
    static const uint8_t noise[64] = { 0xff, 0xff, 0xff };
    char line[100];
    struct damaged d;

    /* Text: what does not become shorter is not packed. */
    for (size_t i = 0; i < DISK_LEN; i++)
        disk->bytes[i] = (uint8_t)('a' + disk->bytes[i] % 16);
    snprintf(line, sizeof line, "%s/disk.raw", disk->folder);
    test_write_file(line, disk->bytes, DISK_LEN);
    for (int zstd = 0; zstd < 2; zstd++) {
        struct io_image *image;
        struct err err = { 0 };
        struct one one = { .count = 0 };
        struct io_span span;

        tool(disk, "qemu-img",
             zstd ? "convert -f raw -O qcow2 -c -o compression_type=zstd disk.raw a.qcow2"
                  : "convert -f raw -O qcow2 -c disk.raw a.qcow2");
        same_bytes(disk, "a.qcow2", "QCOW2", 1);
        damaged_begin(&d, disk, "a.qcow2", "qcow2");
        assert_int_equal(open_in(disk, "damaged-a.qcow2", &image, &err), ERR_OK);
        assert_true(io_image_map(image, 7 * CLUSTER + 5, &span));
        assert_int_equal(span.how, IO_SPAN_ASK);
        assert_int_equal(span.len, CLUSTER - 5);
        damaged_put(&d, (size_t)span.fd_offset, noise, sizeof noise);
        assert_int_equal(io_salvage_read(image, 0, d.got, DISK_LEN, note, &one, &err), ERR_OK);
        assert_int_equal(one.count, 1);
        assert_int_equal(one.range.offset, 7 * CLUSTER);
        assert_int_equal(one.range.len, CLUSTER);
        assert_int_equal(one.range.source, IO_BAD_CHECKSUM);
        assert_memory_equal(d.got, disk->bytes, 7 * CLUSTER);
        assert_memory_equal(d.got + 8 * CLUSTER, disk->bytes + 8 * CLUSTER, DISK_LEN - 8 * CLUSTER);
        io_image_close(image);
        damaged_end(&d);
    }
}

/* A file over a file over a raw one, that are of other sizes, and packed in the middle. */
static void a_chain_of_files_in_one_folder_is_read(void **state)
{
    const struct disk *disk = *state;
    uint8_t *want = malloc(DISK_LEN), *got = malloc(DISK_LEN);
    struct io_image *image;
    struct err err = { 0 };

    shell(disk, "head -c 1000448 disk.raw >low.raw");
    tool(disk, "qemu-img", "create -q -f qcow2 -b low.raw -F raw middle.qcow2 2M");
    tool(disk, "qemu-io",
         "-c 'write -P 0x11 900k 200k' -c 'write -c -P 0x22 1536k 64k' middle.qcow2");
    tool(disk, "qemu-img",
         "create -q -f qcow2 -o cluster_size=4k -b middle.qcow2 -F qcow2 top.qcow2 3M");
    tool(disk, "qemu-io",
         "-c 'write -P 0x33 1540k 4k' -c 'write -z 8k 8k' -c 'write -P 0x44 2500k 100k' top.qcow2");
    memset(want, 0, DISK_LEN);
    memcpy(want, disk->bytes, 1000448);
    memset(want + 900 * 1024, 0x11, 200 * 1024);
    memset(want + 1536 * 1024, 0x22, 64 * 1024);
    memset(want + 1540 * 1024, 0x33, 4 * 1024);
    memset(want + 8 * 1024, 0, 8 * 1024);
    memset(want + 2500 * 1024, 0x44, 100 * 1024);
    tool(disk, "qemu-img", "convert -f qcow2 -O raw top.qcow2 oracle.raw");
    char path[128];
    snprintf(path, sizeof path, "%s/want.raw", disk->folder);
    test_write_file(path, want, DISK_LEN);
    shell(disk, "cmp want.raw oracle.raw");
    if (open_in(disk, "top.qcow2", &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    assert_int_equal(io_image_part_count(image), 3);
    assert_non_null(strstr(io_image_part_path(image, 2), "/low.raw"));
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_OK);
    assert_memory_equal(got, want, DISK_LEN);
    for (uint64_t at = 0; at + 1000 < DISK_LEN; at += 3333) {
        assert_int_equal(io_image_read_at(image, at, got, 1000, &err), ERR_OK);
        assert_memory_equal(got, want + at, 1000);
    }
    io_image_close(image);
    shell(disk, "mv low.raw away");
    refused(disk, "top.qcow2", "low.raw: ");
    refused(disk, "top.qcow2", "missing");
    shell(disk, "ln -s away low.raw");
    refused(disk, "top.qcow2", "no file; put the file itself there");
    free(want);
    free(got);
}

/* Writes a header that names a file below, as an attacker does: qemu-img looks for the file. */
static void named(const struct disk *disk, const char *name, const char *format, const char *word)
{
    uint8_t place[12] = { 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, (uint8_t)strlen(name) };
    uint8_t extension[24] = { 0xe2, 0x79, 0x2a, 0xca, 0, 0, 0, (uint8_t)strlen(format) };
    struct damaged d;

    memcpy(extension + 8, format, strlen(format));
    damaged_begin(&d, disk, "a.qcow2", "qcow2");
    damaged_put(&d, 8, place, sizeof place);
    damaged_put(&d, 1024, (const uint8_t *)name, strlen(name));
    damaged_put(&d, bytes_u32be(d.bytes + 100), extension, sizeof extension);
    refused(disk, "damaged-a.qcow2", word);
    damaged_end(&d);
}

static void files_elsewhere_are_not_taken(void **state)
{
    static const char *const names[] = { "/etc/passwd",
                                         "../disk.raw",
                                         "sub/disk.raw",
                                         "json:{\"driver\":\"file\"}",
                                         "nbd://host/x",
                                         "file:disk.raw",
                                         ".",
                                         ".." };

    tool(*state, "qemu-img", "convert -f raw -O qcow2 disk.raw a.qcow2");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        named(*state, names[i], "raw", "only one in its own folder is read");
    named(*state, "disk.raw", "vmdk", "does not say that it is raw or qcow2");
    named(*state, "disk.raw", "", "does not say that it is raw or qcow2");
    named(*state, "none.raw", "raw", "missing");
    named(*state, "damaged-a.qcow2", "qcow2", "based on one another");
}

static void with_byte(const struct disk *disk, size_t at, uint8_t value, const char *word)
{
    struct damaged d;

    damaged_begin(&d, disk, "a.qcow2", "qcow2");
    damaged_put(&d, at, &value, 1);
    refused(disk, "damaged-a.qcow2", word);
    damaged_end(&d);
}

static void what_a_qcow2_may_not_be(void **state)
{
    tool(*state, "qemu-img", "convert -f raw -O qcow2 disk.raw a.qcow2");
    with_byte(*state, 79, 4, "has its bytes in another file");
    with_byte(*state, 79, 16, "extended L2");
    with_byte(*state, 79, 32, "needs what is not known");
    with_byte(*state, 79, 8, "the way of packing");
    with_byte(*state, 104, 1, "the way of packing");
    with_byte(*state, 35, 1, "encrypted");
    with_byte(*state, 7, 4, "version 4");
    with_byte(*state, 23, 8, "bits of a cluster: 8");
    with_byte(*state, 23, 22, "bits of a cluster: 22");
    with_byte(*state, 39, 0, "bytes of the disk");
    with_byte(*state, 24, 1, "bytes of the disk");
    with_byte(*state, 46, 1, "place of the table of tables");
    /* Both halves of the disk by one table, which is named twice. */
    tool(*state, "qemu-img", "convert -f raw -O qcow2 -o cluster_size=4k disk.raw a.qcow2");
    struct damaged d;
    damaged_begin(&d, *state, "a.qcow2", "qcow2");
    const size_t l1 = (size_t)bytes_u64be(d.bytes + L1_AT);
    damaged_put(&d, l1 + 8, d.bytes + l1, 8);
    refused(*state, "damaged-a.qcow2", "twice");
    damaged_end(&d);
}

struct reader {
    struct io_image *image;
    const uint8_t *want;
    uint64_t random;
    bool same;
};

static void read_places(void *arg)
{
    struct reader *reader = arg;
    uint8_t *got = malloc(200000);
    struct err err;

    for (int i = 0; i < 300; i++) {
        const uint64_t offset = test_random(&reader->random) % DISK_LEN;
        const size_t most = DISK_LEN - offset < 200000 ? (size_t)(DISK_LEN - offset) : 200000;
        const size_t len = (size_t)(test_random(&reader->random) % most);

        if (io_image_read_at(reader->image, offset, got, len, &err) != ERR_OK ||
            memcmp(got, reader->want + offset, len) != 0)
            reader->same = false;
    }
    free(got);
}

static void threads_unpack_each_for_itself(void **state)
{
    const struct disk *disk = *state;
    struct reader readers[READERS];
    struct thread threads[READERS];
    struct io_image *image;
    struct err err = { 0 };

    tool(disk, "qemu-img", "convert -f raw -O qcow2 -c disk.raw a.qcow2");
    assert_int_equal(open_in(disk, "a.qcow2", &image, &err), ERR_OK);
    for (uint32_t i = 0; i < READERS; i++) {
        readers[i] = (struct reader){ image, disk->bytes, i + 1, true };
        assert_int_equal(thread_start(&threads[i], "reader", read_places, &readers[i], &err),
                         ERR_OK);
    }
    for (uint32_t i = 0; i < READERS; i++) {
        thread_join(&threads[i]);
        assert_true(readers[i].same);
    }
    io_image_close(image);
}

/* A disk with two older states; qemu-img tells what they are. */
static void snapped(void **state)
{
    tool(*state, "qemu-img", "convert -f raw -O qcow2 disk.raw snap.qcow2");
    tool(*state, "qemu-img", "snapshot -c first snap.qcow2");
    tool(*state, "qemu-io",
         "-f qcow2 -c 'write -P 65 65536 200000' -c 'discard 2097152 65536' snap.qcow2");
    tool(*state, "qemu-img", "snapshot -c 1 snap.qcow2"); /* a name that is an id */
    tool(*state, "qemu-io", "-f qcow2 -c 'write -P 66 0 100000' snap.qcow2");
    tool(*state, "qemu-img", "resize snap.qcow2 4M");
}

/* The image as this type has the bytes of the raw file. */
static void same_as(const struct disk *disk, const char *name, const char *type, const char *raw,
                    const char *format)
{
    char path[256], raw_path[256];
    struct io_image *image, *want;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN), *bytes = malloc(DISK_LEN);

    snprintf(path, sizeof path, "%s/%s", disk->folder, name);
    snprintf(raw_path, sizeof raw_path, "%s/%s", disk->folder, raw);
    if (io_image_open(path, type, &image, &err) != ERR_OK)
        fail_msg("%s: %s", type, err.text);
    assert_int_equal(io_image_open(raw_path, "raw", &want, &err), ERR_OK);
    assert_string_equal(io_image_format(image), format);
    assert_int_equal(io_image_size(image), DISK_LEN);
    assert_int_equal(io_image_read_at(image, 0, got, DISK_LEN, &err), ERR_OK);
    assert_int_equal(io_image_read_at(want, 0, bytes, DISK_LEN, &err), ERR_OK);
    assert_memory_equal(got, bytes, DISK_LEN);
    io_image_close(image);
    io_image_close(want);
    free(got);
    free(bytes);
}

static void snapshots_are_read(void **state)
{
    const struct disk *disk = *state;
    struct io_snapshot one;
    struct io_image *image;
    struct err err = { 0 };
    char path[256];

    snapped(state);
    tool(*state, "qemu-img", "convert -f qcow2 -l snapshot.id=2 -O raw snap.qcow2 second.raw");
    shell(disk, "! cmp -s disk.raw second.raw");
    same_as(disk, "snap.qcow2", "qcow2@first", "disk.raw", "QCOW2@1");
    same_as(disk, "snap.qcow2", "qcow2@1", "disk.raw", "QCOW2@1"); /* the id before the name */
    same_as(disk, "snap.qcow2", "QCOW2@1", "disk.raw", "QCOW2@1"); /* as the format is recorded */
    same_as(disk, "snap.qcow2", "qcow2@2", "second.raw", "QCOW2@2");
    assert_int_equal(open_in(disk, "snap.qcow2", &image, &err), ERR_OK);
    assert_int_equal(io_image_size(image), 4 << 20);
    assert_true(io_image_snapshot(image, 0, &one));
    assert_string_equal(one.id, "1");
    assert_string_equal(one.name, "first");
    assert_int_equal(one.size, DISK_LEN);
    assert_int_equal(strlen(one.taken), strlen("2026-11-24T01:23:47Z"));
    assert_true(io_image_snapshot(image, 1, &one));
    assert_string_equal(one.id, "2");
    assert_string_equal(one.name, "1");
    assert_false(io_image_snapshot(image, 2, &one));
    io_image_close(image);
    snprintf(path, sizeof path, "%s/snap.qcow2", disk->folder);
    assert_int_equal(io_image_open(path, "qcow2@third", &image, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "has no snapshot of this id or name: third"));
    assert_int_equal(io_image_open(path, "qcow2@", &image, &err), ERR_ARG);
    assert_int_equal(io_image_open(path, "raw@first", &image, &err), ERR_ARG);
}

/* Nothing has a checksum: another size of the disk, which is in range, is not found out. */
static void a_damaged_snapshot_is_found_out(void **state)
{
    struct damaged d;

    snapped(state);
    damaged_begin(&d, *state, "snap.qcow2", "qcow2@first");
    const size_t table = (size_t)bytes_u64be(d.bytes + 64);
    assert_int_equal(damaged_look(&d), DAMAGE_NONE);
    damaged_flip(&d, 60, 12);
    damaged_flip(&d, table, 16);      /* the place and the length of L1, of id and name */
    damaged_flip(&d, table + 36, 12); /* of what else it says, but for the size of the disk */
    damaged_flip(&d, (size_t)bytes_u64be(d.bytes + table), 8);
    assert_int_equal(d.counts[DAMAGE_SILENT] + d.counts[DAMAGE_TOLD], 0);
    assert_true(d.counts[DAMAGE_REFUSED] > 250);
    damaged_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(qcow2, make, clean),
        cmocka_unit_test_setup_teardown(a_disk_may_end_inside_a_cluster, make, clean),
        cmocka_unit_test_setup_teardown(a_cut_qcow2_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_of_a_qcow2_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(a_damaged_packed_cluster_is_a_bad_range, make, clean),
        cmocka_unit_test_setup_teardown(a_chain_of_files_in_one_folder_is_read, make, clean),
        cmocka_unit_test_setup_teardown(files_elsewhere_are_not_taken, make, clean),
        cmocka_unit_test_setup_teardown(what_a_qcow2_may_not_be, make, clean),
        cmocka_unit_test_setup_teardown(threads_unpack_each_for_itself, make, clean),
        cmocka_unit_test_setup_teardown(snapshots_are_read, make, clean),
        cmocka_unit_test_setup_teardown(a_damaged_snapshot_is_found_out, make, clean),
    };
    return cmocka_run_group_tests_name("io qcow2", tests, NULL, NULL);
}
