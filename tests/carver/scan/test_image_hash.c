/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_image_hash.c - hashes of an image that comes in pieces, goes on elsewhere,
 * or has holes: against libcrypto's in one go, and against examples of the standards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/hex.h"
#include "carver/scan/image_hash.h"

enum { IMAGE = 34000003, ALL = 7 }; /* more than the ring has room for; no multiple of anything */

/* RFC 1321, A.5; FIPS 180-4's examples. */
static void the_examples_of_the_standards(void **state)
{
    static const char *const want[DIGEST_KINDS] = {
        "900150983cd24fb0d6963f7d28e17f72", "a9993e364706816aba3e25717850c26c9cd0d89d",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    };
    struct err err = { 0 };
    char text[MIDSTATE_TEXT];

    (void)state;
    assert_int_equal(midstate_self_test(&err), ERR_OK);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        struct midstate digest;

        midstate_begin(&digest, (enum digest_kind)kind);
        midstate_add(&digest, "a", 1);
        midstate_add(&digest, "bc", 2);
        midstate_end(&digest, text);
        assert_string_equal(text, want[kind]);
    }
}

/* More than 2^32 bits: the count of bits has two words. */
static void a_state_behind_many_bytes_goes_on(void **state)
{
    const size_t step = 1 << 20, steps = 513;
    uint8_t *bytes = malloc(step);
    struct pack pack = { 0 };
    char text[2][MIDSTATE_TEXT];

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'x', step);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        struct midstate one, two;

        midstate_begin(&one, (enum digest_kind)kind);
        for (size_t i = 0; i < steps; i++)
            midstate_add(&one, bytes, step);
        pack_clear(&pack);
        midstate_save(&one, &pack);
        struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
        midstate_restore(&two, (enum digest_kind)kind, (uint64_t)step * steps, &in);
        assert_true(unpack_whole(&in));
        midstate_add(&one, "tail", 4);
        midstate_add(&two, "tail", 4);
        midstate_end(&one, text[0]);
        midstate_end(&two, text[1]);
        assert_string_equal(text[0], text[1]);
    }
    pack_release(&pack);
    free(bytes);
}

static uint8_t *some_image(void)
{
    uint8_t *bytes = malloc(IMAGE);
    uint32_t random = 1;

    assert_non_null(bytes);
    for (size_t i = 0; i < IMAGE; i++)
        bytes[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    return bytes;
}

static void is_hash_of(const struct image_hash_result *result, const uint8_t *bytes, size_t len)
{
    const EVP_MD *const kinds[DIGEST_KINDS] = { EVP_md5(), EVP_sha1(), EVP_sha256() };

    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        uint8_t digest[EVP_MAX_MD_SIZE];
        char text[2 * EVP_MAX_MD_SIZE + 1];
        unsigned digest_len = 0;

        if ((result->kinds >> kind & 1) == 0)
            continue;
        assert_int_equal(EVP_Digest(bytes, len, digest, &digest_len, kinds[kind], NULL), 1);
        hex_bytes(digest, digest_len, text);
        text[2 * digest_len] = '\0';
        assert_string_equal(result->digests[kind], text);
    }
}

/* Puts [from, to) in pieces that overlap. */
static void put(struct image_hash *hash, const uint8_t *bytes, uint64_t from, uint64_t to)
{
    for (uint64_t at = from, len; at < to; at += len) {
        const uint64_t again = at - from < 4096 ? at - from : 4096;

        len = to - at < 777777 ? to - at : 777777;
        image_hash_put(hash, at - again, bytes + at - again, len + again, NULL, 0);
    }
}

static void pieces_that_overlap(void **state)
{
    uint8_t *bytes = some_image();
    struct image_hash_result result;
    struct image_hash *hash;
    struct err err = { 0 };

    (void)state;
    for (uint32_t kinds = 1; kinds <= ALL; kinds += 3) {
        assert_int_equal(image_hash_open(kinds, &hash, &err), ERR_OK);
        put(hash, bytes, 0, IMAGE);
        assert_int_equal(image_hash_finish(hash, IMAGE, &result, &err), ERR_OK);
        assert_int_not_equal(result.kinds, 0);
        assert_int_equal(result.kinds, kinds);
        assert_int_equal(result.bytes, IMAGE);
        assert_int_equal(result.filled, 0);
        is_hash_of(&result, bytes, IMAGE);
        image_hash_close(hash);
    }
    free(bytes);
}

