/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_grams.c - one string in GRAMS_SHARE is kept, the same ones wherever
 * they stand; each once; of zeros none. What was added is found, and hardly anything else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carver/assemble/grams.h"

enum { SECTOR = 512, SECTORS = 512 };

static uint64_t seed = 1;

static void fill(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 56);
    }
}

static void a_share_of_all_strings_is_kept(void **state)
{
    uint8_t bytes[SECTOR];
    struct grams grams;
    uint32_t sum = 0;

    (void)state;
    for (int i = 0; i < SECTORS; i++) {
        fill(bytes, sizeof bytes);
        grams_of_sector(bytes, &grams);
        sum += grams.count;
    }
    /* 507 strings a sector: the mean is 31.7, and its error in 512 sectors a quarter. */
    assert_in_range(sum, SECTORS * 31, SECTORS * 33);
}

/* Place by place, with a product of 64 bits, the lower half of whose upper half is the hash. */
static void strings_are_kept_by_their_hash(void **state)
{
    uint8_t bytes[SECTOR];
    struct grams grams;

    (void)state;
    for (int n = 0; n < SECTORS; n++) {
        uint32_t count = 0;

        fill(bytes, sizeof bytes);
        memset(bytes + n, n, n % 3 == 0 ? (size_t)(SECTOR - n) / 2 : 0);
        grams_of_sector(bytes, &grams);
        for (uint32_t i = 0; i + GRAMS_LEN <= SECTOR && count < GRAMS_MAX; i++) {
            uint64_t gram = 0;
            bool fresh = false;

            for (uint32_t k = 0; k < GRAMS_LEN; k++) {
                gram |= (uint64_t)bytes[i + k] << 8 * k;
                fresh = fresh || bytes[i + k] != bytes[i];
            }
            const uint32_t hash = (uint32_t)(gram * UINT64_C(0x9e3779b97f4a7c15) >> 32);
            for (uint32_t k = 0; k < count; k++)
                fresh = fresh && grams.hashes[k] != hash;
            if (hash % GRAMS_SHARE != 0 || !fresh)
                continue;
            assert_true(count < grams.count);
            assert_int_equal(grams.hashes[count], hash);
            count++;
        }
        assert_int_equal(grams.count, count);
    }
}

static void the_same_strings_are_kept_wherever_they_stand(void **state)
{
    uint8_t one[SECTOR], two[SECTOR];
    struct grams a, b;

    (void)state;
    for (uint32_t shift = 0; shift < 64; shift++) {
        uint32_t common = 0, expected = 0;

        fill(one, sizeof one);
        fill(two, sizeof two);
        memcpy(two + shift, one + 64, 400);
        grams_of_sector(one, &a);
        grams_of_sector(two, &b);
        /* Those that lie in the 400 bytes, counted in a sector that has nothing else. */
        memset(one, 0, 64);
        memset(one + 464, 0, sizeof one - 464);
        struct grams_set set = { 0 };
        grams_add(&set, &b);
        for (uint32_t i = 0; i < a.count; i++)
            common += grams_has(&set, a.hashes[i]);
        grams_of_sector(one, &a);
        for (uint32_t i = 0; i < a.count; i++)
            expected += grams_has(&set, a.hashes[i]);
        assert_true(common + 2 >= expected && common <= expected + 2);
        assert_in_range(common, 8, 42); /* of 395: the mean is 24.7 */
    }
}

static void zeros_have_none_and_what_comes_again_counts_once(void **state)
{
    uint8_t bytes[SECTOR];
    struct grams grams;
    uint32_t most = 0;

    (void)state;
    for (int value = 0; value < 256; value++) {
        memset(bytes, value, sizeof bytes);
        grams_of_sector(bytes, &grams);
        assert_int_equal(grams.count, 0);
    }
    for (int i = 0; i < 64; i++) {
        fill(bytes, 32);
        for (size_t k = 32; k < sizeof bytes; k++)
            bytes[k] = bytes[k - 32];
        grams_of_sector(bytes, &grams);
        most = grams.count > most ? grams.count : most;
    }
    assert_in_range(most, 1, 32); /* strings there are */
}

static void sets_and_counts_tell_apart(void **state)
{
    struct grams_common *common = calloc(1, sizeof *common);
    struct grams_set set = { 0 };
    uint8_t bytes[SECTOR];
    struct grams grams;
    uint32_t wrong = 0, all = 0;

    (void)state;
    assert_non_null(common);
    for (int i = 0; i < 64; i++) {
        fill(bytes, sizeof bytes);
        grams_of_sector(bytes, &grams);
        grams_add(&set, &grams);
        for (uint32_t k = 0; k < grams.count; k++) {
            assert_true(grams_has(&set, grams.hashes[k]));
            grams_count(common, grams.hashes[k]);
            grams_count(common, grams.hashes[k]);
            assert_true(grams_places(common, grams.hashes[k]) >= 2);
        }
    }
    for (int i = 0; i < SECTORS; i++) {
        fill(bytes, sizeof bytes);
        grams_of_sector(bytes, &grams);
        for (uint32_t k = 0; k < grams.count; k++, all++)
            wrong += grams_has(&set, grams.hashes[k]);
    }
    assert_true(wrong * 50 < all); /* 2,000 of 2^18 are taken */
    free(common);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_all_strings_is_kept),
        cmocka_unit_test(strings_are_kept_by_their_hash),
        cmocka_unit_test(the_same_strings_are_kept_wherever_they_stand),
        cmocka_unit_test(zeros_have_none_and_what_comes_again_counts_once),
        cmocka_unit_test(sets_and_counts_tell_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
