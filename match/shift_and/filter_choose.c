/* SPDX-License-Identifier: Apache-2.0
 * match/shift_and/filter_choose.c - the choice of qgrams for filter.h.
 *
 * The qgram of a pattern is the four bytes of it that are likely to be rarest on disks, and that
 * not many others have: all that share them are compared wherever they are found.
 */
#include <math.h>

#include "match/pattern/anchor.h"
#include "match/pattern/literals.h"
#include "match/shift_and/filter_parts.h"

static bool choose_takes(const struct match_pattern *pattern, uint32_t at, uint8_t byte)
{
    return ((byte ^ pattern->bytes[at]) & match_pattern_mask(pattern, at)) == 0;
}

/* Share of a disk's bytes that the pattern takes at index `at`. */
static double choose_share(const struct filter_build *build, const struct match_pattern *pattern,
                           uint32_t at)
{
    const uint8_t want = pattern->bytes[at], mask = match_pattern_mask(pattern, at);
    double share = 0;

    if (mask == 0xff)
        return build->weight[want];
    if (mask == 0xdf)
        return build->weight[want] + build->weight[want ^ 0x20];
    for (uint32_t byte = 0; byte < 256; byte++)
        if (choose_takes(pattern, at, (uint8_t)byte))
            share += build->weight[byte];
    return share;
}

/* How rare the four bytes that end there are by themselves. */
static double choose_rate(const struct filter_build *build, const struct match_pattern *pattern,
                          const double *shares, uint32_t end)
{
    const uint8_t last = pattern->bytes[end - 1];
    double rate = 1;
    bool run = true;

    for (uint32_t place = 0; place < FILTER_DEPTH && place < end; place++) {
        rate *= shares[end - 1 - place];
        run = run && choose_takes(pattern, end - 1 - place, last);
    }
    return run ? rate + build->run[last] : rate;
}

void filter_word(const struct match_pattern *pattern, int32_t first, uint32_t *value,
                 uint32_t *mask)
{
    *value = *mask = 0;
    for (int32_t i = 0; i < 4; i++) {
        if (first + i < 0 || first + i >= (int32_t)pattern->len)
            continue;
        const uint32_t at = (uint32_t)(first + i);
        const uint32_t byte = match_pattern_mask(pattern, at); /* what passes is compared anyway */

        *mask |= byte << i * 8;
        *value |= (pattern->bytes[at] & byte) << i * 8;
    }
}

static uint32_t choose_shared(const struct match_pattern *pattern, uint32_t end)
{
    uint32_t value, mask;

    filter_word(pattern, (int32_t)end - FILTER_DEPTH, &value, &mask);
    return filter_hash(filter_key(value), FILTER_SHARED_BITS);
}

void filter_weigh(struct filter_build *build)
{
    double sum = 0;

    for (uint32_t byte = 0; byte < 256; byte++)
        sum += anchor_weight((uint8_t)byte);
    for (uint32_t byte = 0; byte < 256; byte++) {
        build->weight[byte] = anchor_weight((uint8_t)byte) / sum;
        build->run[byte] = build->weight[byte] / 64; /* of text, tables and pictures */
    }
    build->run[0x00] = build->weight[0x00] / 2;
    build->run[0xff] = build->weight[0xff] / 2;
}

void filter_choose_qgram(struct filter_build *build, uint32_t index, struct filter_qgram *qgram)
{
    const struct match_pattern *pattern = match_dictionary_get(build->dictionary, index);

    double shares[LIMIT_PATTERN_LEN], least = INFINITY;

    *qgram = (struct filter_qgram){ .pattern = index, .bucket = FILTER_BUCKETS };
    for (uint32_t i = 0; i < pattern->len; i++)
        shares[i] = choose_share(build, pattern, i);
    for (uint32_t end = pattern->len < FILTER_DEPTH ? pattern->len : FILTER_DEPTH;
         end <= pattern->len; end++) {
        const double rate = choose_rate(build, pattern, shares, end);
        const double cost = rate * (1 + build->shared[choose_shared(pattern, end)]);

        if (cost < least) {
            least = cost;
            qgram->rate = rate;
            qgram->end = end;
        }
    }
    build->shared[choose_shared(pattern, qgram->end)]++;
    qgram->listed = qgram->end < FILTER_DEPTH;
    for (uint32_t place = 0; place < FILTER_DEPTH; place++) {
        const uint32_t at = qgram->end + place - FILTER_DEPTH;
        const bool inside = qgram->end + place >= FILTER_DEPTH;

        for (uint32_t byte = 0; byte < 256; byte++)
            if (!inside || choose_takes(pattern, at, (uint8_t)byte))
                qgram->has[place][byte / FILTER_WORD] |= 1u << byte % FILTER_WORD;
        qgram->listed |= !inside || (pattern->mask != NULL && pattern->mask[at] != 0xff);
    }
    filter_word(pattern, (int32_t)qgram->end - FILTER_DEPTH, &qgram->value, &qgram->mask);
}
