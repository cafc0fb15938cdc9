/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_every_bit.c - a container that is cut short anywhere, or in which any bit of
 * a header or a table is changed, gives the disk's bytes, or says which ones are bad.
 *
 * Method: other programs write containers of a small disk. Each byte of the file that is no stored
 * byte of the disk is changed, a bit at a time, and the file is cut at each length. What is read is
 * compared with the disk. By chance some hundreds of these are taken; with BURIN_LONG=1 all, but
 * for one of 128 bits of sectors of one byte again and again and of packed bytes that have a
 * checksum, and one of 64 cuts in these and in the disk's bytes
 * (`BURIN_LONG=1 build/test_every_bit qcow2`: of these alone).
 *
 * Some bits say by themselves that a block is not stored, or how large the disk is, and nothing
 * else in the file does: then zeros are right, or another length. How many bits these are follows
 * from the format and the disk.
 * Labels: slow
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "io/image/container.h"
#include "tests/io/lib_container.h"

enum {
    LEN = 256 * 1024, /* bytes of the disk */
    FLIPS = 500,      /* taken by chance, about */
    CUTS = 100,
    SECTOR = 512,
    SECTORS = 192 * 1024 / SECTOR, /* of the disk that are no zeros */
    FEW_FLIPS = 128,               /* one of so many is taken of what is in no table */
    FEW_CUTS = 64,
    NEAR = 64, /* bytes at the ends of packed ones that are taken for a table: there may be one */
};

enum became {
    REFUSED,
    SOUND,
    TOLD,     /* the bytes of the disk, but for what is said to be bad */
    UNSTORED, /* the same, but for zeros */
    RESIZED,  /* the same, and the disk is longer or shorter */
    OTHER,    /* other bytes */
    BECAME
};

enum is {
    IN_A_TABLE,
    SAME,   /* in a sector of one byte again and again, but of 0xff */
    PACKED, /* inside of packed bytes that have a checksum */
    OF_THE_DISK,
};

struct way {
    const char *type, *file; /* of --image-type; that the command writes */
    const char *tool, *arguments;
    uint32_t unstored, resized; /* bits that alone say so; resized: at most */
    bool unsummed;              /* packed bytes have no checksum; they lie at the end of the file */
};

struct every {
    const struct disk *disk;
    const struct way *way;
    char path[256];
    uint8_t *bytes, *got; /* of the sound file; LEN */
    uint8_t *is;          /* enum is, of each byte of the file */
    size_t len;
    uint64_t size; /* of the sound image */
    uint64_t random;
    uint64_t counts[BECAME];
};

static char root[256];

/* Bytes that do not pack, zeros, bytes that pack, and one byte again and again. */
static int make_small(void **state)
{
    const int rc = make(state);
    struct disk *disk = *state;
    char path[96];

    memset(disk->bytes + 64 * 1024, 0, 64 * 1024);
    for (uint32_t i = 128 * 1024; i < 192 * 1024; i++)
        disk->bytes[i] = (uint8_t)(i % 100 < 80 ? i / 3 % 251 + 1 : disk->bytes[i]);
    memset(disk->bytes + 192 * 1024, 'a', 64 * 1024);
    snprintf(path, sizeof path, "%s/disk.raw", disk->folder);
    test_write_file(path, disk->bytes, LEN);
    return rc;
}

static void every_is_bad(void *arg, const struct io_bad_range *range)
{
    const struct every *every = arg;

    for (uint64_t i = range->offset; i < range->offset + range->len && i < LEN; i++)
        every->got[i] = every->disk->bytes[i];
}

/* Whether what was read differs from the disk by zeros alone. */
static bool every_by_zeros(const struct every *every, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (every->got[i] != every->disk->bytes[i] && every->got[i] != 0)
            return false;
    return true;
}

static enum became every_look(struct every *every)
{
    struct io_image *image = NULL;
    struct err err = { 0 };
    enum became became = REFUSED;

    if (io_image_open_here(every->path, every->way->type, &image, &err) == ERR_OK) {
        const uint64_t size = io_image_size(image);
        const size_t len = size < LEN ? (size_t)size : LEN;

        became = size == every->size ? SOUND : RESIZED;
        if (io_image_read_at(image, 0, every->got, len, &err) != ERR_OK) {
            assert_int_equal(io_salvage_read(image, 0, every->got, len, every_is_bad, every, &err),
                             ERR_OK);
            became = became == SOUND ? TOLD : became;
        }
        if (memcmp(every->got, every->disk->bytes, len) != 0)
            became = every_by_zeros(every, len) ? UNSTORED : OTHER;
    } else {
        assert_int_not_equal(strlen(err.text), 0);
    }
    io_image_close(image);
    every->counts[became]++;
    return became;
}

