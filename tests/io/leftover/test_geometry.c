/* SPDX-License-Identifier: Apache-2.0
 * Boot sectors and superblocks: where volumes and their clusters lie by them, and by their copies.
 */
#include "io/leftover/geometry.h"
#include "tests/io/leftover/lib_leftover.h"

static void ntfs_in_front_and_at_the_end(void **state)
{
    uint8_t sector[512] = { 0xeb, 0x52, 0x90, 'N', 'T', 'F', 'S', ' ', ' ', ' ', ' ' };
    struct geometry readings[GEOMETRY_READINGS];

    (void)state;
    put(sector + 11, 512, 2);
    sector[13] = 8;
    put(sector + 40, 20479, 8);
    put(sector + 48, 4, 8);
    put(sector + 510, 0xaa55, 2);
    assert_true(geometry_may(sector));
    assert_int_equal(geometry_read(sector, 20480 * 512, readings), 2);
    assert_int_equal(readings[0].base, 20480 * 512);
    assert_int_equal(readings[1].base, 512);
    assert_int_equal(readings[1].unit, 4096);
    assert_int_equal(readings[1].unit_at, 512);
    assert_int_equal(readings[1].units, 2560);
    assert_int_equal(geometry_read(sector, 1024, readings), 1); /* no room for a volume before */
    sector[13] = 0xf4; /* 2 to the power of 12 sectors, of Windows 10 */
    assert_int_equal(geometry_read(sector, 0, readings), 1);
    assert_int_equal(readings[0].unit, 4096 * 512);
}

static void fat32_and_its_copy(void **state)
{
    uint8_t sector[512] = { 0xeb, 0x58, 0x90 };
    struct geometry readings[GEOMETRY_READINGS];
    uint64_t at = 0;

    (void)state;
    put(sector + 11, 512, 2);
    sector[13] = 4;
    put(sector + 14, 32, 2);
    sector[16] = 2;
    sector[21] = 0xf8;
    put(sector + 32, 400000, 4);
    put(sector + 36, 800, 4);
    put(sector + 50, 6, 2);
    put(sector + 510, 0xaa55, 2);
    assert_int_equal(geometry_read(sector, 63 * 512, readings), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t base = (63 - 6 * i) * 512;

        assert_int_equal(readings[i].kind, GEOMETRY_FAT);
        assert_int_equal(readings[i].base, base);
        assert_int_equal(readings[i].fat_at, base + 32 * 512);
        assert_int_equal(readings[i].unit_at, base + (32 + 1600) * 512);
        assert_int_equal(readings[i].fat_bits, 32);
        assert_int_equal(readings[i].units, (400000 - 1632) / 4);
    }
    assert_false(geometry_place(&readings[0], 1, 1, &at));
    assert_true(geometry_place(&readings[0], 3, 1, &at));
    assert_int_equal(at, readings[0].unit_at + 2048);
    assert_false(geometry_place(&readings[0], 2 + readings[0].units, 1, &at));
}

/* A boot sector without any parameters, and one of exFAT whose clusters are too large. */
static void sectors_without_sense(void **state)
{
    uint8_t sector[512] = { 0xeb, 0x76, 0x90, 'E', 'X', 'F', 'A', 'T', ' ', ' ', ' ' };
    struct geometry readings[GEOMETRY_READINGS];

    (void)state;
    put(sector + 510, 0xaa55, 2);
    assert_int_equal(geometry_read(sector, 1 << 20, readings), 0);
    sector[108] = 12;
    sector[109] = 14;
    assert_int_equal(geometry_read(sector, 1 << 20, readings), 0);
    memset(sector, 0, 510);
    assert_int_equal(geometry_read(sector, 1 << 20, readings), 0);
    put(sector + 56, 0xef53, 2);
    assert_int_equal(geometry_read(sector, 1 << 20, readings), 0);
}

static void superblocks_of_groups(void **state)
{
    uint8_t super[512] = { 0 };
    struct geometry readings[GEOMETRY_READINGS];

    (void)state;
    put(super + 4, 30000, 4);
    put(super + 20, 1, 4);
    put(super + 32, 8192, 4);
    put(super + 40, 2000, 4);
    put(super + 56, 0xef53, 2);
    put(super + 90, 3, 2); /* of group 3 of blocks of 1 KiB: at block 24,577 */
    assert_int_equal(geometry_read(super, 7 * 512 + 24577 * 1024, readings), 1);
    assert_int_equal(readings[0].base, 7 * 512);
    assert_int_equal(readings[0].unit, 1024);
    assert_int_equal(readings[0].size, 30000 * 1024);
    put(super + 90, 0, 2);
    assert_int_equal(geometry_read(super, 1024, readings), 1);
    assert_int_equal(readings[0].base, 0);
    assert_int_equal(geometry_read(super, 512, readings), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ntfs_in_front_and_at_the_end),
                                        cmocka_unit_test(fat32_and_its_copy),
                                        cmocka_unit_test(sectors_without_sense),
                                        cmocka_unit_test(superblocks_of_groups) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