static void what_is_missing_is_no_hash(void **state)
{
    uint8_t *bytes = some_image();
    struct image_hash_result result;
    struct image_hash *hash;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(image_hash_open(ALL, &hash, &err), ERR_OK);
    image_hash_put(hash, 0, bytes, 1000, NULL, 0);
    image_hash_put(hash, 1001, bytes + 1001, IMAGE - 1001, NULL, 0); /* byte 1000 has not come */
    assert_int_equal(image_hash_position(hash), 1000);
    assert_int_equal(image_hash_finish(hash, IMAGE, &result, &err), ERR_OK);
    assert_int_equal(result.kinds, 0);
    assert_int_equal(result.kinds, 0);
    image_hash_close(hash);
    assert_int_equal(image_hash_open(ALL, &hash, &err), ERR_OK);
    put(hash, bytes, 0, IMAGE); /* and nobody waits for the end */
    image_hash_close(hash);
    free(bytes);
}

/* Saved at any place, once and again, it goes on to the same hashes. */
static void goes_on_from_any_place(void **state)
{
    static const uint64_t places[] = { 0, 1, 4096, 8388607, 8388608, 12345678, IMAGE };
    static const struct io_range bad[] = { { 4000, 96 }, { 12000000, 400000 } };
    const struct io_bad_range bad_ranges[] = { { .offset = 4000, .len = 96 },
                                               { .offset = 12000000, .len = 400000 } };
    uint8_t *bytes = some_image(), *read = malloc(IMAGE);
    struct image_hash_result result;
    struct image_hash *hash;
    struct io_image *image;
    struct err err = { 0 };

    (void)state;
    assert_non_null(read);
    memcpy(read, bytes, IMAGE); /* what stands in bad ranges must not be read again */
    memset(bytes + 4000, 0, 96);
    memset(bytes + 12000000, 0, 400000);
    assert_int_equal(io_image_open_memory(read, IMAGE, &image, &err), ERR_OK);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct pack pack = { 0 };

        assert_int_equal(image_hash_open(ALL, &hash, &err), ERR_OK);
        /* The scan is further than what was recorded. */
        const uint64_t ahead = places[i] + 9000000 < IMAGE ? places[i] + 9000000 : IMAGE;
        image_hash_put(hash, 0, bytes, ahead, bad_ranges, 2);
        image_hash_save(hash, places[i] / 2, &pack);
        pack_clear(&pack);
        image_hash_save(hash, places[i], &pack);
        image_hash_close(hash);

        assert_int_equal(image_hash_open(ALL, &hash, &err), ERR_OK);
        struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
        assert_int_equal(image_hash_restore(hash, places[i], image, bad, 2, NULL, 0, &in, &err),
                         ERR_OK);
        assert_true(unpack_whole(&in));
        assert_int_equal(image_hash_position(hash), places[i]);
        image_hash_put(hash, places[i], bytes + places[i], IMAGE - places[i], bad_ranges, 2);
        assert_int_equal(image_hash_finish(hash, IMAGE, &result, &err), ERR_OK);
        assert_int_not_equal(result.kinds, 0);
        is_hash_of(&result, bytes, IMAGE);
        assert_int_equal(result.filled, 400096);
        image_hash_close(hash);
        pack_release(&pack);
    }
    io_image_close(image);
    free(bytes);
    free(read);
}

/* Bytes of a state that nobody vouches for. */
static void a_damaged_state_is_refused(void **state)
{
    const uint64_t numbers[][2] = { { 4096 * 64, 0 }, { 4095, 0 }, { 64, 65 } };
    struct image_hash *hash;
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pack pack = { 0 };

        pack_number(&pack, numbers[i][0]); /* behind the position; between; too many filled */
        pack_number(&pack, numbers[i][1]);
        struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
        assert_int_equal(image_hash_open(ALL, &hash, &err), ERR_OK);
        assert_int_equal(image_hash_restore(hash, 4096, NULL, NULL, 0, NULL, 0, &in, &err), ERR_OK);
        assert_true(in.failed);
        image_hash_close(hash);
        pack_release(&pack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_standards),
        cmocka_unit_test(a_state_behind_many_bytes_goes_on),
        cmocka_unit_test(pieces_that_overlap),
        cmocka_unit_test(what_is_missing_is_no_hash),
        cmocka_unit_test(goes_on_from_any_place),
        cmocka_unit_test(a_damaged_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
