/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_pair.c - rules and hits from arbitrary bytes, once cut into calls and once not.
 *
 * Found: crashes, leaks, ranges outside of the image, results that depend on the cuts, and, for no
 * compatibility mode, results that differ from the semantics in pair.h written down without any
 * state.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carver/plan/pair.h"

enum { RULES = 3, HITS_MAX = 256 };

struct feed {
    uint64_t offset;
    uint32_t rule, len;
    bool footer, cut;
};

struct output {
    struct pair_range items[HITS_MAX];
    uint32_t count;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static enum err_code keep(void *arg, const struct pair_range *range, struct err *err)
{
    struct output *out = arg;

    (void)err;
    must(out->count < HITS_MAX);
    out->items[out->count++] = *range;
    return ERR_OK;
}

static void run(const struct sig *const *rules, enum sig_compat compat, const struct feed *hits,
                uint32_t count, uint64_t end, bool cuts, struct output *out, bool *useful)
{
    struct pair *pair;
    struct err err = { 0 };

    out->count = 0;
    must(pair_open(rules, RULES, compat, keep, out, &pair, &err) == ERR_OK);
    must(pair_begin(pair, 0, end, &err) == ERR_OK);
    for (uint32_t i = 0; i < count; i++) {
        if (cuts && hits[i].cut)
            must(pair_advance(pair, hits[i].offset, &err) == ERR_OK);
        if (hits[i].footer)
            must(pair_footer(pair, hits[i].rule, hits[i].offset, hits[i].len, &useful[i], &err) ==
                 ERR_OK);
        else
            must(pair_header(pair, hits[i].rule, hits[i].offset, hits[i].len, i, &err) == ERR_OK);
    }
    must(pair_end(pair, &err) == ERR_OK);
    pair_close(pair);
}

/* Length of what the header hits[k] gives without a compatibility mode; 0: nothing. */
static uint64_t reference(const struct sig *rule, const struct feed *hits, uint32_t count,
                          uint32_t k, uint64_t end)
{
    const struct feed *first = NULL, *last = NULL;
    const uint64_t h = hits[k].offset, max = rule->size_max;
    uint64_t len = 0;

    if (rule->mode == SIG_ASCII)
        return hits[k].len < end - h ? hits[k].len : end - h;
    for (uint32_t i = 0; i < count; i++) {
        if (!hits[i].footer || hits[i].rule != hits[k].rule || hits[i].offset <= h)
            continue;
        if (first == NULL)
            first = &hits[i];
        if (hits[i].offset - h <= max)
            last = &hits[i];
    }
    if (rule->footer.len == 0)
        len = max;
    else if (rule->mode == SIG_FORWARD)
        len = first != NULL && first->offset + first->len - h <= max
                  ? first->offset + first->len - h
                  : 0;
    else if (rule->mode == SIG_NEXT)
        len = first != NULL && first->offset - h <= max ? first->offset - h : max;
    else if (last != NULL)
        len = last->offset + last->len - h;
    if (len > end - h)
        len = end - h;
    return len < rule->size_min ? 0 : len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "abcdefgh";
    struct sig sigs[RULES] = { 0 };
    const struct sig *rules[RULES];
    struct feed hits[HITS_MAX];
    struct output whole, cut;
    bool useful[HITS_MAX] = { false }, useful_cut[HITS_MAX] = { false };
    uint32_t count = 0;
    uint64_t offset = 0;

    if (size < 2 + 4 * RULES)
        return 0;
    const enum sig_compat compat = (enum sig_compat)(data[0] % 3);
    const uint64_t spare = data[1];
    for (uint32_t i = 0; i < RULES; i++) {
        const uint8_t *p = data + 2 + 4 * i;

        sigs[i] = (struct sig){
            .name = "x", .mode = (enum sig_mode)(p[0] % 4), .size_min = p[1] & 15, .size_max = p[2]
        };
        sigs[i].headers[0] = (struct sig_pattern){ .bytes = text, .len = 1 + (p[3] & 7) };
        sigs[i].footer = (struct sig_pattern){ .bytes = text, .len = p[3] >> 4 & 7 };
        sigs[i].flags = (p[0] & 0x80) != 0 ? SIG_REGEX_FOOTER : 0;
        if (p[2] == 255)
            sigs[i].size_max = UINT64_MAX;
        rules[i] = &sigs[i];
    }
    for (size_t i = 2 + 4 * RULES; i + 1 < size && count < HITS_MAX; i += 2) {
        offset += data[i] & 63;
        hits[count++] = (struct feed){ offset, (data[i + 1] & 15) % RULES, 1 + (data[i + 1] >> 5),
                                       (data[i] & 64) != 0, (data[i] & 128) != 0 };
    }
    const uint64_t end = offset + 1 + spare;

    run(rules, compat, hits, count, end, false, &whole, useful);
    run(rules, compat, hits, count, end, true, &cut, useful_cut);
    must(whole.count == cut.count && memcmp(useful, useful_cut, sizeof useful) == 0);
    for (uint32_t i = 0; i < whole.count; i++) {
        const struct pair_range *a = &whole.items[i], *b = &cut.items[i];

        must(a->rule == b->rule && a->tag == b->tag && a->offset == b->offset && a->len == b->len &&
             a->how == b->how);
        must(a->len > 0 && a->offset < end && a->len <= end - a->offset && a->tag < count);
    }
    if (compat != SIG_COMPAT_NONE)
        return 0;
    uint32_t want = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool again = false;

        for (uint32_t i = 0; i < k; i++)
            again = again || (!hits[i].footer && hits[i].rule == hits[k].rule &&
                              hits[i].offset == hits[k].offset);
        const uint64_t len =
            hits[k].footer || again ? 0 : reference(rules[hits[k].rule], hits, count, k, end);
        bool found = len == 0;

        want += len > 0;
        for (uint32_t i = 0; i < whole.count && !found; i++)
            found = whole.items[i].tag == k && whole.items[i].len == len;
        must(found);
    }
    must(want == whole.count);
    return 0;
}
