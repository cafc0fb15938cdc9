/* match/simd.c - the vector engine: runs the best form of the filter that this machine has, and compares what it lets through. */
#include <string.h>

#include "match/simd.h"

enum { SIMD_PAD = SIMD_WINDOW + 128 }; /* bytes that a form may read behind the last window */

static const char *simd_missing(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") ? NULL : "this processor has no AVX2";
#else
    return "it is written for x86-64 with AVX2";
#endif
}

static enum err_code simd_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                  void **program, struct err *err)
{
    struct simd_program *simd = NULL;

    (void)setup;
    const enum err_code rc = simd_build(dictionary, &simd, err);

    *program = simd;
    return rc;
}

static void simd_release(void *program)
{
    simd_destroy(program);
}

static bool simd_equal(const struct simd_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if ((text[i] & pattern->masks[i]) != pattern->bytes[i])
            return false;
    return true;
}

bool simd_verify(const struct simd_scan *scan, uint32_t p, uint32_t buckets)
{
    const struct simd_program *program = scan->program;
    const struct match_text *text = scan->text;
    uint64_t word = 0;

    memcpy(&word, text->bytes + p, text->len - p < SIMD_WORD ? text->len - p : SIMD_WORD);
    for (; buckets != 0; buckets &= buckets - 1) {
        const uint32_t bucket = (uint32_t)__builtin_ctz(buckets);

        for (uint32_t i = program->first[bucket]; i < program->first[bucket + 1]; i++) {
            const struct simd_pattern *pattern = &program->patterns[i];

            if ((word & pattern->mask) != pattern->want || p < pattern->window)
                continue;
            const uint32_t start = p - pattern->window;
            const uint64_t past = (uint64_t)start + pattern->len; /* behind the last byte */
            if (past <= scan->from || past > scan->to || (!pattern->whole && !simd_equal(pattern, text->bytes + start)))
                continue;
            if (scan->sink->count == scan->sink->max)
                return false;
            scan->sink->items[scan->sink->count++] =
                (struct hit){ .offset = text->offset + start, .pattern = pattern->index, .len = pattern->len };
        }
    }
    return true;
}

#ifdef __x86_64__
static bool simd_run(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw"))
        return simd_run_avx512(scan, p, end);
    return simd_run_avx2(scan, p, end);
}
#else
/* Never asked for: the engine does not run here. */
static bool simd_run(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    (void)scan;
    return p >= end;
}
#endif

/* The last windows, where a form would read past the text: one at a time. */
static bool simd_run_tail(const struct simd_scan *scan, uint32_t p, uint32_t end)
{
    const struct match_text *text = scan->text;

    for (; p < end; p++) {
        uint32_t buckets = 0xff;

        for (uint32_t j = 0; j < SIMD_WINDOW; j++) /* bytes behind the text fit every pattern that ends before them */
            buckets &= p + j < text->len ? scan->program->tables[j][text->bytes[p + j]] : 0xffu;
        if (buckets != 0 && !simd_verify(scan, p, buckets))
            return false;
    }
    return true;
}

static bool simd_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct simd_program *simd = program;
    const struct simd_scan scan = { .program = simd, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t before = simd->longest > 0 ? simd->longest - 1 : 0;
    const uint32_t begin = from > before ? from - before : 0; /* of the first window that can end in [from, to) */
    const uint32_t safe = text->len > SIMD_PAD ? text->len - SIMD_PAD : 0;
    const uint32_t middle = to < safe ? to : safe > begin ? safe : begin;
    const uint32_t found = sink->count;

    if (simd->count == 0)
        return true;
    if ((middle > begin && !simd_run(&scan, begin, middle)) ||
        !simd_run_tail(&scan, middle > begin ? middle : begin, to)) {
        sink->count = found;
        return false;
    }
    return true;
}

const struct match_engine match_simd_engine = {
    .name = "simd",
    .what = "vector filter over the rarest bytes of each pattern, exact comparison",
    .device = "CPU",
    .missing = simd_missing,
    .suits = simd_suits,
    .compile = simd_compile,
    .release = simd_release,
    .scan = simd_scan,
};
