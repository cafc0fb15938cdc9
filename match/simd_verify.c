/* match/simd_verify.c - the third pass of the vector engine: patterns compared exactly. See simd.h. */
#include "match/simd.h"

static bool simd_equal(const struct simd_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if ((text[i] & pattern->masks[i]) != pattern->bytes[i])
            return false;
    return true;
}

bool simd_verify(const struct simd_scan *scan, uint32_t p, uint64_t word, uint32_t buckets)
{
    const struct simd_program *program = scan->program;
    const struct match_text *text = scan->text;

    for (; buckets != 0; buckets &= buckets - 1) {
        const struct simd_bucket *bucket = &program->buckets[__builtin_ctz(buckets)];
        const uint32_t *first = program->first + bucket->start + simd_hash(bucket, word);

        for (uint32_t i = first[0]; i < first[1]; i++) {
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
