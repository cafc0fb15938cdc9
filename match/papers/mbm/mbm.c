/* SPDX-License-Identifier: Apache-2.0
 * match/papers/mbm/mbm.c - multi-pattern Boyer-Moore: a window slides over the text and is read
 * from its end backwards through a trie of the reversed keywords; where the trie ends, the bad
 * character, shift1 and shift2 say how far the window may go on.
 *
 * The algorithm of Zha and Sahni, GPU-to-GPU and Host-to-Host Multipattern String Matching on a GPU
 * (IEEE Transactions on Computers 62, 2013), section 2, which takes it from Commentz-Walter (ICALP
 * 1979): with v the node reached and a the text's letter j bytes before the window's end, at which
 * the walk stopped, the window goes on by
 *
 *     min(max(shift1[v], bad[a] - j - 1), shift2[v])
 *
 * Masks and case folding, of which the paper knows nothing: a keyword is the longest run of a
 * pattern that no mask touches, and the rest of the pattern is compared where the keyword is found.
 * With folding, the trie and the text are in small letters.
 *
 * Time: n / shortest steps for n bytes on average, when keywords are few and long; n * longest at
 * worst (zeros in zeros). One short pattern in the dictionary makes every step short. The size of
 * the dictionary costs memory and misses of the cache only.
 */
#include "match/papers/mbm/mbm.h"
#include "match/engine.h"

struct mbm_scan {
    const struct mbm *mbm;
    const struct match_text *text;
    uint32_t from, to; /* last bytes of matches to report */
    struct match_sink *sink;
};

static const char *mbm_missing(void)
{
    return NULL;
}

static enum err_code mbm_compile(const struct match_dictionary *dictionary,
                                 const struct match_setup *setup, void **program, struct err *err)
{
    struct mbm *mbm = NULL;

    (void)setup;
    const enum err_code rc = mbm_build(dictionary, &mbm, err);
    *program = mbm;
    return rc;
}

static void mbm_release(void *program)
{
    mbm_destroy(program);
}

/* The literals whose keyword ends at text[last] and the trie at node. False when the sink is full.
 */
static bool mbm_report(const struct mbm_scan *scan, uint32_t node, uint32_t last)
{
    const struct mbm *mbm = scan->mbm;
    struct match_sink *sink = scan->sink;

    for (uint32_t i = mbm->nodes[node].first; i < mbm->nodes[node + 1].first; i++) {
        const struct match_literal *literal = &mbm->literals.items[mbm->outputs[i].literal];
        const uint32_t end = last + mbm->outputs[i].tail;

        if (end < scan->from || end >= scan->to || literal->len > end + 1)
            continue;
        const uint32_t start = end + 1 - literal->len;
        if (!match_literal_equal(literal, scan->text->bytes + start))
            continue;
        if (sink->count == sink->max)
            return false;
        sink->items[sink->count++] = (struct hit){ .offset = scan->text->offset + start,
                                                   .pattern = literal->index,
                                                   .len = literal->len };
    }
    return true;
}

/* Reads the window that ends at text[last] backwards; *shift: how far it may go on. False when the
 * sink is full. */
static bool mbm_window(const struct mbm_scan *scan, uint32_t last, uint32_t *shift)
{
    const struct mbm *mbm = scan->mbm;
    uint32_t node = 0, bad = 0;

    for (uint32_t j = 0; j <= last; j++) {
        const uint8_t letter = mbm->fold[scan->text->bytes[last - j]];
        const uint32_t child = mbm_child(mbm, node, letter);

        if (child == 0) {
            bad = mbm->bad[letter] > j + 1 ? mbm->bad[letter] - j - 1 : 0;
            break;
        }
        node = child;
        if (!mbm_report(scan, node, last))
            return false;
    }
    const struct mbm_node *reached = &mbm->nodes[node];
    *shift = reached->shift1 > bad ? reached->shift1 : bad;
    if (*shift > reached->shift2)
        *shift = reached->shift2;
    return true;
}

static bool mbm_scan(const void *program, const struct match_text *text, uint32_t from, uint32_t to,
                     struct match_sink *sink)
{
    const struct mbm *mbm = program;
    const struct mbm_scan scan = { .mbm = mbm, .text = text, .from = from, .to = to, .sink = sink };
    const uint32_t before = sink->count;
    uint32_t last = from > mbm->tail ? from - mbm->tail : 0;

    while (last < to) {
        uint32_t shift = mbm->skip[text->bytes[last]];

        if (shift == 0 && !mbm_window(&scan, last, &shift)) {
            sink->count = before;
            return false;
        }
        last += shift;
    }
    return true;
}

const struct match_engine match_mbm_engine = {
    .name = "mbm",
    .what =
        "multi-pattern Boyer-Moore: reverse trie, bad character, shift1, shift2 (Zha and Sahni)",
    .device = "CPU",
    .missing = mbm_missing,
    .compile = mbm_compile,
    .release = mbm_release,
    .scan = mbm_scan,
};
