/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_verify.c - the third pass of the vector engine: patterns compared exactly. See
 * simd.h. */
#include "base/bytes.h"
#include "match/simd/simd.h"

static bool simd_equal(const struct simd_pattern *pattern, const uint8_t *text)
{
    uint32_t i = 0;

    for (; i + SIMD_DEPTH <= pattern->len; i += SIMD_DEPTH)
        if ((bytes_u64le(text + i) & bytes_u64le(pattern->masks + i)) !=
            bytes_u64le(pattern->bytes + i))
            return false;
    for (; i < pattern->len; i++)
        if ((text[i] & pattern->masks[i]) != pattern->bytes[i])
            return false;
    return true;
}

/* Whether the words of the pattern are there. */
static inline bool simd_has_words(const struct simd_pattern *pattern, const uint8_t *at,
                                  bool inside)
{
    uint64_t wrong = (bytes_u64le(at) & pattern->mask) ^ pattern->want;

    if (inside)
        wrong |= (bytes_u64le(at + pattern->more) & pattern->mask_more) ^ pattern->want_more;
    return wrong == 0;
}

/* Whether the pattern with its fingerprint at a place counts for this piece. */
static inline bool simd_counts(const struct simd_piece *piece, const struct simd_pattern *pattern,
                               uint32_t place)
{
    return place - (uint32_t)pattern->later - piece->first < piece->places;
}

/* Inside, every pattern begins in the text. */
void simd_take_whole(const struct simd_scan *scan, const struct simd_piece *piece,
                     struct simd_found *found)
{
    const struct simd_pattern *patterns = piece->plan->patterns;
    const uint32_t count = found->count, from = scan->from, to = scan->to;
    const uint64_t offset = scan->text->offset;
    struct hit *hit = scan->sink->items + scan->sink->count;
    uint32_t *leads = found->leads;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lead = leads[i], place = lead & SIMD_PLACE_MASK;
        const struct simd_pattern *pattern = &patterns[lead >> SIMD_PLACE_BITS];
        const bool has = simd_has_words(pattern, piece->at + place, true);
        const uint32_t start = piece->p + place - pattern->fingerprint, past = start + pattern->len;

        *hit = (struct hit){ .offset = offset + start,
                             .pattern = pattern->index,
                             .len = pattern->len };
        hit += (uint32_t)pattern->whole & (uint32_t)has &
               (uint32_t)simd_counts(piece, pattern, place) & (uint32_t)(past > from) &
               (uint32_t)(past <= to);
        leads[kept] = lead + ((uint32_t)pattern->whole << SIMD_PLACE_BITS);
        kept += (uint32_t)!pattern->whole | (uint32_t)pattern->followed;
    }
    scan->sink->count = (uint32_t)(hit - scan->sink->items);
    found->count = kept;
}

bool simd_verify(const struct simd_scan *scan, const struct simd_piece *piece, uint32_t place,
                 uint32_t from, uint32_t to)
{
    const struct match_text *text = scan->text;
    const uint32_t p = piece->p + place;

    for (uint32_t i = from; i < to; i++) {
        const struct simd_pattern *pattern = &piece->plan->patterns[i];

        if (!simd_has_words(pattern, piece->at + place, piece->inside) ||
            p < pattern->fingerprint || !simd_counts(piece, pattern, place))
            continue;
        const uint32_t start = p - pattern->fingerprint;
        const uint64_t past = (uint64_t)start + pattern->len; /* behind the last byte */
        if (past <= scan->from || past > scan->to ||
            (!(piece->inside && pattern->whole) && !simd_equal(pattern, text->bytes + start)))
            continue;
        if (scan->sink->count == scan->sink->max)
            return false;
        scan->sink->items[scan->sink->count++] = (struct hit){ .offset = text->offset + start,
                                                               .pattern = pattern->index,
                                                               .len = pattern->len };
    }
    return true;
}
