/*
 * tests/signatures/test_gzip.c - gzip members built by hand from stored blocks (RFC 1951, 3.2.4), with a CRC-32 computed bit by bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { ROOM = 200000 };

struct file {
    uint8_t bytes[ROOM];
    size_t  len;
};

static void put(struct file *file, const void *bytes, size_t len)
{
    assert_true(file->len + len <= ROOM);
    memcpy(file->bytes + file->len, bytes, len);
    file->len += len;
}

static void put_le(struct file *file, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const uint8_t byte = (uint8_t)(value >> 8 * i);

        put(file, &byte, 1);
    }
}

static uint32_t crc32_bitwise(const uint8_t *bytes, size_t len)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

/* A member whose data is len pseudo-random bytes in stored blocks; flags as in the header. */
static void put_member(struct file *file, size_t len, uint8_t flags)
{
    static uint8_t data[ROOM];
    const uint8_t head[] = { 0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3 };

    for (size_t i = 0; i < len; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    put(file, head, sizeof head);
    if ((flags & 4) != 0)
        put(file, "\x03\x00" "abc", 5);
    if ((flags & 8) != 0)
        put(file, "a name", 7);
    if ((flags & 16) != 0)
        put(file, "a comment", 10);
    if ((flags & 2) != 0)
        put(file, "\x12\x34", 2);
    for (size_t at = 0; at < len || at == 0;) {
        const size_t block = len - at < 30000 ? len - at : 30000;
        const uint8_t final = at + block == len;

        put(file, &final, 1);
        put_le(file, (uint32_t)block, 2);
        put_le(file, ~(uint32_t)block, 2);
        put(file, data + at, block);
        at += block;
        if (final)
            break;
    }
    put_le(file, crc32_bitwise(data, len), 4);
    put_le(file, (uint32_t)len, 4);
}

static struct harness_verdict check(const struct file *file)
{
    return harness_check(harness_sig("gz"), file->bytes, file->len);
}

static void a_member_ends_behind_its_trailer(void **state)
{
    static const uint8_t flags[] = { 0, 4, 8, 16, 2, 4 | 8 | 16 | 2 };

    (void)state;
    for (size_t i = 0; i < sizeof flags; i++)
        for (size_t len = 0; len < 100000; len = len * 3 + 1) {
            struct file file = { .len = 0 };

            put_member(&file, len, flags[i]);
            const size_t end = file.len;
            put(&file, "what follows is not gzip", 24);
            assert_true(harness_header_matches(harness_sig("gz"), file.bytes, file.len));
            const struct harness_verdict v = check(&file);
            assert_int_equal(v.result.verdict, SIG_COMPLETE);
            assert_int_equal(v.result.len, end);
        }
}

static void members_that_touch_are_one_file(void **state)
{
    struct file file = { .len = 0 };

    (void)state;
    put_member(&file, 5000, 8);
    put_member(&file, 70000, 0);
    const size_t end = file.len;
    put(&file, "\0\0\0\0", 4);
    put_member(&file, 100, 0);
    const struct harness_verdict v = check(&file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, end);
    assert_int_equal(v.claim_count, 1);
}

static void a_broken_second_member_does_not_spoil_the_first(void **state)
{
    struct file file = { .len = 0 };

    (void)state;
    put_member(&file, 5000, 0);
    const size_t end = file.len;
    put_member(&file, 5000, 0);
    file.bytes[file.len - 1] ^= 1;
    const struct harness_verdict v = check(&file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, end);
}

static void a_wrong_crc_is_no_whole_file(void **state)
{
    struct file file = { .len = 0 };

    (void)state;
    put_member(&file, 60000, 0);
    file.bytes[40000] ^= 0x10;
    assert_int_equal(check(&file).result.verdict, SIG_BREAKS);
}

static void a_cut_file_is_truncated(void **state)
{
    struct file file = { .len = 0 };

    (void)state;
    put_member(&file, 60000, 0);
    file.len -= 5;
    const struct harness_verdict v = check(&file);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_true(v.result.len <= file.len);
}

static void look_alikes_are_refused(void **state)
{
    struct file file = { .len = 0 };

    (void)state;
    put(&file, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x01\x03", 10); /* xfl is 0, 2 or 4 */
    put(&file, "\x01\x00\x00\xff\xff\0\0\0\0\0\0\0\0", 13);
    assert_int_equal(check(&file).result.verdict, SIG_REJECT);
    memcpy(file.bytes, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x07", 11); /* block type 3 does not exist */
    assert_int_equal(check(&file).result.verdict, SIG_REJECT);
    file.len = 3;
    assert_int_equal(check(&file).result.verdict, SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_ends_behind_its_trailer),
        cmocka_unit_test(members_that_touch_are_one_file),
        cmocka_unit_test(a_broken_second_member_does_not_spoil_the_first),
        cmocka_unit_test(a_wrong_crc_is_no_whole_file),
        cmocka_unit_test(a_cut_file_is_truncated),
        cmocka_unit_test(look_alikes_are_refused),
    };
    return cmocka_run_group_tests_name("gzip", tests, NULL, NULL);
}
