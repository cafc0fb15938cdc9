/* SPDX-License-Identifier: Apache-2.0
 * Layouts of file systems that other programs made: mke2fs and debugfs (e2fsprogs), mformat and
 * mcopy (mtools). Where files lie is what debugfs and mshowfat say. Skipped by name where these
 * programs are missing.
 */
#include "tests/io/leftover/lib_leftover.h"

enum { UNIT = 1024, FILES = 30, HOLE = 20 * UNIT, BIG = 150 * UNIT + 77 };

struct bench {
    char folder[64], image[96];
};

static bool have(const char *programs)
{
    char command[256];

    snprintf(command, sizeof command,
             "PATH=$PATH:/sbin:/usr/sbin; for p in %s; do command -v $p || exit 1; done >/dev/null",
             programs);
    return system(command) == 0;
}

/* Runs a script with $i the image and $d the folder. */
static void run(const struct bench *bench, const char *script)
{
    char command[4096];

    snprintf(command, sizeof command,
             "set -e; exec 2>&1 >/dev/null; PATH=$PATH:/sbin:/usr/sbin; MTOOLS_SKIP_CHECK=1; "
             "export MTOOLS_SKIP_CHECK; i='%s'; d='%s'; %s",
             bench->image, bench->folder, script);
    assert_int_equal(system(command), 0);
}

/* The first number that a script prints; 0: none. */
static uint64_t number(const struct bench *bench, const char *script)
{
    char command[1024];
    unsigned long long value = 0;

    snprintf(
        command, sizeof command,
        "PATH=$PATH:/sbin:/usr/sbin; i='%s'; MTOOLS_SKIP_CHECK=1; export MTOOLS_SKIP_CHECK; %s",
        bench->image, script);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(fscanf(pipe, "%llu", &value) == 1 || value == 0);
    pclose(pipe);
    return value;
}

/*
 * Runs of units that a script prints, one a line: first and last. They become runs of bytes of a
 * file of BIG bytes, joined; unit number 0 lies at base.
 */
static uint32_t runs_of(const struct bench *bench, const char *script, uint64_t base, uint64_t unit,
                        uint64_t (*out)[2])
{
    char command[1024];
    unsigned long long first, last;
    uint64_t left = BIG;
    uint32_t count = 0;

    snprintf(
        command, sizeof command,
        "PATH=$PATH:/sbin:/usr/sbin; i='%s'; MTOOLS_SKIP_CHECK=1; export MTOOLS_SKIP_CHECK; %s",
        bench->image, script);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (left > 0 && fscanf(pipe, "%llu %llu", &first, &last) == 2) {
        uint64_t len = (last - first + 1) * unit;

        len = len < left ? len : left;
        left -= len;
        if (count > 0 && out[count - 1][0] + out[count - 1][1] == base + first * unit) {
            out[count - 1][1] += len;
            continue;
        }
        assert_true(count < TOLD_RUNS);
        out[count][0] = base + first * unit;
        out[count++][1] = len;
    }
    pclose(pipe);
    assert_int_equal(left, 0);
    assert_true(count > 1);
    return count;
}

static void begin(struct bench *bench)
{
    uint8_t *bytes = test_bytes(BIG, 1);
    char path[128];

    test_make_folder(bench->folder);
    snprintf(bench->image, sizeof bench->image, "%s/image", bench->folder);
    snprintf(path, sizeof path, "%s/big", bench->folder);
    test_write_file(path, bytes, BIG);
    snprintf(path, sizeof path, "%s/small", bench->folder);
    test_write_file(path, bytes, HOLE);
    free(bytes);
}

static struct told *walk(const struct bench *bench, uint64_t start)
{
    struct told *told = calloc(1, sizeof *told);
    const struct io_leftover_hint hint = { .starts = &start, .start_count = 1 };
    struct io_image *image = NULL;
    struct err err = { 0 };

    assert_non_null(told);
    assert_int_equal(io_image_open(bench->image, NULL, &image, &err), ERR_OK);
    told->image_size = io_image_size(image);
    assert_int_equal(io_leftover_walk(image, &hint, told_take, told, &err), ERR_OK);
    io_image_close(image);
    return told;
}

