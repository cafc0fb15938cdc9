/* SPDX-License-Identifier: Apache-2.0
 * tests/match/bloom/test_bloom.c - Bloom filters: sizes and rates against the literature, and one
 * table whatever makes it.
 *
 * Method: keys are numbers mixed to 16 or 20 bytes, or words of 0 to 24 letters. Every form inserts
 * and is asked the same; tables and answers must be identical, no key of the set may be missing,
 * and the share of others let through must be what the formula says. The values of the thesis' hash
 * function come from a second program, written from its description in another language.
 *
 * Labels: gpu
 */
#include <math.h>

#include "match/bloom.h"
#include "match/bloom/bloom_parts.h"
#include "match/device/device_host.h"
#include "tests/match/match_test.h"

enum { KEYS = 50000, OTHERS = 400000, MEMORY = 1 << 28 };

static const enum bloom_kind kinds[] = { BLOOM_SALTED, BLOOM_STANDARD, BLOOM_BLOCKED };

/* count keys from number `from` on; len 0: words. */
static struct bloom_keys make_keys(uint64_t from, uint64_t count, uint32_t len)
{
    uint64_t *starts = calloc(count + 1, sizeof *starts);
    uint8_t *bytes = malloc(count * 32 + 32);

    assert_true(starts != NULL && bytes != NULL);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = bloom_mix(from + i + 1);
        const uint32_t n = len != 0 ? len : 8 + (uint32_t)(x >> 60);

        starts[i + 1] = starts[i] + n;
        for (uint32_t k = 0; k < n; k++) {
            const uint8_t byte = (uint8_t)(bloom_mix(x + k / 8) >> k % 8 * 8);

            bytes[starts[i] + k] = len != 0 ? byte : (uint8_t)('a' + byte % 26);
        }
    }
    if (len == 0)
        return (struct bloom_keys){ .bytes = bytes, .starts = starts, .count = count };
    free(starts);
    return (struct bloom_keys){ .bytes = bytes, .len = len, .count = count };
}

static void free_keys(struct bloom_keys *keys)
{
    free((void *)(uintptr_t)keys->bytes);
    free((void *)(uintptr_t)keys->starts);
}

static struct bloom *open_filter(enum bloom_kind kind, uint64_t n, double rate, uint32_t k)
{
    struct bloom_shape shape;
    struct bloom *bloom = NULL;

    TEST_OK(bloom_plan(kind, n, rate, k, &shape, &test_err));
    TEST_OK(bloom_open(&shape, 7, &bloom, &test_err));
    return bloom;
}

static void sizes_and_rates_are_those_of_the_literature(void **state)
{
    struct bloom_shape shape = { .kind = BLOOM_STANDARD, .k = 16, .bits = 1ULL << 32 };

    (void)state;
    /* NIST's filter of the NSRL: 2^32 bits, 10^8 hashes, k = 16. */
    assert_true(fabs(bloom_rate(&shape, 100000000) / 7.7e-9 - 1) < 0.01);
    /* The textbook: 9.6 bits a key for 1 %, 4.8 more for each power of ten; k = 7 and 10 and 13. */
    TEST_OK(bloom_plan(BLOOM_STANDARD, 1000000, 0.01, 0, &shape, &test_err));
    assert_int_equal(shape.k, 7);
    assert_true(fabs((double)shape.bits / 1e6 - 9.59) < 0.03);
    TEST_OK(bloom_plan(BLOOM_STANDARD, 1000000, 1e-4, 0, &shape, &test_err));
    assert_int_equal(shape.k, 13);
    assert_true(fabs((double)shape.bits / 1e6 - 19.17) < 0.03);
    /* The thesis' equation 3-1 with its k = 500 and rate 1/n: 1.449e9 bits for ten million words.
     */
    TEST_OK(bloom_plan(BLOOM_SALTED, 10000000, 1e-7, 500, &shape, &test_err));
    assert_int_equal(shape.k, 500);
    assert_true(fabs((double)shape.bits / 1.4487e9 - 1) < 0.001);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int power = 1; power <= 7; power++) {
            const double rate = pow(10, -power);

            TEST_OK(bloom_plan(kinds[i], 123456, rate, 0, &shape, &test_err));
            assert_true(shape.bits % BLOOM_LINE_BITS == 0 && shape.k > 0);
            assert_true(bloom_rate(&shape, 123456) <= rate * 1.001 &&
                        bloom_rate(&shape, 123456) > rate * 0.5);
        }
    TEST_OK(bloom_plan(BLOOM_BLOCKED, 0, 0.5, 0, &shape, &test_err));
    assert_int_equal(shape.bits, BLOOM_LINE_BITS);
    assert_int_equal(bloom_plan(BLOOM_STANDARD, 1, 0, 0, &shape, &test_err), ERR_ARG);
    assert_int_equal(bloom_plan(BLOOM_STANDARD, 1, 1, 0, &shape, &test_err), ERR_ARG);
    assert_int_equal(bloom_plan(BLOOM_STANDARD, 1, NAN, 0, &shape, &test_err), ERR_ARG);
    assert_int_equal(bloom_plan(BLOOM_STANDARD, UINT64_MAX, 1e-9, 0, &shape, &test_err), ERR_ARG);
    assert_int_equal(bloom_plan(BLOOM_SALTED, 1000000000, 1e-9, 500, &shape, &test_err), ERR_ARG);
    assert_int_equal(
        bloom_plan(BLOOM_BLOCKED, 1000, 0.01, BLOOM_K_BLOCKED_MAX + 1, &shape, &test_err), ERR_ARG);
}

