/*
 * match/ac.c - the Aho-Corasick engine: walks text through the automaton of ac.h.
 *
 *   block --all one quiet byte?--> nothing
 *         --filter: where may a literal begin?--few places--> each walked from there (ac_probe)
 *                                             --many, or no filter--> the whole block walked in eight streams (ac_walk.h)
 *
 * Every way reports the literals that begin in the block, whatever lies behind it, so blocks, streams and probes share
 * nothing and none is reported twice.
 */
#include <string.h>

#include "match/ac.h"
#include "match/ac_literal.h"
#include "match/engine.h"

enum {
    AC_STREAMS = 8,
    AC_STRIDE = 512,                   /* bytes of a block that one stream looks after */
    AC_BLOCK = AC_STREAMS * AC_STRIDE, /* classes and table share the first cache */
    AC_GROUP = 16,                     /* steps between looks for finds */
    AC_AHEAD = 128,                    /* bytes behind a block that are read: by streams, filter, probes */
    AC_SHORT = AC_BLOCK / 8,           /* less text is walked plainly */
    AC_PROBES = AC_BLOCK / 16,         /* more candidates in a block: walking all of it is faster */
};
_Static_assert(AC_AHEAD >= AC_GROUP && AC_AHEAD >= (int)AC_FILTER_AHEAD, "room behind a block");
_Static_assert(AC_GROUP >= (int)AC_LITERAL_LEN, "a stream runs on for the rest of a literal");

/* What one call of scan works on. */
struct ac_scan {
    const struct ac *ac;
    const struct match_text *text;
    uint32_t from, to; /* last bytes of matches to report */
    struct match_sink *sink;
};

static const char *ac_missing(void)
{
    return NULL;
}

