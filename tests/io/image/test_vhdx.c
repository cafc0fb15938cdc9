/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_vhdx.c - VHDX disks give the bytes that were put in, or an error.
 *
 * Method: qemu-img writes them. Then they are cut, and the bits of headers, tables and metadata are
 * changed. vhdx_log.py puts a part of the tables into the log, and qemu-img takes it out again.
 * Offsets are those of MS-VHDX; where qemu-img puts the regions is read from its tables.
 * Labels: slow
 */
#include "base/bytes.h"
#include "io/image/crc32c.h"
#include "tests/io/lib_damage.h"

enum {
    HEADER = 64 << 10,
    HEADER_LEN = 4096,
    REGIONS = 192 << 10,
    COPY = 64 << 10,
    ITEMS = 64 << 10,
    MIB = 1 << 20
};

static char root[256];

/* The region with this first byte of its GUID: 0x66 the block table, 0x06 the metadata. */
static size_t region(const struct damaged *d, uint8_t first)
{
    for (size_t at = REGIONS + 16; at < REGIONS + 16 + 4 * 32; at += 32)
        if (d->bytes[at] == first)
            return (size_t)bytes_u64le(d->bytes + at + 16);
    fail_msg("no region %02x", first);
    return 0;
}

static void begin(struct damaged *d, void **state)
{
    tool(*state, "qemu-img", "convert -f raw -O vhdx -o block_size=1M disk.raw a.vhdx");
    damaged_begin(d, *state, "a.vhdx", "vhdx");
}

static void the_checksum_is_that_of_the_standard(void **state)
{
    (void)state;
    /* RFC 3720, B.4: 32 bytes of zeros, and of ones; and the check value of the catalogues. */
    static const uint8_t zeros[32] = { 0 };
    uint32_t (*const ways[])(uint32_t, const uint8_t *, size_t) = { io_crc32c, io_crc32c_plain };
    uint8_t ones[32];

    memset(ones, 0xff, sizeof ones);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        assert_int_equal(ways[i](0, zeros, sizeof zeros), 0x8a9136aa);
        assert_int_equal(ways[i](0, ones, sizeof ones), 0x62a8ab43);
        assert_int_equal(ways[i](0, (const uint8_t *)"123456789", 9), 0xe3069283);
        assert_int_equal(
            ways[i](ways[i](0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5),
            0xe3069283);
        assert_int_equal(ways[i](0x12345678, zeros, 0), 0x12345678);
    }
}

static void vhdx(void **state)
{
    struct io_image *image;
    struct err err = { 0 };

    tool(*state, "qemu-img", "convert -f raw -O vhdx disk.raw a.vhdx");
    same_bytes(*state, "a.vhdx", "VHDX", 1);
    tool(*state, "qemu-img", "convert -f raw -O vhdx -o block_size=1M disk.raw b.vhdx");
    same_bytes(*state, "b.vhdx", "VHDX", 1);
    tool(*state, "qemu-img", "convert -f raw -O vhdx -o subformat=fixed disk.raw c.vhdx");
    same_bytes(*state, "c.vhdx", "VHDX", 1);
    /* More blocks than there are between two bitmaps of sectors: 4,096 of 1 MiB. */
    shell(*state, "truncate -s 5000M disk.raw && printf X | dd of=disk.raw bs=1 seek=5242879999 "
                  "conv=notrunc status=none");
    tool(*state, "qemu-img", "convert -f raw -O vhdx -o block_size=1M disk.raw b.vhdx");
    assert_int_equal(open_in(*state, "b.vhdx", &image, &err), ERR_OK);
    uint8_t last[2];
    assert_int_equal(io_image_size(image), UINT64_C(5242880000));
    assert_int_equal(io_image_read_at(image, UINT64_C(5242879998), last, 2, &err), ERR_OK);
    assert_int_equal(last[0], 0);
    assert_int_equal(last[1], 'X');
    io_image_close(image);
}

static void a_cut_vhdx_is_refused(void **state)
{
    struct damaged d;

    begin(&d, state);
    damaged_cut(&d, 65536);
    assert_int_equal(d.counts[DAMAGE_NONE] + d.counts[DAMAGE_TOLD], 0);
    damaged_end(&d);
}

/*
 * Headers and tables of regions have copies. Metadata and block table have no checksum: another
 * size of the disk is not found out, nor that a block is said to hold zeros (6 is stored, 2 zeros).
 */
