/* SPDX-License-Identifier: Apache-2.0
 * tests/io/filesystem/test_btrfs_chunks.c - where bytes of a chunk of Btrfs lie: by hand, from the
 * description of its profiles, with stripes of 64 KiB. */
#include "io/filesystem/btrfs_chunks.h"
#include "tests/io/lib_io.h"

enum { KIB = 1024, STRIPE = 64 * KIB, START = 1 << 20, ITEM = 48 + 4 * 32 };

static const struct btrfs_device device = { 7, "this one's uuid" };

static void put(uint8_t *at, uint64_t value, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A chunk of 1 MiB and four stripes at 10, 20, 30 and 40 MiB, of which those in the mask lie on the
 * device. */
static struct btrfs_chunks chunk(uint64_t type, uint32_t mask)
{
    struct btrfs_chunks chunks = { 0 };
    uint8_t item[ITEM] = { 0 };
    uint32_t taken = 0;
    struct err err;

    put(item, 1 << 20, 8);
    put(item + 16, STRIPE, 8);
    put(item + 24, type | 1, 8);
    put(item + 44, 4, 2);
    put(item + 46, (type & 0x40) != 0 ? 2 : 1, 2);
    for (uint32_t i = 0; i < 4; i++) {
        put(item + 48 + i * 32, (mask >> i & 1) != 0 ? device.id : 8, 8);
        put(item + 48 + i * 32 + 8, (uint64_t)(i + 1) * 10 << 20, 8);
        memcpy(item + 48 + i * 32 + 16, device.uuid, BTRFS_UUID);
    }
    assert_true(btrfs_chunks_add(&chunks, &device, START, item, sizeof item, &taken, &err) ==
                ERR_OK);
    assert_true(taken == sizeof item && chunks.count == 1);
    return chunks;
}

static void lies(const struct btrfs_chunks *chunks, uint32_t stripe, uint64_t from, uint64_t to,
                 uint64_t want_at, uint64_t want_len)
{
    uint64_t at = 0, len = 0;

    btrfs_stripe_run(&chunks->items[0], &chunks->stripes[stripe], from, to, &at, &len);
    assert_true(len == want_len && (len == 0 || at == want_at));
}

static void test_mirrors(void **state)
{
    (void)state;
    struct btrfs_chunks chunks = chunk(0x10, 0xa); /* RAID1, the second and the fourth */

    assert_true(chunks.items[0].count == 2);
    lies(&chunks, 0, 0, 1 << 20, 20 << 20, 1 << 20);
    lies(&chunks, 1, 5 * KIB, 900 * KIB, (40 << 20) + 5 * KIB, 895 * KIB);
    btrfs_chunks_release(&chunks);
}

static void test_raid0(void **state)
{
    (void)state;
    struct btrfs_chunks chunks = chunk(0x8, 0x4); /* the third: bytes 128 to 192 KiB of each 256 */

    lies(&chunks, 0, 0, 1 << 20, 30 << 20, 256 * KIB);
    lies(&chunks, 0, 0, 128 * KIB, 0, 0);
    lies(&chunks, 0, 192 * KIB, 384 * KIB, 0, 0);
    lies(&chunks, 0, 130 * KIB, 131 * KIB, (30 << 20) + 2 * KIB, KIB);
    lies(&chunks, 0, 100 * KIB, 400 * KIB, 30 << 20, 80 * KIB);
    lies(&chunks, 0, 384 * KIB, 1 << 20, (30 << 20) + STRIPE, 192 * KIB);
    btrfs_chunks_release(&chunks);
}

static void test_raid10(void **state)
{
    (void)state;
    struct btrfs_chunks chunks = chunk(0x40, 0xc); /* third and fourth: odd stripes, both of them */

    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t at = (uint64_t)(30 + 10 * i) << 20;

        lies(&chunks, i, 0, 1 << 20, at, 512 * KIB);
        lies(&chunks, i, 0, STRIPE, 0, 0);
        lies(&chunks, i, 70 * KIB, 300 * KIB, at + 6 * KIB, 122 * KIB);
    }
    btrfs_chunks_release(&chunks);
}

static void test_order(void **state)
{
    (void)state;
    struct btrfs_chunks chunks = chunk(0x8, 0x1);
    uint8_t item[ITEM] = { 0 };
    uint32_t taken = 0;
    struct err err;

    assert_true(btrfs_chunks_find(&chunks, START) == &chunks.items[0]);
    assert_true(btrfs_chunks_find(&chunks, START + (1 << 20) - 1) == &chunks.items[0]);
    assert_true(btrfs_chunks_find(&chunks, START - 1) == NULL);
    assert_true(btrfs_chunks_find(&chunks, START + (1 << 20)) == NULL);
    put(item, 1 << 20, 8);
    put(item + 16, STRIPE, 8);
    put(item + 44, 1, 2);
    assert_true(btrfs_chunks_add(&chunks, &device, START + 4096, item, sizeof item, &taken, &err) ==
                ERR_INPUT);
    assert_true(btrfs_chunks_add(&chunks, &device, 4096, item, sizeof item, &taken, &err) ==
                ERR_INPUT);
    assert_true(btrfs_chunks_add(&chunks, &device, 0, item, sizeof item, &taken, &err) == ERR_OK);
    assert_true(chunks.count == 2 && chunks.items[0].start == 0 && chunks.items[1].start == START);
    assert_true(btrfs_chunks_add(&chunks, &device, 4 << 20, item, 79, &taken, &err) == ERR_INPUT);
    btrfs_chunks_release(&chunks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_raid0),
        cmocka_unit_test(test_raid10),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
