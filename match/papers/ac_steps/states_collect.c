/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/states_collect.c - see states_collect.h. */
#include "match/papers/ac_steps/states_collect.h"
#include "match/ac/ac_report.h"
#include "match/papers/ac_steps/states.h"

enum {
    STATES_SKEW = 16,   /* cells before the text, at most */
    STATES_AROUND = 64, /* of the skew, and of what kernels write behind the text */
};

size_t states_scratch(uint32_t text_len)
{
    return sizeof(struct states) + ((size_t)text_len + STATES_AROUND) * sizeof(uint32_t);
}

size_t states_output(const struct tables *tables, uint32_t text_len)
{
    const size_t cell = tables->narrow != NULL ? sizeof(uint16_t) : sizeof(uint32_t);

    return sizeof(struct states) + ((size_t)text_len + STATES_SKEW) * cell;
}

bool states_collect(const struct ac *ac, const void *output, const struct match_text *text,
                    uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct ac_scan scan = { .ac = ac, .text = text, .from = from, .to = to, .sink = sink };
    const struct states *states = output;
    const void *cells = states + 1;
    const uint16_t *narrow = states->narrow ? cells : NULL;
    const uint32_t *wide = states->narrow ? NULL : cells;
    const uint32_t before = sink->count;

    for (uint32_t i = from > ac->longest - 1 ? from - (ac->longest - 1) : 0; i < to; i++) {
        const uint32_t state = narrow != NULL ? narrow[states->skew + i] : wide[states->skew + i];

        if (state >= ac->plain && !ac_report_found(&scan, state - ac->plain, i + 1)) {
            sink->count = before;
            return false;
        }
    }
    return true;
}

void states_host(const void *args)
{
    const struct search *s = args;
    struct states *states = states_of(s);
    uint16_t *narrow = (uint16_t *)(void *)(states + 1);
    uint32_t *wide = (uint32_t *)(void *)(states + 1);
    const uint32_t first = search_first(s);
    uint32_t state = 0;

    *states = (struct states){ .skew = states_skew(s), .narrow = s->tables.narrow != NULL };
    for (uint32_t i = first > s->tables.warm ? first - s->tables.warm : 0; i < s->view.to; i++) {
        state = search_step(&s->tables, state, s->view.text[i]);
        if (i < first)
            continue;
        if (states->narrow)
            narrow[states->skew + i] = (uint16_t)state;
        else
            wide[states->skew + i] = state;
    }
}