static void a_changed_bit_of_a_vhdx_is_found_out(void **state)
{
    struct damaged d;

    begin(&d, state);
    const size_t metadata = region(&d, 0x06), table = region(&d, 0x66);
    damaged_flip(&d, 0, 8);
    for (uint32_t i = 0; i < 2; i++) {
        damaged_flip_some(&d, HEADER + i * COPY, 88, DAMAGE_SHARE);
        damaged_flip(&d, HEADER + i * COPY + HEADER_LEN - 4, 4);
        damaged_flip_some(&d, REGIONS + i * COPY, 16 + 2 * 32, DAMAGE_SHARE);
        damaged_flip(&d, REGIONS + i * COPY + COPY - 4, 4);
    }
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    damaged_flip_some(&d, metadata, 32, DAMAGE_SHARE);
    for (uint32_t i = 0; i < 5; i++)
        damaged_flip_some(&d, metadata + 32 + i * 32, 24, DAMAGE_SHARE);
    for (uint32_t i = 0; i < 5; i++) {
        const uint8_t *entry = d.bytes + metadata + 32 + (size_t)i * 32;
        if (entry[0] != 0x24) /* the size of the disk */
            damaged_flip(&d, metadata + bytes_u32le(entry + 16), bytes_u32le(entry + 20));
    }
    assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    for (uint32_t i = 0; i < 3; i++) {
        damaged_flip(&d, table + i * 8 + 1, 7);
        assert_int_equal(d.counts[DAMAGE_SILENT], 0);
    }
    assert_int_equal(d.bytes[table], 6);
    damaged_flip(&d, table, 1);
    assert_int_equal(d.counts[DAMAGE_SILENT], 1);
    damaged_end(&d);
}

/* Both headers, with their checksums. */
static void put_header(struct damaged *d, size_t at, const uint8_t *bytes, size_t len)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *header = d->bytes + HEADER + (size_t)i * COPY;

        memcpy(header + at, bytes, len);
        memset(header + 4, 0, 4);
        const uint32_t sum = io_crc32c(0, header, HEADER_LEN);
        for (uint32_t k = 0; k < 4; k++)
            header[4 + k] = (uint8_t)(sum >> 8 * k);
        damaged_put(d, HEADER + (size_t)i * COPY, header, HEADER_LEN);
    }
}

static void an_empty_log_is_none(void **state)
{
    static const uint8_t id[16] = "a log of its own";
    struct damaged d;

    begin(&d, state);
    put_header(&d, 48, id, sizeof id);
    const size_t log = (size_t)bytes_u64le(d.bytes + HEADER + 72);
    same_bytes(*state, "damaged-a.vhdx", "VHDX", 1); /* of an empty log nothing is missing */
    damaged_put(&d, log + 8192, (const uint8_t *)"loge", 4);
    same_bytes(*state, "damaged-a.vhdx", "VHDX", 1); /* nor of an entry of another time */
    damaged_put(&d, log + 8192 + 32, id, sizeof id);
    refused(*state, "damaged-a.vhdx",
            "the changes in its log cannot be made: none of them is whole");
    damaged_end(&d);
}

/* Makes log.vhdx, of which a part of the block table is in its log: see vhdx_log.py. */
static void unclosed(void **state, const char *options)
{
    char line[512];

    tool(*state, "qemu-img", "convert -f raw -O vhdx -o block_size=1M disk.raw log.vhdx");
    snprintf(line, sizeof line, "python3 '%s/tests/io/vhdx_log.py' log.vhdx %s", root, options);
    shell(*state, line);
}

/* qemu-img makes the changes in a copy; then it reads the same from it. */
static void changes_in_the_log_are_made(void **state)
{
    static const char *const options[] = {
        "entries=1",         "entries=3",        "entries=3 at=254",
        "entries=2 stale=1", "entries=2 torn=1", "entries=2 zeros=1 at=255",
        "entries=4 tail=2",  "bat=keep torn=1",
    };

    for (uint32_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct io_image *image;
        struct err err = { 0 };

        unclosed(state, options[i]);
        shell(*state, "md5sum log.vhdx >before");
        same_bytes(*state, "log.vhdx", "VHDX", 1);
        assert_int_equal(open_in(*state, "log.vhdx", &image, &err), ERR_OK);
        assert_non_null(strstr(io_image_trouble(image), "was not closed"));
        assert_int_equal(strstr(io_image_trouble(image), "is left out") != NULL,
                         strstr(options[i], "torn") != NULL);
        io_image_close(image);
        shell(*state, "md5sum -c before >/dev/null");
        tool(*state, "qemu-img", "check -q -r all log.vhdx");
        tool(*state, "qemu-img", "compare -q -f raw -F vhdx disk.raw log.vhdx");
        same_bytes(*state, "log.vhdx", "VHDX", 1);
    }
}

