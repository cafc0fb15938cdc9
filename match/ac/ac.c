/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac.c - the Aho-Corasick engine (CACM 18, 1975): walks text through the automaton of
 * ac.h, a step for every byte.
 *
 * A step waits for the table's memory, so eight pieces of a block are walked side by side. Each
 * walk begins a literal's length early, and reports the literals that end in its piece: they share
 * nothing and none is reported twice.
 */
#include "match/ac/ac.h"
#include "match/ac/ac_report.h"
#include "match/pattern/anchor.h"

enum {
    AC_STREAMS = 8,
    AC_STRIDE =
        8192 -
        64, /* bytes of a block that one stream looks after; odd enough to spread over the cache */
    AC_BLOCK = AC_STREAMS * AC_STRIDE, /* at most */
    AC_SHORT = AC_STREAMS * 64,        /* less text is walked in one stream */
    AC_SMALL = 1 << 16,                /* most bytes of all patterns for which the table is small */
};

static const char *ac_missing(void)
{
    return NULL;
}

static enum err_code ac_compile(const struct match_dictionary *dictionary,
                                const struct match_setup *setup, void **program, struct err *err)
{
    struct ac *ac = NULL;

    (void)setup;
    enum err_code rc = ac_build(dictionary, &ac, err);

    if (rc == ERR_OK)
        ac_widen(ac);
    *program = ac;
    return rc;
}

static void ac_release(void *program)
{
    ac_destroy(program);
}

/* What a finding state says; out of the walks' way. False when the sink is full. */
static __attribute__((noinline)) bool ac_report(const struct ac_scan *scan, uint32_t state,
                                                uint32_t end)
{
    return ac_report_found(scan, (state - scan->ac->flag) / scan->ac->width, end);
}

/* The state at text[at]: what went before a literal's length ago does not matter any more. */
static uint32_t ac_state(const struct ac_scan *scan, uint32_t at)
{
    uint32_t state = 0;

    for (uint32_t i = at > ANCHOR_LEN - 1 ? at - (ANCHOR_LEN - 1) : 0; i < at; i++)
        state = ac_next(scan->ac, state, scan->text->bytes[i]);
    return state;
}

#define AC_CLASS(byte) scan->ac->classes[byte]
#define AC_WALK ac_walk_narrow
#define AC_CELL uint16_t
#include "match/ac/ac_walk.h"
#undef AC_WALK
#undef AC_CELL
#define AC_WALK ac_walk_wide
#define AC_CELL uint32_t
#include "match/ac/ac_walk.h"
#undef AC_WALK
#undef AC_CLASS
#define AC_WALK ac_walk_direct
#define AC_CLASS(byte) (byte)
#include "match/ac/ac_walk.h"

static bool ac_walk(const struct ac_scan *scan, uint32_t at, uint32_t stride)
{
    if (scan->ac->direct && stride == AC_STRIDE) /* known, it takes no registers */
        return ac_walk_direct(scan, at, AC_STRIDE);
    if (scan->ac->direct)
        return ac_walk_direct(scan, at, stride);
    return scan->ac->narrow ? ac_walk_narrow(scan, at, stride) : ac_walk_wide(scan, at, stride);
}

/* Literals that end in text [at, end), in one stream. */
static bool ac_short(const struct ac_scan *scan, uint32_t at, uint32_t end)
{
    uint32_t state = ac_state(scan, at);

    for (uint32_t i = at; i < end; i++) {
        state = ac_next(scan->ac, state, scan->text->bytes[i]);
        if (state >= scan->ac->flag && !ac_report(scan, state, i + 1))
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
    uint32_t at = from > ac->longest - 1 ? from - (ac->longest - 1) : 0;

    while (at < to) {
        const uint32_t left = to - at, stride = left < AC_BLOCK ? left / AC_STREAMS : AC_STRIDE;
        const uint32_t len = left < AC_SHORT ? left : stride * AC_STREAMS;
        const bool fits = left < AC_SHORT ? ac_short(&scan, at, to) : ac_walk(&scan, at, stride);

        if (!fits) {
            sink->count = before;
            return false;
        }
        at += len;
    }
    return true;
}

/* Whether its table is small enough for a cache. */
static bool ac_suits(const struct match_dictionary *dictionary)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        bytes += pattern->kind == MATCH_LITERAL ? pattern->len : 0;
    }
    return bytes <= AC_SMALL;
}

const struct match_engine match_ac_engine = {
    .name = "ac",
    .what = "Aho-Corasick automaton over the rarest run of each pattern, eight interleaved walks",
    .device = "CPU",
    .missing = ac_missing,
    .good_for = "the same speed on all data",
    .suits = ac_suits,
    .compile = ac_compile,
    .release = ac_release,
    .scan = ac_scan,
};
