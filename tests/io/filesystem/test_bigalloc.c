/* SPDX-License-Identifier: Apache-2.0
 * tests/io/filesystem/test_bigalloc.c - free clusters of ext4: by hand, from the description of its
 * superblock, descriptors and bitmaps. tests/cli/deleted.sh compares with dumpe2fs.
 *
 * 1,500 blocks of 1 KiB, clusters of 4: a group of 256 clusters and one of 119. The superblock lies
 * in block 1, the descriptors in block 2, the bitmaps in blocks 4 and 5.
 */
#include "io/filesystem/bigalloc.h"
#include "tests/io/lib_io.h"

enum { BLOCK = 1024, BLOCKS = 1500, LEN = BLOCKS * BLOCK, SUPER = BLOCK, GROUPS = 2 * BLOCK };
enum { BITS = 4 * BLOCK, BITS_2 = 5 * BLOCK, RUNS = 16, WIDE = 0x80, FLAGS = 0x400 };

struct runs {
    uint64_t at[RUNS], len[RUNS]; /* bytes */
    uint32_t count;
};

static void put(uint8_t *at, uint64_t value, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static bool read_memory(void *arg, uint64_t at, void *out, uint32_t len)
{
    memcpy(out, (const uint8_t *)arg + at, len);
    return true;
}

static bool tell(void *arg, uint64_t at, uint64_t len)
{
    struct runs *runs = arg;

    assert_true(runs->count < RUNS);
    runs->at[runs->count] = at;
    runs->len[runs->count++] = len;
    return true;
}

/* In use are clusters 0 to 4 and 9 of the first group, and the last of the second. */
static uint8_t *file_system(uint32_t descriptor_len)
{
    uint8_t *fs = calloc(1, LEN);

    assert_non_null(fs);
    put(fs + SUPER + 4, BLOCKS, 4);
    put(fs + SUPER + 28, 2, 4); /* log2 of a cluster's KiB */
    put(fs + SUPER + 32, 1024, 4);
    put(fs + SUPER + 36, 256, 4);
    put(fs + SUPER + 56, 0xef53, 2);
    put(fs + SUPER + 96, descriptor_len == 64 ? WIDE : 0, 4);
    put(fs + SUPER + 100, 0x200 | FLAGS, 4);
    put(fs + SUPER + 254, descriptor_len, 2);
    put(fs + GROUPS, 4, 4);
    put(fs + GROUPS + 12, 250, 2);
    put(fs + GROUPS + descriptor_len, 5, 4);
    put(fs + GROUPS + descriptor_len + 12, 118, 2);
    put(fs + BITS, 0x21f, 2);
    put(fs + BITS_2 + 118 / 8, 1 << 118 % 8, 1);
    return fs;
}

static bool free_runs(uint8_t *bytes, uint64_t size, struct runs *runs)
{
    const struct source source = { .read = read_memory, .arg = bytes, .size = size };
    struct bigalloc fs;

    *runs = (struct runs){ .count = 0 };
    return bigalloc_open(&source, &fs) && bigalloc_free(&source, &fs, tell, runs);
}

static void what_is_free(void **unused)
{
    enum { CLUSTER = 4 * BLOCK };

    (void)unused;
    for (uint32_t descriptor_len = 32; descriptor_len <= 64; descriptor_len *= 2) {
        uint8_t *fs = file_system(descriptor_len);
        struct runs runs;

        assert_true(free_runs(fs, LEN, &runs));
        assert_int_equal(runs.count, 3);
        assert_true(runs.at[0] == 5 * CLUSTER && runs.len[0] == 4 * CLUSTER);
        assert_true(runs.at[1] == 10 * CLUSTER && runs.len[1] == 246 * CLUSTER);
        assert_true(runs.at[2] == 256 * CLUSTER && runs.len[2] == 118 * CLUSTER);
        /* Without its last bit the run ends with the file system; with the flag nothing is read. */
        put(fs + BITS_2 + 118 / 8, 0, 1);
        put(fs + GROUPS + descriptor_len + 12, 119, 2);
        assert_true(free_runs(fs, LEN, &runs));
        assert_true(runs.count == 3 && runs.at[2] + runs.len[2] == LEN);
        put(fs + GROUPS + descriptor_len + 18, 2, 2);
        put(fs + GROUPS + descriptor_len, 0xffffff, 4);
        assert_true(free_runs(fs, LEN, &runs));
        assert_true(runs.count == 3 && runs.at[2] + runs.len[2] == LEN);
        free(fs);
    }
}

static void what_is_damaged(void **unused)
{
    static const struct {
        uint32_t at, value, len;
    } damages[] = {
        { SUPER + 56, 0, 2 },         /* no magic */
        { SUPER + 100, FLAGS, 4 },    /* no clusters */
        { SUPER + 96, 0x10, 4 },      /* descriptors elsewhere */
        { SUPER + 24, 7, 4 },         /* blocks of 128 KiB */
        { SUPER + 24, 3, 4 },         /* blocks larger than clusters */
        { SUPER + 36, 128, 4 },       /* too few clusters of a group */
        { SUPER + 32, 1023, 4 },      /* blocks and clusters of a group differ */
        { SUPER + 4, BLOCKS + 1, 4 }, /* more blocks than bytes */
        { GROUPS + 12, 249, 2 },      /* fewer free than bits */
        { GROUPS, BLOCKS, 4 },        /* a bitmap behind the end */
        { BITS + 20, 1, 1 },          /* a bit more */
        { GROUPS + 64 + 44, 1, 2 },   /* the upper half of a count */
        { SUPER + 254, 48, 2 },       /* a descriptor of 48 bytes */
    };
    struct runs runs;

    (void)unused;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        uint8_t *fs = file_system(64);

        put(fs + damages[i].at, damages[i].value, damages[i].len);
        assert_false(free_runs(fs, LEN, &runs));
        free(fs);
    }
    uint8_t *fs = file_system(64);
    assert_false(free_runs(fs, LEN - BLOCK, &runs));
    free(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free),
        cmocka_unit_test(what_is_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
