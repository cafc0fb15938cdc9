/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_piece_hash.c - hashes of pieces, in the caller's thread and in one of
 * their own: the examples of FIPS 180-4 (NIST's "SHA256.pdf" and the long message of RFC 6234).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "carver/carve/piece_hash.h"

static void hash_is(struct piece_hash *hash, bool apart, const char *text, size_t times,
                    const char *want)
{
    char got[DB_SHA256_HEX + 1];
    struct err err = { 0 };

    assert_int_equal(piece_hash_begin(hash, apart, &err), ERR_OK);
    for (size_t i = 0; i < times; i++) {
        piece_hash_wait(hash);
        piece_hash_add(hash, (const uint8_t *)text, strlen(text));
    }
    assert_int_equal(piece_hash_end(hash, got, &err), ERR_OK);
    assert_string_equal(got, want);
}

static void hashes_are_those_of_the_standard(void **state)
{
    struct piece_hash *hash = NULL;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(piece_hash_open(&hash, &err), ERR_OK);
    for (int apart = 0; apart < 2; apart++) {
        hash_is(hash, apart == 1, "", 0,
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        hash_is(hash, apart == 1, "abc", 1,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        hash_is(
            hash, apart == 1,
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            "aaaaaaaaaaaaaaaa",
            10000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    piece_hash_close(hash);
}

/* A hash that nobody wants any more, and one after it. */
static void a_hash_may_be_given_up(void **state)
{
    static const uint8_t bytes[4096];
    char ignored[DB_SHA256_HEX + 1];
    struct piece_hash *hash = NULL;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(piece_hash_open(&hash, &err), ERR_OK);
    assert_int_equal(piece_hash_begin(hash, true, &err), ERR_OK);
    piece_hash_add(hash, bytes, sizeof bytes);
    assert_int_equal(piece_hash_end(hash, ignored, &err), ERR_OK);
    hash_is(hash, true, "abc", 1,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    piece_hash_close(hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(a_hash_may_be_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
