/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_aff4.c - AFF4 images give the bytes that were put in, or say what is bad.
 *
 * Method: aff4_write.py writes them by the standard, with Python's own ZIP arithmetic and hashes,
 * and packs by libsnappy, liblz4 and zlib. Then they are cut, and every bit of their directory, of
 * the heads of their members and of their tables is changed.
 * Labels: slow
 */
#include "base/bytes.h"
#include "tests/io/lib_damage.h"

enum { PLAIN_LEN = 1 << 20 }; /* bytes of the disk that can be packed */

static char root[256];

/* A disk of which the start packs well, then zeros, then bytes that do not pack, a chunk of 'a'. */
static int make_mixed(void **state)
{
    const int rc = make(state);
    struct disk *disk = *state;
    char path[96];

    for (uint32_t i = 0; i < PLAIN_LEN; i++)
        disk->bytes[i] = (uint8_t)(i % 100 < 80 ? i / 3 % 251 : disk->bytes[i]);
    memset(disk->bytes + DISK_LEN - 4 * CHUNK_LEN, 'a', 2 * CHUNK_LEN);
    snprintf(path, sizeof path, "%s/disk.raw", disk->folder);
    test_write_file(path, disk->bytes, DISK_LEN);
    return rc;
}

/* Writes the disk to disk.aff4. */
static void written(const struct disk *disk, const char *options)
{
    char line[1024];

    snprintf(line, sizeof line,
             "cd %s && rm -f *.aff4 && python3 '%s/tests/io/aff4_write.py' disk.raw disk.aff4 %s",
             disk->folder, root, options);
    const int status = system(line);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("libsnappy or liblz4 is not installed\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void every_way_of_packing(void **state)
{
    static const char *const options[] = {
        "method=snappy",         "method=lz4",
        "method=lz4len",         "method=deflate",
        "method=zlib",           "method=stored",
        "method=none",           "method=zlib chunk=4096 bevvy=7",
        "chunk=1048576 bevvy=2", "chunk=100000",
        "chunk=512 bevvy=2048",
    };

    for (uint32_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        written(*state, options[i]);
        same_bytes(*state, "disk.aff4", "AFF4", 1);
    }
}

static void every_form_of_the_container(void **state)
{
    static const char *const options[] = {
        "map=sparse",
        "map=mixed",
        "map=gaps",
        "map=none",
        "zip=32",
        "zip=32 deflate=1",
        "deflate=1",
        "turtle=rdflib",
        "relative=1",
        "map=mixed zip=32",
        "chunk=100000 map=none",
    };

    for (uint32_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        written(*state, options[i]);
        same_bytes(*state, "disk.aff4", "AFF4", 1);
    }
    shell(*state, "mv disk.aff4 disk.bin"); /* its name is of no matter */
    same_bytes(*state, "disk.bin", "AFF4", 1);
}

static void stripes_are_found_by_what_they_say(void **state)
{
    const struct disk *disk = *state;

    written(disk, "stripes=3 map=mixed");
    same_bytes(disk, "disk.aff4", "AFF4", 3);
    same_bytes(disk, "disk_3.aff4", "AFF4", 3);
    shell(disk, "mv disk_2.aff4 other.AFF4; cp disk.raw no.aff4");
    same_bytes(disk, "disk.aff4", "AFF4", 3);
    shell(disk, "rm other.AFF4");
    refused(disk, "disk.aff4", "a part of this AFF4 is missing, the volume aff4://");
}

static void runs_are_told_as_they_lie(void **state)
{
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };

    written(*state, "method=stored map=sparse bevvy=4096");
    assert_int_equal(open_in(*state, "disk.aff4", &image, &err), ERR_OK);
    assert_true(io_image_map(image, 5, &span)); /* stored chunks are joined */
    assert_int_equal(span.how, IO_SPAN_STORED);
    assert_int_equal(span.len, PLAIN_LEN - 5);
    assert_true(io_image_map(image, PLAIN_LEN, &span));
    assert_int_equal(span.how, IO_SPAN_ZERO);
    assert_int_equal(span.len, 600 * 1024 / CHUNK_LEN * CHUNK_LEN);
    io_image_close(image);
    written(*state, "method=zlib map=sparse");
    assert_int_equal(open_in(*state, "disk.aff4", &image, &err), ERR_OK);
    assert_true(io_image_map(image, CHUNK_LEN + 1, &span)); /* packed ones are read together */
    assert_int_equal(span.how, IO_SPAN_ASK);
    assert_int_equal(span.len, PLAIN_LEN - CHUNK_LEN - 1);
    io_image_close(image);
}

struct bad {
    struct io_bad_range items[4];
    uint32_t count;
};

static void note(void *arg, const struct io_bad_range *range)
{
    struct bad *bad = arg;

    assert_in_range(bad->count, 0, 3);
    bad->items[bad->count++] = *range;
}

/* Reads the image; what is bad in it. All else is the disk's. */
static struct bad bad_of(const struct disk *disk, char trouble[256])
{
    struct bad bad = { .count = 0 };
    struct io_image *image;
    struct err err = { 0 };
    uint8_t *got = malloc(DISK_LEN);

    if (open_in(disk, "disk.aff4", &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    assert_int_equal(io_image_size(image), DISK_LEN);
    snprintf(trouble, 256, "%s", io_image_trouble(image));
    assert_int_equal(io_salvage_read(image, 0, got, DISK_LEN, note, &bad, &err), ERR_OK);
    for (uint32_t i = 0; i < bad.count; i++) {
        for (uint64_t at = 0; at < bad.items[i].len; at++)
            assert_int_equal(got[bad.items[i].offset + at], 0);
        memcpy(got + bad.items[i].offset, disk->bytes + bad.items[i].offset, bad.items[i].len);
    }
    assert_memory_equal(got, disk->bytes, DISK_LEN);
    io_image_close(image);
    free(got);
    return bad;
}

static void what_was_not_read_is_bad(void **state)
{
    char trouble[256];

    written(*state, "unread=65536+65536 unknown=2097152+32768");
    const struct bad bad = bad_of(*state, trouble);
    assert_string_equal(trouble, "");
    assert_int_equal(bad.count, 2);
    assert_int_equal(bad.items[0].offset, 65536);
    assert_int_equal(bad.items[0].len, 65536);
    assert_int_equal(bad.items[0].source, IO_BAD_ACQUISITION);
    assert_int_equal(bad.items[0].status, IO_STATUS_BAD);
    assert_int_equal(bad.items[1].offset, 2097152);
    assert_int_equal(bad.items[1].len, 32768);
    assert_int_equal(bad.items[1].source, IO_BAD_LEFT_OUT);
    assert_int_equal(bad.items[1].status, IO_STATUS_UNTRIED);
}

static void what_is_missing_is_bad(void **state)
{
    char trouble[256], line[128];
    struct bad bad;

    /* 32 chunks of 32 KiB a bevvy: a MiB. */
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "bevvy=32 relative=1 drop:disk/image/00000001%s=1",
                 i == 0 ? "" : ".index");
        written(*state, line);
        bad = bad_of(*state, trouble);
        assert_non_null(strstr(trouble, "1 segments of chunks"));
        assert_int_equal(bad.count, 1);
        assert_int_equal(bad.items[0].offset, 1 << 20);
        assert_int_equal(bad.items[0].len, 1 << 20);
        assert_int_equal(bad.items[0].source, IO_BAD_CHECKSUM);
    }
}

static const char *fact(const struct io_image *image, const char *name)
{
    struct io_fact one;

    for (uint32_t i = 0; io_image_fact(image, i, &one); i++)
        if (strcmp(one.name, name) == 0)
            return one.value;
    return "";
}

static void facts_are_told(void **state)
{
    struct io_image *image;
    struct err err = { 0 };
    char digest[64] = "", path[128];

    written(*state, "hash=1 map=sparse");
    shell(*state, "md5sum <disk.raw | cut -c1-32 >digest");
    snprintf(path, sizeof path, "%s/digest", ((struct disk *)*state)->folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%63s", digest), 1);
    fclose(file);
    assert_int_equal(open_in(*state, "disk.aff4", &image, &err), ERR_OK);
    assert_string_equal(io_image_stored_hash(image, "md5"), digest);
    assert_string_equal(fact(image, "case number"), "case 7");
    assert_string_equal(fact(image, "examiner"), "E. Xaminer");
    assert_string_equal(fact(image, "notes"), "two lines,\n and a \"quote\" ");
    assert_string_equal(fact(image, "model"), "Seagate ST-506");
    assert_string_equal(fact(image, "serial number"), "SGAT\xc3\xa4");
    assert_string_equal(fact(image, "tool"), "aff4_write.py");
    io_image_close(image);
    /* Other bytes stand in the hash for those that were not read. */
    written(*state, "hash=1 unread=0+32768");
    assert_int_equal(open_in(*state, "disk.aff4", &image, &err), ERR_OK);
    assert_null(io_image_stored_hash(image, "md5"));
    assert_string_equal(fact(image, "md5 with unread bytes"), digest);
    io_image_close(image);
}

static void what_is_not_known_is_refused(void **state)
{
    static const struct {
        const char *options, *word;
    } rows[] = {
        { "drop:version.txt=1", "is older than the standard 1.0" },
        { "'set:version.txt=major=2\\nminor=0\\n'", "version 2.0" },
        { "'set:version.txt=major=1\\nminor=2\\n'", "version 1.2" },
        { "drop:information.turtle=1", "information.turtle, are missing" },
        { "set:container.description=x", "its name, aff4://..., is missing" },
        { "set:information.turtle=", "no image of a disk" },
        { "'set:information.turtle=a\\nb'", "metadata are damaged: line 1" },
        { "'set:information.turtle=<aff4://a> <aff4://b> [ ] .'", "metadata are damaged: line 1" },
        { "rows=0+32768+0+0", "two of its entries are of byte 0" },
        { "rows=3145728+32768+0+0", "leads out of the image, at byte 3145728" },
        { "unread=3112960+32768 rows=3112959+1+0+0", "two of its entries" },
        { "map=gaps rows=1048576+32768+0+9", "no target of number 9" },
        { "stripes=2 drop:information.turtle=1", "information.turtle, are missing" },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        written(*state, rows[i].options);
        refused(*state, "disk.aff4", rows[i].word);
    }
}

/* A row behind the end of its stream, and one in a bevvy that is there. */
static void a_map_that_leads_behind_its_stream_is_bad_there(void **state)
{
    char trouble[256];

    written(*state, "map=gaps rows=1048576+65536+99999999+0");
    const struct bad bad = bad_of(*state, trouble);
    assert_int_equal(bad.count, 1);
    assert_int_equal(bad.items[0].offset, 1 << 20);
    assert_int_equal(bad.items[0].len, 65536);
    assert_int_equal(bad.items[0].source, IO_BAD_CHECKSUM);
}

/* Where the directory begins. */
static size_t directory_of(const struct damaged *d)
{
    const uint8_t *end = d->bytes + d->len - 22 - 44; /* a comment of 43 bytes and a NUL */

    assert_memory_equal(end, "PK\5\6", 4);
    return bytes_u32le(end + 16) != UINT32_MAX ? bytes_u32le(end + 16)
                                               : (size_t)bytes_u64le(end - 20 - 56 + 48);
}

/* Where the head of the nth member of the directory begins, from 0. */
static size_t member_of(const struct damaged *d, uint32_t n)
{
    size_t at = directory_of(d);

    for (uint32_t i = 0; i < n; i++)
        at += 46 + bytes_u16le(d->bytes + at + 28) + (size_t)bytes_u16le(d->bytes + at + 30);
    const uint32_t header = bytes_u32le(d->bytes + at + 42);
    return header != UINT32_MAX
               ? header
               : (size_t)bytes_u64le(d->bytes + at + 46 + bytes_u16le(d->bytes + at + 28) + 20);
}

static void a_changed_bit_is_found_out(void **state)
{
    static const char *const options[] = {
        "chunk=131072 map=sparse zip=64 method=snappy",
        "chunk=131072 map=sparse zip=32 method=stored deflate=1"
    };
    struct damaged d;

    for (uint32_t i = 0; i < 2; i++) {
        written(*state, options[i]);
        damaged_begin(&d, *state, "disk.aff4", "aff4");
        const size_t bevvy = member_of(&d, 2), tables = member_of(&d, 3);
        damaged_flip_some(&d, 0,
                          bevvy + 30 + bytes_u16le(d.bytes + bevvy + 26) +
                              (size_t)bytes_u16le(d.bytes + bevvy + 28),
                          DAMAGE_SHARE);
        damaged_flip_some(&d, tables, d.len - tables, DAMAGE_SHARE);
        assert_int_equal(d.counts[DAMAGE_SILENT], 0);
        /* Most of the directory, of the heads, and all of a text that has a checksum. */
        assert_true(d.counts[DAMAGE_REFUSED] > 8000 / DAMAGE_SHARE);
        assert_true(d.counts[DAMAGE_TOLD] > 1000 / DAMAGE_SHARE); /* the index of the bevvy */
        damaged_end(&d);
    }
}

static void one_that_is_cut_is_refused(void **state)
{
    struct damaged d;

    written(*state, "map=sparse");
    damaged_begin(&d, *state, "disk.aff4", "aff4");
    damaged_cut(&d, 20000);
    assert_int_equal(d.counts[DAMAGE_NONE] + d.counts[DAMAGE_TOLD], 0);
    damaged_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_way_of_packing, make_mixed, clean),
        cmocka_unit_test_setup_teardown(every_form_of_the_container, make_mixed, clean),
        cmocka_unit_test_setup_teardown(stripes_are_found_by_what_they_say, make_mixed, clean),
        cmocka_unit_test_setup_teardown(runs_are_told_as_they_lie, make_mixed, clean),
        cmocka_unit_test_setup_teardown(what_was_not_read_is_bad, make_mixed, clean),
        cmocka_unit_test_setup_teardown(what_is_missing_is_bad, make_mixed, clean),
        cmocka_unit_test_setup_teardown(facts_are_told, make_mixed, clean),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_refused, make_mixed, clean),
        cmocka_unit_test_setup_teardown(a_map_that_leads_behind_its_stream_is_bad_there, make_mixed,
                                        clean),
        cmocka_unit_test_setup_teardown(a_changed_bit_is_found_out, make_mixed, clean),
        cmocka_unit_test_setup_teardown(one_that_is_cut_is_refused, make_mixed, clean),
    };

    if (getcwd(root, sizeof root) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