/* Finds out what each byte of the file is. */
static void every_mark(struct every *every)
{
    struct io_image *image;
    struct io_span span;
    struct err err = { 0 };
    uint64_t first = every->len, before = every->len; /* starts of packed bytes */

    for (size_t i = 0; i + SECTOR <= every->len; i += SECTOR)
        if (every->bytes[i] != 0xff && /* a bitmap */
            memcmp(every->bytes + i, every->bytes + i + 1, SECTOR - 1) == 0)
            memset(every->is + i, SAME, SECTOR);
    if (io_image_open_here(every->path, every->way->type, &image, &err) != ERR_OK)
        fail_msg("%s", err.text);
    every->size = io_image_size(image);
    for (uint64_t at = 0, step; at < every->size; at += step) {
        assert_true(io_image_map(image, at, &span));
        step = span.how == IO_SPAN_ASK ? SECTOR : span.len; /* others may lie in what is packed */
        if (span.how == IO_SPAN_STORED)
            memset(every->is + span.fd_offset, OF_THE_DISK, (size_t)span.len);
        if (span.how != IO_SPAN_ASK || span.fd < 0)
            continue;
        if (span.fd_offset > before + (2 * NEAR))
            memset(every->is + before + NEAR, PACKED, (size_t)(span.fd_offset - before - 2 * NEAR));
        before = span.fd_offset;
        first = before < first ? before : first;
    }
    if (every->way->unsummed)
        memset(every->is + first, OF_THE_DISK, every->len - (size_t)first);
    io_image_close(image);
}

static void every_begin(struct every *every, const struct disk *disk, const struct way *way)
{
    struct stat st;

    *every = (struct every){ .disk = disk, .way = way, .random = 19 };
    tool(disk, way->tool, way->arguments);
    snprintf(every->path, sizeof every->path, "%s/%s", disk->folder, way->file);
    assert_int_equal(stat(every->path, &st), 0);
    every->len = (size_t)st.st_size;
    every->bytes = malloc(every->len);
    every->got = malloc(LEN);
    every->is = calloc(every->len, 1);
    FILE *file = fopen(every->path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(every->bytes, 1, every->len, file), every->len);
    fclose(file);
    every_mark(every);
    assert_int_equal(every_look(every), SOUND);
    every->counts[SOUND] = 0;
}

static void every_end(struct every *every)
{
    free(every->bytes);
    free(every->got);
    free(every->is);
}

/* Of how many places like this one in the file one is taken, of so few in what says little; share:
 * of those that count for one. */
static uint64_t every_of(const struct every *every, size_t at, uint32_t few, uint64_t share)
{
    return every->is[at] == IN_A_TABLE ? share : share * few;
}

/* Of how many that count for one are taken in all; 1: all. */
static uint64_t every_share(const struct every *every, uint32_t few, uint32_t wanted)
{
    uint64_t all = 0;

    if (getenv("BURIN_LONG") != NULL)
        return 1;
    for (size_t i = 0; i < every->len; i++)
        all += every->is[i] == IN_A_TABLE ? few : 1;
    return all / few < wanted ? 1 : all / few / wanted;
}

static bool every_taken(struct every *every, uint64_t of)
{
    return of == 1 || test_random(&every->random) % of == 0;
}

static void every_tell(struct every *every, const char *what)
{
    print_message("%s, %s: %" PRIu64 " refused, %" PRIu64 " sound, %" PRIu64 " told, %" PRIu64
                  " not stored, %" PRIu64 " of another size\n",
                  every->way->arguments, what, every->counts[REFUSED], every->counts[SOUND],
                  every->counts[TOLD], every->counts[UNSTORED], every->counts[RESIZED]);
    memset(every->counts, 0, sizeof every->counts);
}

static void every_flip(struct every *every)
{
    const uint64_t share = every_share(every, FEW_FLIPS, FLIPS / 8);
    const int fd = open(every->path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    for (size_t i = 0; i < every->len; i++) {
        const uint64_t of = every_of(every, i, FEW_FLIPS, share);

        for (uint32_t bit = 0; bit < 8 && every->is[i] != OF_THE_DISK; bit++) {
            const uint8_t changed = every->bytes[i] ^ (uint8_t)(1u << bit);

            if (!every_taken(every, of))
                continue;
            assert_int_equal(pwrite(fd, &changed, 1, (off_t)i), 1);
            const enum became became = every_look(every);
            assert_int_equal(pwrite(fd, every->bytes + i, 1, (off_t)i), 1);
            if (became == OTHER || every->counts[UNSTORED] > every->way->unstored ||
                every->counts[RESIZED] > every->way->resized)
                fail_msg("%s: byte %zu, bit %u: became %d", every->way->file, i, bit, (int)became);
        }
    }
    close(fd);
    if (getenv("BURIN_LONG") != NULL)
        assert_int_equal(every->counts[UNSTORED], every->way->unstored);
    every_tell(every, "bits");
}

static void every_cut(struct every *every)
{
    const uint64_t share = every_share(every, FEW_CUTS, CUTS);

    for (size_t len = every->len - 1; len > 0; len--) {
        if (!every_taken(every, every_of(every, len, FEW_CUTS, share)))
            continue;
        assert_int_equal(truncate(every->path, (off_t)len), 0);
        if (every_look(every) > TOLD)
            fail_msg("%s: cut at %zu", every->way->file, len);
    }
    every_tell(every, "cuts");
}

static void each(void **state, const struct way *ways, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct every every;

        every_begin(&every, *state, &ways[i]);
        every_flip(&every);
        every_cut(&every);
        every_end(&every);
    }
}