static void the_hash_of_the_thesis_is_its_own(void **state)
{
    static const struct {
        const char *key;
        uint32_t hash;
    } cases[] = {
        { "", 0xaaaaaaaa },       { "a", 0x3c3c3c9d },        { "above", 0x8301f042 },
        { "beyond", 0x81e7c18a }, { "tiger123", 0x036133f6 }, { "fifteen-letters", 0x29d0f235 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            bloom_ap((const uint8_t *)cases[i].key, (uint32_t)strlen(cases[i].key), 0xaaaaaaaa),
            cases[i].hash);
}

/* Nothing is missing, and as many others are let through as the formula says. */
static void check_rate(enum bloom_kind kind, uint32_t k, double rate, uint32_t len)
{
    struct bloom_keys keys = make_keys(0, KEYS, len), others = make_keys(1u << 30, OTHERS, len);
    struct bloom *bloom = open_filter(kind, KEYS, rate, k);
    const struct bloom_view view = bloom_view(bloom);
    uint8_t *answers = malloc(OTHERS);
    uint64_t let_through = 0;

    assert_non_null(answers);
    bloom_insert(&view, &keys, 1);
    bloom_query(&view, &keys, answers, 1);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(answers[i], 1);
    bloom_query(&view, &others, answers, 1);
    for (uint32_t i = 0; i < OTHERS; i++) {
        uint32_t n;
        const uint8_t *key = bloom_key(&others, i, &n);

        let_through += answers[i];
        if (kind != BLOOM_SALTED)
            assert_int_equal(bloom_has(&view, key, n), answers[i]);
    }
    const double formula = bloom_rate(&view.shape, KEYS), measured = (double)let_through / OTHERS;
    if (fabs(measured / formula - 1) > 0.1)
        fail_msg("kind %d, rate %g: the formula says %g, and %g were let through", (int)kind, rate,
                 formula, measured);
    free(answers);
    bloom_close(bloom);
    free_keys(&keys);
    free_keys(&others);
}

static void the_formula_holds(void **state)
{
    (void)state;
    check_rate(BLOOM_STANDARD, 0, 0.01, 16);
    check_rate(BLOOM_STANDARD, 0, 0.05, 20);
    check_rate(BLOOM_STANDARD, 3, 0.02, 0);
    check_rate(BLOOM_BLOCKED, 0, 0.01, 16);
    check_rate(BLOOM_BLOCKED, 0, 0.003, 32);
    check_rate(BLOOM_BLOCKED, 16, 0.01, 0);
    check_rate(BLOOM_SALTED, 4, 0.02, 0);
}

static void *to_device(struct device_stream *stream, const void *bytes, size_t size)
{
    void *memory = NULL;

    TEST_OK(device_alloc(stream->device, size, &memory, &test_err));
    TEST_OK(device_copy_in(stream, memory, bytes, size, &test_err));
    TEST_OK(device_stream_wait(stream, &test_err));
    return memory;
}

/* The device's table and answers against those of the host. */
static void check_on(struct device *device, const struct bloom_view *host,
                     const struct bloom_keys *keys, const struct bloom_keys *asked,
                     const uint8_t *answers)
{
    struct device_stream *stream = NULL;
    struct bloom_device *bloom = NULL;
    struct bloom_keys there = *keys, asked_there = *asked;
    uint32_t *words = aligned_alloc(BLOOM_ALIGN, bloom_size(&host->shape));
    uint8_t *told = malloc(asked->count);
    void *memory = NULL;

    assert_true(words != NULL && told != NULL);
    TEST_OK(device_stream_open(device, &stream, &test_err));
    TEST_OK(bloom_device_open(stream, host, &bloom, &test_err));
    TEST_OK(device_alloc(device, asked->count, &memory, &test_err));
    there.bytes = to_device(stream, keys->bytes, keys->count * 32 + 32);
    asked_there.bytes = to_device(stream, asked->bytes, asked->count * 32 + 32);
    if (keys->starts != NULL) {
        there.starts = to_device(stream, keys->starts, (keys->count + 1) * sizeof *keys->starts);
        asked_there.starts =
            to_device(stream, asked->starts, (asked->count + 1) * sizeof *asked->starts);
    }
    TEST_OK(bloom_device_insert(bloom, &there, &test_err));
    TEST_OK(bloom_device_query(bloom, &asked_there, memory, &test_err));
    TEST_OK(bloom_device_store(bloom, words, &test_err));
    TEST_OK(device_copy_out(stream, told, memory, asked->count, &test_err));
    TEST_OK(device_stream_wait(stream, &test_err));
    assert_memory_equal(words, host->words, bloom_size(&host->shape));
    assert_memory_equal(told, answers, asked->count);

    TEST_OK(bloom_device_clear(bloom, &test_err));
    TEST_OK(bloom_device_load(bloom, host->words, &test_err));
    TEST_OK(bloom_device_query(bloom, &asked_there, memory, &test_err));
    TEST_OK(device_copy_out(stream, told, memory, asked->count, &test_err));
    TEST_OK(device_stream_wait(stream, &test_err));
    assert_memory_equal(told, answers, asked->count);
    device_free(device, (void *)(uintptr_t)there.bytes);
    device_free(device, (void *)(uintptr_t)asked_there.bytes);
    device_free(device, (void *)(uintptr_t)there.starts);
    device_free(device, (void *)(uintptr_t)asked_there.starts);
    device_free(device, memory);
    bloom_device_close(bloom);
    device_stream_close(stream);
    free(words);
    free(told);
}

static void check_forms(enum bloom_kind kind, uint32_t k, uint32_t len, struct device *stand_in,
                        struct device *real)
{
    struct bloom_keys keys = make_keys(0, KEYS, len), asked = make_keys(KEYS / 2, KEYS, len);
    struct bloom *serial = open_filter(kind, KEYS, 0.01, k),
                 *threads = open_filter(kind, KEYS, 0.01, k);
    const struct bloom_view one = bloom_view(serial), many = bloom_view(threads);
    uint8_t *answers = malloc(2 * KEYS);

    assert_non_null(answers);
    bloom_insert(&one, &keys, 1);
    bloom_insert(&many, &keys, 4);
    assert_memory_equal(one.words, many.words, bloom_size(&one.shape));
    bloom_query(&one, &asked, answers, 1);
    bloom_query(&one, &asked, answers + KEYS, 4);
    assert_memory_equal(answers, answers + KEYS, KEYS);
    check_on(stand_in, &one, &keys, &asked, answers);
    if (real != NULL)
        check_on(real, &one, &keys, &asked, answers);
    free(answers);
    bloom_close(serial);
    bloom_close(threads);
    free_keys(&keys);
    free_keys(&asked);
}

static void every_form_makes_the_same_bits(void **state)
{
    const struct device_provider cuda = device_cuda();
    struct device *stand_in = NULL, *real = NULL;
    struct device_host host;

    (void)state;
    device_host_init(&host, 1, MEMORY);
    const struct device_provider provider = device_host_provider(&host);
    TEST_OK(device_open(&provider, 0, &stand_in, &test_err));
    if (device_cuda_missing() == NULL)
        TEST_OK(device_open(&cuda, 0, &real, &test_err));
    else
        print_message("skipped on a device: %s\n", device_cuda_missing());
    for (uint32_t len = 0; len <= 20; len += 4) {
        if (len == 4 || len == 8 || len == 12)
            continue;
        check_forms(BLOOM_SALTED, 40, len, stand_in, real);
        check_forms(BLOOM_STANDARD, 0, len, stand_in, real);
        check_forms(BLOOM_BLOCKED, 0, len, stand_in, real);
    }
    device_close(stand_in);
    device_close(real);
    assert_int_equal(host.in_use, 0);
    assert_int_equal(host.open, 0);
    device_host_release(&host);
}

static void a_device_that_fails_is_told_and_left_clean(void **state)
{
    static const enum device_host_call calls[] = { DEVICE_HOST_ALLOC, DEVICE_HOST_COPY,
                                                   DEVICE_HOST_WAIT };
    struct bloom *like = open_filter(BLOOM_SALTED, 1000, 0.01, 8);
    const struct bloom_view view = bloom_view(like);

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct device *device = NULL;
        struct device_stream *stream = NULL;
        struct bloom_device *bloom = NULL;
        struct device_host host;

        device_host_init(&host, 1, MEMORY);
        const struct device_provider provider = device_host_provider(&host);
        TEST_OK(device_open(&provider, 0, &device, &test_err));
        TEST_OK(device_stream_open(device, &stream, &test_err));
        host.fail_at[calls[i]] = 1;
        assert_int_equal(bloom_device_open(stream, &view, &bloom, &test_err), ERR_ENV);
        assert_null(bloom);
        device_stream_close(stream);
        device_close(device);
        assert_int_equal(host.in_use, 0);
        device_host_release(&host);
    }
    bloom_close(like);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_rates_are_those_of_the_literature),
        cmocka_unit_test(the_hash_of_the_thesis_is_its_own),
        cmocka_unit_test(the_formula_holds),
        cmocka_unit_test(every_form_makes_the_same_bits),
        cmocka_unit_test(a_device_that_fails_is_told_and_left_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