/* Some layout of the source has these runs, but that its last may be longer where it has no size.
 */
static const struct io_layout *found(const struct told *told, enum io_layout_source source,
                                     const uint64_t (*runs)[2], uint32_t count)
{
    for (uint32_t i = 0; i < told->count && i < TOLD_MAX; i++) {
        const struct io_layout *layout = &told->layouts[i];
        bool same = layout->source == source && layout->run_count == count;

        for (uint32_t k = 0; same && k < count; k++)
            same = layout->runs[k].offset == runs[k][0] &&
                   (layout->runs[k].len == runs[k][1] ||
                    (k + 1 == count && layout->size == 0 &&
                     layout->runs[k].len - runs[k][1] < layout->unit));
        if (same)
            return layout;
    }
    return NULL;
}

/* Fills the file system, frees every other file, and writes a large one into the holes. */
static const char fill_ext[] =
    "for k in $(seq 30); do echo write $d/small s$k; done >$d/c; "
    "for k in $(seq 1 2 30); do echo rm s$k; done >>$d/c; echo write $d/big big >>$d/c; "
    "debugfs -w -f $d/c $i";

/* What debugfs says of data blocks, as "first last": "(0-11):100-111, (IND):112, (12):113". */
static const char blocks_ext[] =
    "debugfs -R 'stat big' $i 2>/dev/null | sed -n '/^BLOCKS/,$p;/^EXTENTS/,$p' | tr ',' '\\n' | "
    "sed -n 's/^ *([0-9-]*)://p' | sed 's/^\\([0-9]*\\)$/\\1-\\1/' | tr '-' ' '";

/* What is owned ascends without touching, has the runs, and as many bytes as dumpe2fs says. */
static void owned(const struct bench *bench, const uint64_t (*runs)[2], uint32_t count, bool exact)
{
    const uint64_t unused =
        number(bench, "dumpe2fs -h $i 2>/dev/null | sed -n 's/^Free blocks: *//p'");
    struct io_image *image = NULL;
    struct io_fsmap *map = NULL;
    struct err err = { 0 };
    uint64_t bytes = 0;
    uint32_t ranges = 0, inside = 0;

    assert_int_equal(io_image_open(bench->image, NULL, &image, &err), ERR_OK);
    assert_int_equal(io_fsmap_open(image, NULL, NULL, &map, &err), ERR_OK);
    const struct io_range *range = io_fsmap_owned(map, &ranges);
    for (uint32_t i = 0; i < ranges; i++) {
        const uint64_t end = range[i].offset + range[i].len;

        assert_true(range[i].len > 0 &&
                    (i == 0 || range[i].offset > range[i - 1].offset + range[i - 1].len));
        bytes += range[i].len;
        for (uint32_t k = 0; k < count; k++)
            inside += runs[k][0] >= range[i].offset && runs[k][0] + runs[k][1] <= end;
    }
    assert_int_equal(inside, count);
    /* Of ext4 libtsk leaves out tables of inodes that were never used; nothing free is owned. */
    assert_true(exact ? bytes == io_image_size(image) - unused * UNIT
                      : bytes <= io_image_size(image) - unused * UNIT);
    io_fsmap_close(map);
    io_image_close(image);
}

static void ext(const char *make, enum io_layout_source deleted)
{
    uint64_t runs[TOLD_RUNS][2];
    struct bench bench;

    begin(&bench);
    run(&bench, make);
    run(&bench, fill_ext);
    const uint32_t count = runs_of(&bench, blocks_ext, 0, UNIT, runs);

    owned(&bench, (const uint64_t(*)[2])runs, count, deleted == IO_LAYOUT_INDIRECT);
    struct told *told = walk(&bench, runs[0][0]);
    const struct io_layout *layout = found(told, IO_LAYOUT_FILE, (const uint64_t(*)[2])runs, count);
    assert_non_null(layout);
    assert_int_equal(layout->size, BIG);
    assert_string_equal(layout->path, "/big");
    assert_int_equal(layout->unit, UNIT);
    assert_true(layout->in_use && layout->modified > 0);
    free(told);

    /* A deletion by Linux leaves nothing in the inode. */
    run(&bench, "debugfs -w -R 'clri big' $i");
    told = walk(&bench, runs[0][0]);
    assert_non_null(found(told, deleted, (const uint64_t(*)[2])runs, count));
    free(told);

    run(&bench,
        "dd status=none if=/dev/zero of=$i bs=1024 count=2 conv=notrunc"); /* the superblock */
    told = walk(&bench, runs[0][0]);
    assert_non_null(found(told, deleted, (const uint64_t(*)[2])runs, count));
    free(told);
    test_remove_folder(bench.folder);
}

