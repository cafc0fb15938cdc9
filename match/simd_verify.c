/* match/simd_verify.c - the third pass of the vector engine: patterns compared exactly. See simd.h. */
#include "base/bytes.h"
#include "match/simd.h"

static bool simd_equal(const struct simd_pattern *pattern, const uint8_t *text)
{
    uint32_t i = 0;

    for (; i + SIMD_DEPTH <= pattern->len; i += SIMD_DEPTH)
        if ((bytes_u64le(text + i) & bytes_u64le(pattern->masks + i)) != bytes_u64le(pattern->bytes + i))
            return false;
    for (; i < pattern->len; i++)
        if ((text[i] & pattern->masks[i]) != pattern->bytes[i])
            return false;
    return true;
}

bool simd_verify(const struct simd_scan *scan, uint32_t p, uint64_t word, uint32_t first, uint32_t last, bool sure)
{
    const struct match_text *text = scan->text;

    for (uint32_t i = first; i < last; i++) {
        const struct simd_pattern *pattern = &scan->program->patterns[i];

        if ((word & pattern->mask) != pattern->want || p < pattern->window)
            continue;
        const uint32_t start = p - pattern->window;
        const uint64_t past = (uint64_t)start + pattern->len; /* behind the last byte */
        if (past <= scan->from || past > scan->to ||
            (!(sure && pattern->whole) && !simd_equal(pattern, text->bytes + start)))
            continue;
        if (scan->sink->count == scan->sink->max)
            return false;
        scan->sink->items[scan->sink->count++] =
            (struct hit){ .offset = text->offset + start, .pattern = pattern->index, .len = pattern->len };
    }
    return true;
}