static enum err_code ac_compile(const struct match_dictionary *dictionary, const struct match_setup *setup,
                                void **program, struct err *err)
{
    struct ac *ac = NULL;

    (void)setup;
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

/*
 * Reports what a finding state says when text[end - 1] was its last byte, as far as the literal began at [first, past_first);
 * false when the sink is full.
 */
static bool ac_report(const struct ac_scan *scan, uint32_t state, uint32_t end, uint32_t first, uint32_t past_first)
{
    const struct ac *ac = scan->ac;
    struct match_sink *sink = scan->sink;

    for (uint32_t f = (state - ac->flag) / ac->width; f != AC_NONE; f = ac->found[f].link) {
        const struct ac_output *outputs = ac->outputs + ac->found[f].first;

        for (uint32_t i = 0; i < ac->found[f].count; i++) {
            const struct ac_output *output = &outputs[i];
            const uint64_t past = (uint64_t)end - output->end + output->len; /* behind the pattern's last byte */
            const uint32_t literal = end - output->literal;

            if (literal < first || literal >= past_first)
                break; /* outputs of a state have one length */
            if (end < output->end || past <= scan->from || past > scan->to)
                continue;
            const uint32_t start = end - output->end;
            if (!output->exact &&
                !ac_compare(match_dictionary_get(ac->dictionary, output->pattern), scan->text->bytes + start))
                continue;
            if (sink->count == sink->max)
                return false;
            sink->items[sink->count++] =
                (struct hit){ .offset = scan->text->offset + start, .pattern = output->pattern, .len = output->len };
        }
    }
    return true;
}

/* Walks AC_GROUP steps of all streams again, from step on, and reports what they find. states as before that step. */
static __attribute__((noinline)) bool ac_group(const struct ac_scan *scan, const volatile uint32_t *states, uint32_t at,
                                               uint32_t step)
{
    for (uint32_t k = 0; k < AC_STREAMS; k++) {
        const uint32_t first = at + k * AC_STRIDE;
        uint32_t state = states[k];

        for (uint32_t i = first + step; i < first + step + AC_GROUP && i < scan->to; i++) {
            state = ac_next(scan->ac, state, scan->text->bytes[i]);
            if (state >= scan->ac->flag && !ac_report(scan, state, i + 1, first, first + AC_STRIDE))
                return false;
        }
    }
    return true;
}

#define AC_WALK ac_walk_narrow
#define AC_CELL uint16_t
#include "match/ac_walk.h"
#undef AC_WALK
#undef AC_CELL
#define AC_WALK ac_walk_wide
#define AC_CELL uint32_t
#include "match/ac_walk.h"

/* The literals that begin at text[at]; bytes is the text from there on. */
static bool ac_probe(const struct ac_scan *scan, const uint8_t *bytes, uint32_t at)
{
    const struct ac *ac = scan->ac;
    uint32_t state = 0, all = 0;

    for (uint32_t i = 0; i < AC_LITERAL_LEN; i++) {
        state = ac_next(ac, state, bytes[i]);
        all |= state;
    }
    if ((all & ac->flag) == 0)
        return true;
    state = 0;
    for (uint32_t i = 0; i < AC_LITERAL_LEN && at + i < scan->to; i++) {
        state = ac_next(ac, state, bytes[i]);
        if (state >= ac->flag && !ac_report(scan, state, at + i + 1, at, at + 1))
            return false;
    }
    return true;
}

static bool ac_walk(const struct ac_scan *scan, const uint8_t *bytes, uint32_t at)
{
    uint8_t classes[AC_BLOCK + AC_GROUP];

    for (uint32_t i = 0; i < sizeof classes; i++)
        classes[i] = scan->ac->classes[bytes[i]];
    return scan->ac->narrow ? ac_walk_narrow(scan, classes, at) : ac_walk_wide(scan, classes, at);
}

/* The literals that begin at text[at, at + AC_BLOCK); bytes is the text from there on, AC_AHEAD more than the block. */
static bool ac_block(const struct ac_scan *scan, const uint8_t *bytes, uint32_t at)
{
    const struct ac *ac = scan->ac;
    uint16_t probes[AC_PROBES + 64];
    uint32_t count = AC_PROBES + 1;

    if (ac->quiet[bytes[0]] && memcmp(bytes, bytes + 1, AC_BLOCK + AC_LITERAL_LEN - 1) == 0)
        return true;
    if (ac->filter.find != NULL)
        count = ac->filter.find(&ac->filter, bytes, AC_BLOCK, probes, AC_PROBES);
    if (count > AC_PROBES)
        return ac_walk(scan, bytes, at);
    for (uint32_t i = 0; i < count; i++)
        if (!ac_probe(scan, bytes + probes[i], at + probes[i]))
            return false;
    return true;
}

/* All of a short text, without the cost of a whole block. */
static bool ac_short(const struct ac_scan *scan, uint32_t at)
{
    uint32_t state = 0;

    for (uint32_t i = at; i < scan->to; i++) {
        state = ac_next(scan->ac, state, scan->text->bytes[i]);
        if (state >= scan->ac->flag && !ac_report(scan, state, i + 1, at, scan->to))
            return false;
    }
    return true;
}

static bool ac_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink)
{
    const struct ac *ac = program;
    const struct ac_scan scan = { .ac = ac, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t before = sink->count;
    bool fits = true;

    for (uint32_t at = from > ac->longest - 1 ? from - (ac->longest - 1) : 0; at < to && fits; at += AC_BLOCK) {
        uint8_t last[AC_BLOCK + AC_AHEAD];

        if (to - at >= sizeof last) {
            fits = ac_block(&scan, text->bytes + at, at);
        } else if (to - at < AC_SHORT) {
            fits = ac_short(&scan, at);
        } else { /* what is found in the zeros ends behind `to` and is left out */
            memcpy(last, text->bytes + at, to - at);
            memset(last + (to - at), 0, sizeof last - (to - at));
            fits = ac_block(&scan, last, at);
        }
    }
    if (!fits)
        sink->count = before;
    return fits;
}

const struct match_engine match_ac_engine = {
    .name = "ac",
    .what = "Aho-Corasick automaton over the rarest run of each pattern, eight streams, vector filter in front",
    .device = "CPU",
    .missing = ac_missing,
    .compile = ac_compile,
    .release = ac_release,
    .scan = ac_scan,
};