static void changes_that_cannot_be_made_are_refused(void **state)
{
    unclosed(state, "flushed=1048576");
    refused(*state, "log.vhdx", "the file is cut short");
    unclosed(state, "data=1");
    refused(*state, "log.vhdx", "where no table is");
    unclosed(state, "entries=3 hole=1");
    refused(*state, "log.vhdx", "an entry in front of a whole one is missing or damaged");
}

/* What the file has had behind its end before the crash is bad. */
static void blocks_behind_the_end_of_the_file_are_bad(void **state)
{
    struct damaged d;

    unclosed(state, "entries=2 last=1048576");
    damaged_begin(&d, *state, "log.vhdx", "vhdx");
    assert_int_equal(damaged_look(&d), DAMAGE_NONE);
    assert_int_equal(truncate(d.path, (off_t)d.len - 3000), 0);
    assert_int_equal(damaged_look(&d), DAMAGE_TOLD);
    damaged_end(&d);
}

static void a_changed_bit_of_the_log_is_found_out(void **state)
{
    struct damaged d;

    unclosed(state, "entries=1");
    damaged_begin(&d, *state, "log.vhdx", "vhdx");
    const size_t log = (size_t)bytes_u64le(d.bytes + HEADER + 72);
    damaged_flip_some(&d, log, 64 + 32 + 8, DAMAGE_SHARE);
    damaged_flip_some(&d, log + 4096, 64, DAMAGE_SHARE);
    damaged_flip(&d, log + 8192 - 8, 8);
    assert_int_equal(d.counts[DAMAGE_SILENT] + d.counts[DAMAGE_NONE] + d.counts[DAMAGE_TOLD], 0);
    damaged_end(&d);
}

static void what_a_vhdx_may_not_be(void **state)
{
    struct damaged d;

    begin(&d, state);
    const size_t metadata = region(&d, 0x06), table = region(&d, 0x66);
    put_header(&d, 66, (const uint8_t *)"\2\0", 2);
    refused(*state, "damaged-a.vhdx", "version 2");
    put_header(&d, 66, (const uint8_t *)"\1\0", 2);
    damaged_put(&d, table, (const uint8_t *)"\7", 1);
    refused(*state, "damaged-a.vhdx", "block 0 has the state 7");
    damaged_put(&d, table, d.bytes + table + 8, 8);
    refused(*state, "damaged-a.vhdx", "twice");
    damaged_put(&d, table, (const uint8_t *)"\6\0\0\0\0\0\0\0", 8);
    refused(*state, "damaged-a.vhdx", "bytes at 0 of the file twice");
    damaged_put(&d, table, (const uint8_t *)"\6\0\0\0\0\0\0\xff", 8);
    refused(*state, "damaged-a.vhdx", "cut short: a block");
    damaged_put(&d, table, d.bytes + table, 8);
    for (uint32_t i = 0; i < 5; i++) {
        const uint8_t *entry = d.bytes + metadata + 32 + (size_t)i * 32;
        if (entry[0] == 0x37) /* the file parameters */
            damaged_put(&d, metadata + bytes_u32le(entry + 16) + 4, (const uint8_t *)"\2", 1);
    }
    refused(*state, "damaged-a.vhdx", "differencing");
    damaged_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_that_of_the_standard),
        cmocka_unit_test_setup_teardown(vhdx, make, clean),
        cmocka_unit_test_setup_teardown(a_cut_vhdx_is_refused, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_of_a_vhdx_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(an_empty_log_is_none, make, clean),
        cmocka_unit_test_setup_teardown(changes_in_the_log_are_made, make, clean),
        cmocka_unit_test_setup_teardown(changes_that_cannot_be_made_are_refused, make, clean),
        cmocka_unit_test_setup_teardown(blocks_behind_the_end_of_the_file_are_bad, make, clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_of_the_log_is_found_out, make, clean),
        cmocka_unit_test_setup_teardown(what_a_vhdx_may_not_be, make, clean),
    };
    if (getcwd(root, sizeof root) == NULL)
        return 1;
    return cmocka_run_group_tests_name("io vhdx", tests, NULL, NULL);
}
