/*
 * match/ac.c - the Aho-Corasick engine: walks text through the automaton of ac.h.
 */
#include "match/ac.h"
#include "match/engine.h"

/* What one call of scan works on. */
struct ac_scan {
    const struct ac         *ac;
    const struct match_text *text;
    uint32_t                 from, to; /* last bytes of matches to report */
    struct match_sink       *sink;
};

static const char *ac_missing(void)
{
    return NULL;
}

static enum err_code ac_compile(const struct match_dictionary *dictionary, void **program, struct err *err)
{
    struct ac *ac = NULL;
    enum err_code rc = ac_build(dictionary, &ac, err);

    *program = ac;
    return rc;
}

static void ac_release(void *program)
{
    ac_destroy(program);
}

static bool ac_compare(const struct match_pattern *pattern, const uint8_t *text)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];
        const uint8_t want = pattern->bytes[i], small = want | 0x20;

        if (((text[i] ^ want) & mask) == 0)
            continue;
        if (!pattern->fold_case || small < 'a' || small > 'z' || ((text[i] ^ want ^ 0x20) & mask) != 0)
            return false;
    }
    return true;
}

/* Reports what a finding state says when the byte before text[end] was its last; false when the sink is full. */
static bool ac_report(const struct ac_scan *scan, uint32_t state, uint32_t end)
{
    const struct ac *ac = scan->ac;
    struct match_sink *sink = scan->sink;

    for (uint32_t f = (state - ac->flag) / ac->width; f != AC_NONE; f = ac->found[f].link) {
        const struct ac_output *outputs = ac->outputs + ac->found[f].first;

        for (uint32_t i = 0; i < ac->found[f].count; i++) {
            const struct ac_output *output = &outputs[i];
            const uint64_t past = (uint64_t)end - output->end + output->len; /* behind the pattern's last byte */

            if (end < output->end || past <= scan->from || past > scan->to)
                continue;
            const uint32_t start = end - output->end;
            if (!output->exact &&
                !ac_compare(match_dictionary_get(ac->dictionary, output->pattern), scan->text->bytes + start))
                continue;
            if (sink->count == sink->max)
                return false;
            sink->items[sink->count++] = (struct hit){
                .offset = scan->text->offset + start, .pattern = output->pattern, .len = output->len };
        }
    }
    return true;
}

static bool ac_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink)
{
    const struct ac *ac = program;
    const struct ac_scan scan = { .ac = ac, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t before = sink->count;
    uint32_t state = 0;

    for (uint32_t i = from > ac->longest - 1 ? from - (ac->longest - 1) : 0; i < to; i++) {
        state = ac_next(ac, state, text->bytes[i]);
        if (state >= ac->flag && !ac_report(&scan, state, i + 1)) {
            sink->count = before;
            return false;
        }
    }
    return true;
}

const struct match_engine match_ac_engine = {
    .name = "ac",
    .what = "Aho-Corasick automaton over the rarest run of each pattern",
    .device = "CPU",
    .missing = ac_missing,
    .compile = ac_compile,
    .release = ac_release,
    .scan = ac_scan,
};
