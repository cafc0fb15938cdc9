/* match/cuda/states_collect.c - see states_collect.h. */
#include "match/cuda/states_collect.h"
#include "match/cuda/states.h"
#include "match/literals.h"

enum {
    STATES_SKEW = 16,   /* cells before the text, at most */
    STATES_AROUND = 64, /* of the skew, and of what kernels write behind the text */
};

struct states_scan {
    const struct ac *ac;
    const struct match_text *text;
    uint32_t from, to;
    struct match_sink *sink;
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

static bool states_equal(const struct match_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (((pattern->bytes[i] ^ text[i]) & match_pattern_mask(pattern, i)) != 0)
            return false;
    return true;
}

/* What the found-th state that finds says when text[end - 1] was its last byte; false when the sink is full. */
static bool states_report(const struct states_scan *scan, uint32_t found, uint32_t end)
{
    const struct ac *ac = scan->ac;
    struct match_sink *sink = scan->sink;

    for (uint32_t f = found; f != AC_NONE; f = ac->found[f].link)
        for (uint32_t i = 0; i < ac->found[f].count; i++) {
            const struct ac_output *o = &ac->outputs[ac->found[f].first + i];
            const uint32_t start = end - o->end, stop = start + o->len; /* a start before the text has a huge index */

            if (end < o->end || stop <= scan->from || stop > scan->to)
                continue;
            if (!o->exact && !states_equal(match_dictionary_get(ac->dictionary, o->pattern), scan->text->bytes + start))
                continue;
            if (sink->count == sink->max)
                return false;
            sink->items[sink->count++] =
                (struct hit){ .offset = scan->text->offset + start, .pattern = o->pattern, .len = o->len };
        }
    return true;
}

bool states_collect(const struct ac *ac, const void *output, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink)
{
    const struct states_scan scan = { .ac = ac, .text = text, .from = from, .to = to, .sink = sink };
    const struct states *states = output;
    const void *cells = states + 1;
    const uint16_t *narrow = states->narrow ? cells : NULL;
    const uint32_t *wide = states->narrow ? NULL : cells;
    const uint32_t before = sink->count;

    for (uint32_t i = from > ac->longest - 1 ? from - (ac->longest - 1) : 0; i < to; i++) {
        const uint32_t state = narrow != NULL ? narrow[states->skew + i] : wide[states->skew + i];

        if (state >= ac->plain && !states_report(&scan, state - ac->plain, i + 1)) {
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
