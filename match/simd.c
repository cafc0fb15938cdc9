/* match/simd.c - the vector engine: the three passes over a text piece by piece, and its forms as engines. See simd.h. */
#include <string.h>

#include "base/bytes.h"
#include "match/simd.h"

/* The windows that begin at text [p, p + places), read from `at`. */
static bool simd_piece(const struct simd_scan *scan, const uint8_t *at, uint32_t p, uint32_t places)
{
    const uint32_t blocks = (places + SIMD_BLOCK - 1) / SIMD_BLOCK;
    uint64_t words[SIMD_BLOCKS_MAX];
    struct simd_places found;

    scan->program->filter(scan->program, at, blocks, words);
    if (places % SIMD_BLOCK != 0)
        words[blocks - 1] &= (UINT64_C(1) << places % SIMD_BLOCK) - 1;
    const uint32_t count = simd_sift(scan->program, at, blocks, words, &found);

    for (uint32_t i = 0; i < count; i++)
        if (!simd_verify(scan, p + found.at[i], bytes_u64le(at + found.at[i]), found.buckets[i]))
            return false;
    return true;
}

/* The last windows, where a filter would read past the text. What stands in for bytes behind it matters to no match. */
static bool simd_tail(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    uint8_t copy[2 * SIMD_BLOCK + SIMD_AHEAD] = { 0 };
    const uint32_t left = scan->text->len - p;

    memcpy(copy, scan->text->bytes + p, left < sizeof copy ? left : sizeof copy);
    return simd_piece(scan, copy, p, end - p);
}

static bool simd_run(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const uint32_t len = scan->text->len;

    while (p < end) {
        uint32_t places = end - p < SIMD_PIECE ? end - p : SIMD_PIECE;
        const uint32_t room = len - p > SIMD_AHEAD ? (len - p - SIMD_AHEAD) / SIMD_BLOCK * SIMD_BLOCK : 0;

        if (room == 0)
            return simd_tail(scan, p, end);
        if (places > room)
            places = room;
        if (!simd_piece(scan, scan->text->bytes + p, p, places))
            return false;
        p += places;
    }
    return true;
}

static bool simd_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct simd_program *simd = program;
    const struct simd_scan scan = { .program = simd, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t found = sink->count;

    if (simd->count == 0 || simd_run(&scan, from > simd->before ? from - simd->before : 0, to))
        return true;
    sink->count = found;
    return false;
}

static void simd_release(void *program)
{
    simd_destroy(program);
}

static const char *simd_missing_portable(void)
{
    return NULL;
}

#ifdef __x86_64__
static const char *simd_missing_avx512(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("gfni")
               ? NULL
               : "this processor has no AVX-512 VBMI with GFNI";
}

static const char *simd_missing_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? NULL : "this processor has no AVX2";
}

static const char *simd_missing_ssse3(void)
{
    return __builtin_cpu_supports("ssse3") ? NULL : "this processor has no SSSE3";
}

static simd_filter *simd_best(void)
{
    return simd_missing_avx512() == NULL  ? simd_filter_avx512
           : simd_missing_avx2() == NULL  ? simd_filter_avx2
           : simd_missing_ssse3() == NULL ? simd_filter_ssse3
                                          : simd_filter_portable;
}
#else
static const char *simd_missing_x86(void)
{
    return "it is written for x86-64";
}

#define simd_missing_avx512 simd_missing_x86
#define simd_missing_avx2 simd_missing_x86
#define simd_missing_ssse3 simd_missing_x86
#define simd_filter_avx512 simd_filter_portable /* never asked for: the form is missing */
#define simd_filter_avx2 simd_filter_portable
#define simd_filter_ssse3 simd_filter_portable

static simd_filter *simd_best(void)
{
    return simd_filter_portable;
}
#endif

static enum err_code simd_compile_with(simd_filter *filter, const struct match_dictionary *dictionary, void **program,
                                       struct err *err)
{
    struct simd_program *simd = NULL;
    const enum err_code rc = simd_build(dictionary, filter, &simd, err);

    *program = simd;
    return rc;
}

/* One engine for the best form that this machine has, and one for each form. */
#define SIMD_ENGINE(id, name_text, what_text, missing_function, filter_function)                                       \
    static enum err_code simd_compile_##id(const struct match_dictionary *dictionary, const struct match_setup *setup, \
                                           void **program, struct err *err)                                            \
    {                                                                                                                  \
        (void)setup;                                                                                                   \
        return simd_compile_with(filter_function, dictionary, program, err);                                           \
    }                                                                                                                  \
    const struct match_engine match_##id##_engine = {                                                                  \
        .name = name_text,                                                                                             \
        .what = what_text,                                                                                             \
        .device = "CPU",                                                                                               \
        .missing = missing_function,                                                                                   \
        .suits = simd_suits,                                                                                           \
        .compile = simd_compile_##id,                                                                                  \
        .release = simd_release,                                                                                       \
        .scan = simd_scan,                                                                                             \
    };

SIMD_ENGINE(simd, "simd", "vector filter over the rarest bytes of each pattern, exact comparison; the best form below",
            simd_missing_portable, simd_best())
SIMD_ENGINE(simd_avx512, "simd:avx512", "the same, 64 bytes at a time, byte look-ups (AVX-512 VBMI, GFNI)",
            simd_missing_avx512, simd_filter_avx512)
SIMD_ENGINE(simd_avx2, "simd:avx2", "the same, 32 bytes at a time, half-byte look-ups (AVX2)", simd_missing_avx2,
            simd_filter_avx2)
SIMD_ENGINE(simd_ssse3, "simd:ssse3", "the same, 16 bytes at a time, half-byte look-ups (SSSE3)", simd_missing_ssse3,
            simd_filter_ssse3)
SIMD_ENGINE(simd_portable, "simd:portable", "the same in plain C, a 64-bit look-up a byte (shift-and)",
            simd_missing_portable, simd_filter_portable)
