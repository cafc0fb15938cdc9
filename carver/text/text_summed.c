/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_summed.c - see text_summed.h. */
#include "carver/text/text_summed.h"

#include "signatures/crc64.h"

static const uint8_t *summed_view(struct sig_source *source, uint64_t at, uint32_t want,
                                  uint32_t *have)
{
    struct text_summed *s = (struct text_summed *)source;
    const uint8_t *bytes = s->bytes->view(s->bytes, at, want, have);

    if (bytes == NULL || at > s->now.at || at + *have <= s->now.at)
        return bytes;
    s->marks[s->count++ % TEXT_MARKS] = s->now;
    s->now.sum = crc64_add(s->now.sum, bytes + (s->now.at - at), at + *have - s->now.at);
    s->now.at = at + *have;
    return bytes;
}

void text_summed_open(struct text_summed *summed, struct sig_source *bytes, uint64_t at)
{
    *summed = (struct text_summed){ .source = { summed_view }, .bytes = bytes };
    summed->first.at = summed->now.at = at;
}

/* The last place that is remembered at or before image offset end, or the beginning. */
static struct text_mark summed_mark(const struct text_summed *s, uint64_t end)
{
    struct text_mark mark = s->now;

    for (uint32_t back = 1; mark.at > end && back <= s->count && back <= TEXT_MARKS; back++)
        mark = s->marks[(s->count - back) % TEXT_MARKS];
    return mark.at <= end ? mark : s->first;
}

uint64_t text_summed_to(const struct text_summed *summed, uint64_t end)
{
    struct text_mark mark = summed_mark(summed, end);

    while (mark.at < end) {
        uint32_t have;
        const uint8_t *bytes = summed->bytes->view(summed->bytes, mark.at, 1, &have);

        if (bytes == NULL)
            break;
        have = have < end - mark.at ? have : (uint32_t)(end - mark.at);
        mark.sum = crc64_add(mark.sum, bytes, have);
        mark.at += have;
    }
    return mark.sum;
}
