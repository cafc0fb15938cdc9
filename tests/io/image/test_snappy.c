/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_snappy.c - Snappy is unpacked to the bytes that libsnappy packed, and nothing
 * else is written.
 *
 * Method: libsnappy is loaded where it is installed, packs bytes of many kinds and says what is
 * sound; rows written out by hand from format_description.txt need no library.
 */
#include <dlfcn.h>

#include "io/image/snappy.h"
#include "tests/io/lib_io.h"

enum { LEN_MAX = 200000, GUARD = 64 };

typedef int pack_fn(const char *in, size_t len, char *out, size_t *out_len);
typedef int unpack_fn(const char *in, size_t len, char *out, size_t *out_len);

static void by_hand(void **state)
{
    static const struct {
        const char *packed;
        size_t len;
        const char *made; /* NULL: damaged */
    } rows[] = {
        { "\3\10abc", 5, "abc" },
        { "\x05\x00"
          "a\x01\x01",
          5, "aaaaa" }, /* a copy of 4 at distance 1 */
        { "\x06\x04"
          "ab\x0e\x02\x00",
          7, "ababab" }, /* a copy of 4 at distance 2, in 2 bytes */
        { "\x06\x04"
          "ab\x0f\x02\x00\x00\x00",
          9, "ababab" },                        /* the same, in 4 bytes */
        { "\3\xf0\2abc", 6, "abc" },            /* the length in a byte of its own */
        { "\3\xfc\2\0\0\0abc", 9, "abc" },      /* and in four */
        { "\3\10ab", 4, NULL },                 /* a literal that ends too early */
        { "\4\10abc", 5, NULL },                /* less than is said */
        { "\2\10abc", 5, NULL },                /* more */
        { "\5\0a\1\0", 5, NULL },               /* distance 0 */
        { "\5\0a\1\2", 5, NULL },               /* in front of the beginning */
        { "\6\4ab\x0e\2", 6, NULL },            /* half a distance */
        { "\xff\xff\xff\xff\x1f\0a", 7, NULL }, /* a length of more than 32 bits */
        { "\x80\x80\x80\x80\x80\1", 6, NULL },
        { "", 0, NULL },
    };
    uint8_t out[64];

    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t want = rows[i].made == NULL ? 0 : strlen(rows[i].made);
        const size_t made =
            io_snappy_unpack((const uint8_t *)rows[i].packed, rows[i].len, out, sizeof out);

        if (made != want || memcmp(out, rows[i].made == NULL ? "" : rows[i].made, want) != 0)
            fail_msg("row %u: %zu bytes", i, made);
    }
    assert_int_equal(io_snappy_unpack((const uint8_t *)"\3\10abc", 5, out, 2), 0); /* no room */
}

/* Bytes of kind: random, few values, repeats at many distances, all alike. */
static void fill(uint8_t *bytes, size_t len, uint32_t kind, uint64_t *random)
{
    for (size_t i = 0; i < len; i++) {
        const uint64_t word = test_random(random);

        if (kind == 0 || i < 4)
            bytes[i] = (uint8_t)(word >> 32);
        else if (kind == 1)
            bytes[i] = (uint8_t)(word >> 32 & 3);
        else if (kind == 2)
            bytes[i] =
                word % 50 == 0 ? (uint8_t)(word >> 32) : bytes[i - 1 - (word >> 40) % (i - 1)];
        else
            bytes[i] = kind == 3 ? bytes[i - 3] : 0;
    }
}

static void as_libsnappy(void **state)
{
    void *library = dlopen("libsnappy.so.1", RTLD_NOW | RTLD_LOCAL);
    uint8_t *in = malloc(LEN_MAX), *out = malloc(LEN_MAX + GUARD), *theirs = malloc(LEN_MAX);
    char *packed = malloc(LEN_MAX * 2);
    uint64_t random = 5;
    uint32_t sound = 0;

    (void)state;
    if (library == NULL) {
        print_message("libsnappy1v5 is not installed\n");
        skip();
    }
    pack_fn *pack = (pack_fn *)(uintptr_t)dlsym(library, "snappy_compress");
    unpack_fn *unpack = (unpack_fn *)(uintptr_t)dlsym(library, "snappy_uncompress");
    assert_true(pack != NULL && unpack != NULL);
    for (uint32_t i = 0; i < 2000; i++) {
        const size_t len = (size_t)(test_random(&random) % (i % 10 == 0 ? LEN_MAX : 3000));
        size_t packed_len = LEN_MAX * 2;

        fill(in, len, i % 5, &random);
        assert_int_equal(pack((const char *)in, len, packed, &packed_len), 0);
        memset(out, 0xee, len + GUARD);
        assert_int_equal(io_snappy_unpack((const uint8_t *)packed, packed_len, out, len), len);
        assert_memory_equal(out, in, len);
        for (uint32_t k = 0; k < GUARD; k++)
            assert_int_equal(out[len + k], 0xee);
        /* Of changed bytes both say the same. */
        for (uint32_t k = 0; k < 20 && packed_len > 0; k++) {
            packed[test_random(&random) % packed_len] ^= (char)(1 << k % 8);
            size_t their_len = LEN_MAX;
            const bool right = unpack(packed, packed_len, (char *)theirs, &their_len) == 0;
            const size_t made = io_snappy_unpack((const uint8_t *)packed, packed_len, out, LEN_MAX);

            assert_int_equal(made, right ? their_len : 0);
            assert_memory_equal(out, theirs, made);
            sound += right;
        }
    }
    assert_true(sound > 1000); /* so that more than refusals were compared */
    dlclose(library);
    free(in);
    free(out);
    free(theirs);
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand), cmocka_unit_test(as_libsnappy) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