static void ext2_of_e2fsprogs(void **state)
{
    (void)state;
    if (!have("mke2fs debugfs")) {
        print_message("no e2fsprogs here\n");
        skip();
    }
    ext("mke2fs -q -F -t ext2 -b 1024 $i 24M", IO_LAYOUT_INDIRECT);
}

static void ext4_of_e2fsprogs(void **state)
{
    (void)state;
    if (!have("mke2fs debugfs")) {
        print_message("no e2fsprogs here\n");
        skip();
    }
    ext("mke2fs -q -F -t ext4 -b 1024 $i 24M", IO_LAYOUT_EXTENTS);
}

static void fat32_of_mtools(void **state)
{
    uint64_t runs[TOLD_RUNS][2];
    struct bench bench;

    (void)state;
    if (!have("mformat mcopy mdel mshowfat minfo")) {
        print_message("no mtools here\n");
        skip();
    }
    begin(&bench);
    run(&bench, "truncate -s 40M $i; mformat -i $i -F -c 1 -t 80 -h 16 -s 63 ::; "
                "for k in $(seq 30); do mcopy -i $i $d/small ::s$k; done; "
                "for k in $(seq 1 2 30); do mdel -i $i ::s$k; done; ");
    /* A new search begins at the lowest cluster: what FSINFO says is the next one is wiped. */
    run(&bench, "printf '\\377\\377\\377\\377\\377\\377\\377\\377' | "
                "dd status=none of=$i bs=1 seek=1000 conv=notrunc; mcopy -i $i $d/big ::big");
    const uint64_t reserved = number(&bench, "minfo -i $i :: | sed -n 's/^reserved (boot) "
                                             "sectors: //p'");
    const uint64_t fat = number(&bench, "minfo -i $i :: | sed -n 's/^Big fatlen=//p'");
    const uint64_t base = (reserved + 2 * fat - 2) * 512;
    const uint32_t count =
        runs_of(&bench,
                "mshowfat -i $i ::big | tr -d '\\n' | sed 's/^[^<]*//' | tr '<>' '\\n\\n' | "
                "sed -n '/^ *[0-9]/{s/^ *\\([0-9]*\\)$/\\1-\\1/;s/-/ /;p}'",
                base, 512, runs);
    struct told *told = walk(&bench, runs[0][0]);
    assert_non_null(found(told, IO_LAYOUT_FILE, (const uint64_t(*)[2])runs, count));
    free(told);

    run(&bench, "dd status=none if=/dev/zero of=$i bs=512 count=1 conv=notrunc"); /* its copy is at
                                                                                     sector 6 */
    told = walk(&bench, runs[0][0]);
    assert_true(found(told, IO_LAYOUT_FILE, (const uint64_t(*)[2])runs, count) != NULL ||
                found(told, IO_LAYOUT_FAT_ENTRY, (const uint64_t(*)[2])runs, count) != NULL);
    free(told);

    run(&bench, "dd status=none if=$i of=$i bs=512 skip=6 count=1 conv=notrunc; mdel -i $i ::big");
    told = walk(&bench, runs[0][0]);
    const struct io_layout *open = NULL;
    for (uint32_t i = 0; i < told->count && i < TOLD_MAX; i++)
        if (told->layouts[i].open_end && told->layouts[i].size == BIG)
            open = &told->layouts[i];
    assert_non_null(open);
    assert_int_equal(open->runs[0].offset, runs[0][0]);
    assert_int_equal(open->runs[0].len, 512);
    assert_int_equal(open->unit, 512);
    free(told);
    test_remove_folder(bench.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ext2_of_e2fsprogs),
                                        cmocka_unit_test(ext4_of_e2fsprogs),
                                        cmocka_unit_test(fat32_of_mtools) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
