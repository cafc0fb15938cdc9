/* SPDX-License-Identifier: Apache-2.0
 * FILE records of NTFS: sizes, names, runs, and what is no plain stream. */
#include "io/leftover/mft_record.h"
#include "tests/io/leftover/lib_ntfs.h"

/* 3 clusters at 0x1000, 2 at 0x1000 - 0x10, 5 at 0x0ff0 + 0x12345: by the rules of run lists. */
static const uint8_t runs[] = { 0x21, 3, 0x00, 0x10, 0x11, 2, 0xf0, 0x31, 5, 0x45, 0x23, 0x01, 0 };

static const struct record plain = { .number = 77,
                                     .sequence = 4,
                                     .flags = 1,
                                     .name = "a.png",
                                     .last_vcn = 9,
                                     .allocated = 10 * 4096,
                                     .size = 40000,
                                     .runs = runs,
                                     .runs_len = sizeof runs };

static void a_record_is_read(void **state)
{
    static const uint64_t want[][2] = { { 0x1000, 3 }, { 0xff0, 2 }, { 0xff0 + 0x12345, 5 } };
    uint8_t bytes[RECORD];
    struct mft_record record;
    uint64_t cluster, count;
    bool broken;

    (void)state;
    record_make(bytes, &plain);
    assert_true(mft_record_read(bytes, sizeof bytes, &record));
    assert_int_equal(record.number, 77);
    assert_int_equal(record.sequence, 4);
    assert_true(record.in_use && !record.folder && record.has_data);
    assert_string_equal(record.name, "a.png");
    assert_int_equal(record.modified, 1000000000);
    assert_int_equal(record.size, 40000);
    assert_int_equal(record.next_vcn, 10);
    struct mft_runs list = mft_runs_of(&record);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(mft_runs_next(&list, &cluster, &count, &broken));
        assert_int_equal(cluster, want[i][0]);
        assert_int_equal(count, want[i][1]);
    }
    assert_false(mft_runs_next(&list, &cluster, &count, &broken));
    assert_false(broken);
}

static void a_sector_of_another_time_is_seen(void **state)
{
    uint8_t bytes[RECORD];
    struct mft_record record;

    (void)state;
    record_make(bytes, &plain);
    bytes[1023] ^= 1;
    assert_false(mft_record_read(bytes, sizeof bytes, &record));
    record_make(bytes, &plain);
    assert_false(mft_record_read(bytes, RECORD - 1, &record));
    bytes[28] = 0;
    bytes[29] = 3;
    assert_false(mft_record_read(bytes, sizeof bytes, &record));
}

static void packed_streams_are_none(void **state)
{
    static const uint32_t flags[] = { 1, 0x4000, 0x8000 }; /* compressed, encrypted, sparse */
    uint8_t bytes[RECORD];
    struct mft_record record;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct record packed = plain;

        packed.data_flags = flags[i];
        record_make(bytes, &packed);
        assert_true(mft_record_read(bytes, sizeof bytes, &record));
        assert_false(record.has_data);
    }
}

static void broken_runs_end(void **state)
{
    /* A hole; a length of 0; before cluster 0; longer than what is there. */
    static const uint8_t bad[][4] = {
        { 0x01, 5, 0, 0 }, { 0x11, 0, 5, 0 }, { 0x11, 1, 0x80, 0 }, { 0x48, 1, 1, 1 }
    };
    uint64_t cluster, count;
    bool broken;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct mft_runs list = { bad[i], sizeof bad[i], 0 };

        assert_false(mft_runs_next(&list, &cluster, &count, &broken));
        assert_true(broken);
    }
}

static void a_block_of_an_index_is_known(void **state)
{
    /* Where, and what: another magic, a sector of another time, more entries than there is room,
     * entries behind their end, a block that ends within a sector. */
    static const uint32_t bad[][2] = {
        { 0, 'i' }, { 1534, 0x44 }, { 29, 0xff }, { 24, 64 }, { 32, 0xe9 }
    };
    uint8_t bytes[INDEX_BLOCK];

    (void)state;
    index_make(bytes);
    assert_int_equal(mft_index_block(bytes, sizeof bytes), INDEX_BLOCK);
    assert_int_equal(mft_index_block(bytes, sizeof bytes - 1), 0);
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        index_make(bytes);
        bytes[bad[i][0]] = (uint8_t)bad[i][1];
        assert_int_equal(mft_index_block(bytes, sizeof bytes), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_record_is_read),
                                        cmocka_unit_test(a_sector_of_another_time_is_seen),
                                        cmocka_unit_test(packed_streams_are_none),
                                        cmocka_unit_test(broken_runs_end),
                                        cmocka_unit_test(a_block_of_an_index_is_known) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
