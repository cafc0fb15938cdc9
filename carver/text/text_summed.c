/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_summed.c - see text_summed.h. */
#include "carver/text/text_summed.h"

#include "signatures/crc64.h"

enum { SUMMED_STEP = 1024 /* bytes from one mark to the next, at least */ };

/* Goes on to image offset `to`, or as far as the bytes of the last look go. */
static void summed_on(struct text_summed *s, uint64_t to)
{
    const uint64_t end = to < s->last_end ? to : s->last_end;

    if (s->last == NULL || s->now.at < s->last_at || s->now.at >= end)
        return;
    if (s->count == 0 || s->now.at - s->marks[(s->count - 1) % TEXT_MARKS].at >= SUMMED_STEP)
        s->marks[s->count++ % TEXT_MARKS] = s->now;
    s->now.sum = crc64_add(s->now.sum, s->last + (s->now.at - s->last_at), end - s->now.at);
    s->now.at = end;
}

static const uint8_t *summed_view(struct sig_source *source, uint64_t at, uint32_t want,
                                  uint32_t *have)
{
    struct text_summed *s = (struct text_summed *)source;

    summed_on(s, at);
    s->last = s->bytes->view(s->bytes, at, want, have);
    s->last_at = at;
    s->last_end = s->last != NULL ? at + *have : at;
    s->wanted = at + want > s->wanted ? at + want : s->wanted;
    return s->last;
}

void text_summed_pause(struct text_summed *summed)
{
    summed_on(summed, summed->last_end);
    summed->last = NULL;
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

uint64_t text_summed_to(struct text_summed *summed, uint64_t end)
{
    summed_on(summed, end);
    summed->last = NULL;
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
