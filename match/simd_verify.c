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

/* Whether the words of the pattern are there. */
static inline bool simd_has_words(const struct simd_pattern *pattern, const uint8_t *at, bool inside)
{
    uint64_t wrong = (bytes_u64le(at) & pattern->mask) ^ pattern->want;

    if (inside)
        wrong |= (bytes_u64le(at + pattern->more) & pattern->mask_more) ^ pattern->want_more;
    return wrong == 0;
}

/* Inside, every pattern begins in the text. */
void simd_take_plain(const struct simd_scan *scan, uint32_t p, const uint8_t *at, struct simd_found *found)
{
    const struct simd_program *program = scan->program;
    const uint32_t count = found->count;
    const uint64_t offset = scan->text->offset;
    struct hit *items = scan->sink->items;
    uint32_t kept = 0, hits = scan->sink->count;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = found->leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_end *end = &program->ends[lead >> SIMD_PLACE_BITS];
        const struct simd_pattern *pattern = &program->patterns[end->first];
        const bool has = simd_has_words(pattern, at + place, true);
        const uint32_t start = p + place - pattern->window, past = start + pattern->len;

        items[hits] = (struct hit){ .offset = offset + start, .pattern = pattern->index, .len = pattern->len };
        hits += (uint32_t)end->plain & (uint32_t)has & (uint32_t)(past > scan->from) & (uint32_t)(past <= scan->to);
        found->leads[kept] = lead;
        kept += !end->plain;
    }
    scan->sink->count = hits;
    found->count = kept;
}

bool simd_verify(const struct simd_scan *scan, uint32_t p, const uint8_t *at, uint32_t first, uint32_t last,
                 bool inside)
{
    const struct match_text *text = scan->text;

    for (uint32_t i = first; i < last; i++) {
        const struct simd_pattern *pattern = &scan->program->patterns[i];

        if (!simd_has_words(pattern, at, inside) || p < pattern->window)
            continue;
        const uint32_t start = p - pattern->window;
        const uint64_t past = (uint64_t)start + pattern->len; /* behind the last byte */
        if (past <= scan->from || past > scan->to ||
            (!(inside && pattern->whole) && !simd_equal(pattern, text->bytes + start)))
            continue;
        if (scan->sink->count == scan->sink->max)
            return false;
        scan->sink->items[scan->sink->count++] =
            (struct hit){ .offset = text->offset + start, .pattern = pattern->index, .len = pattern->len };
    }
    return true;
}