static void e01(void **state)
{
    static const struct way ways[] = {
        { "ewf", "fast.E01", "ewfacquire", "-u -q -c fast -t fast disk.raw", 0, 0, 0 },
        { "ewf", "none.E01", "ewfacquire", "-u -q -c none -f encase5 -t none disk.raw", 0, 0, 0 },
    };

    each(state, ways, 2);
}

static void vhd(void **state)
{
    static const struct way ways[] = {
        { "vhd", "a.vhd", "qemu-img",
          "convert -f raw -O vpc -o subformat=dynamic,force_size=on disk.raw a.vhd", SECTORS, 0,
          0 },
        { "vhd", "b.vhd", "qemu-img",
          "convert -f raw -O vpc -o subformat=fixed,force_size=on disk.raw b.vhd", 0, 0, 0 },
    };

    each(state, ways, 2);
}

static void vhdx(void **state)
{
    static const struct way ways[] = {
        { "vhdx", "a.vhdx", "qemu-img",
          "convert -f raw -O vhdx -o block_size=1M,log_size=1M disk.raw a.vhdx", 1, 64, 0 },
    };

    each(state, ways, 1);
}

static void qcow2(void **state)
{
    static const struct way ways[] = {
        { "qcow2", "a.qcow2", "qemu-img", "convert -f raw -O qcow2 disk.raw a.qcow2", 3, 64, 0 },
        { "qcow2", "b.qcow2", "qemu-img",
          "convert -f raw -O qcow2 -o compat=0.10,cluster_size=4k disk.raw b.qcow2", 0, 64, 0 },
        { "qcow2", "c.qcow2", "qemu-img", "convert -f raw -O qcow2 -c disk.raw c.qcow2", 1, 64,
          true },
        { "qcow2", "d.qcow2", "qemu-img",
          "convert -f raw -O qcow2 -c -o compression_type=zstd disk.raw d.qcow2", 1, 64, true },
    };

    each(state, ways, 4);
}

static void vdi(void **state)
{
    static const struct way ways[] = {
        { "vdi", "a.vdi", "qemu-img", "convert -f raw -O vdi disk.raw a.vdi", 0, 64, 0 },
    };

    each(state, ways, 1);
}

static const struct way stream = {
    "vmdk",     "a.vmdk",
    "qemu-img", "convert -f raw -O vmdk -o subformat=streamOptimized disk.raw a.vmdk",
    0,          0,
    0
};

static void vmdk(void **state)
{
    each(state, &stream, 1);
}

/* libvmdk, which reads other VMDKs, gives the packed bytes of a file that does not say "packed". */
static void a_vmdk_that_lost_a_sign_of_packing(void **state)
{
    static const size_t places[] = { 10, 77 }; /* flag 16; the way of packing is 1 */
    struct every every;

    every_begin(&every, *state, &stream);
    for (size_t i = 0; i < 2; i++) {
        every.bytes[places[i]] ^= 1;
        test_write_file(every.path, every.bytes, every.len);
        assert_int_equal(every_look(&every), REFUSED);
        every.bytes[places[i]] ^= 1;
    }
    every_end(&every);
}

static void aff4(void **state)
{
    static const char *const options[] = { "method=stored map=sparse", "method=zlib map=mixed",
                                           "method=zlib map=none zip=32" };
    char line[512];

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct way way = { "aff4", "disk.aff4", "python3", line, 0, 0, 0 };

        snprintf(line, sizeof line, "'%s/tests/io/aff4_write.py' disk.raw disk.aff4 %s", root,
                 options[i]);
        each(state, &way, 1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(e01, make_small, clean),
        cmocka_unit_test_setup_teardown(vhd, make_small, clean),
        cmocka_unit_test_setup_teardown(vhdx, make_small, clean),
        cmocka_unit_test_setup_teardown(qcow2, make_small, clean),
        cmocka_unit_test_setup_teardown(vdi, make_small, clean),
        cmocka_unit_test_setup_teardown(vmdk, make_small, clean),
        cmocka_unit_test_setup_teardown(a_vmdk_that_lost_a_sign_of_packing, make_small, clean),
        cmocka_unit_test_setup_teardown(aff4, make_small, clean),
    };

    if (getcwd(root, sizeof root) == NULL)
        return 1;
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
