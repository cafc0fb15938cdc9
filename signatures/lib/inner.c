/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/inner.c - see inner.h. */
#include <string.h>

#include "signatures/lib/inner.h"

enum {
    INNER_AGAIN_MAX = 1 << 16, /* calls that only empty the list of claims */
    INNER_SURE_BITS = 24,      /* fixed bits of a header that no other file begins with */
};

const struct sig *inner_sig(const char *name)
{
    uint32_t count;
    const struct sig *const *sigs = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(sigs[i]->name, name) == 0)
            return sigs[i];
    return NULL;
}

/* Whether a file with these first bytes has this header, and it is no chance. */
static bool inner_begins(const struct sig_pattern *header, const uint8_t *head, uint32_t len)
{
    uint32_t fixed = 0;

    if (header->at > len || header->len > len - header->at ||
        !sig_pattern_stands(header, head + header->at))
        return false;
    for (uint32_t i = 0; i < header->len; i++)
        fixed += header->mask == NULL ? 8 : (uint32_t)__builtin_popcount((uint8_t)header->mask[i]);
    return fixed >= INNER_SURE_BITS;
}

const struct sig *inner_find(const uint8_t *head, uint32_t len, uint32_t state)
{
    uint32_t count;
    const struct sig *const *sigs = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0;
             k < SIG_HEADERS_MAX && sigs[i]->headers[k].len != 0 &&
             sigs[i]->seam >= SIG_SEAM_PLACES && sig_state_size(sigs[i], true) <= state;
             k++)
            if (inner_begins(&sigs[i]->headers[k], head, len))
                return sigs[i];
    return NULL;
}

/* What the member does not prove is open in its container too. */
static void inner_open(struct sig_input *in, const struct sig_input *inner,
                       const struct sig_result *result, uint64_t at)
{
    if (!result->proven && inner->open_count == 0)
        sig_open(in, at, at + result->len);
    for (uint32_t i = 0; i < inner->open_count; i++)
        sig_open(in, at + inner->open[i].from, at + inner->open[i].to);
}

enum step inner_check(struct sig_input *in, struct inner *inner, void *state, const struct sig *sig,
                      uint64_t at, uint64_t len)
{
    struct sig_input *sub = &inner->in;
    struct sig_result result;
    uint32_t again = 0;
    bool claimed;

    if (sig_add(at, len) > in->limit) {
        in->wanted = UINT64_MAX;
        return STEP_WAIT;
    }
    if (!inner->begun) {
        memset(state, 0, sig_state_clean(sig));
        *inner = (struct inner){ .begun = true,
                                 .in = { .source = in->source,
                                         .sig = sig,
                                         .start = in->start + at,
                                         .limit = len,
                                         .thorough = true,
                                         .sharers = in->sharers } };
    }
    sub->source = in->source;
    const uint64_t unpacked = sub->unpacked + sub->unpacked_aside;
    do {
        sub->claim_count = 0;
        result = sig_check(sig, sub, state);
        claimed = sub->claim_count > 0;
    } while (result.verdict == SIG_MORE && claimed && again++ < INNER_AGAIN_MAX);
    in->unpacked_aside += sub->unpacked + sub->unpacked_aside - unpacked;
    in->misused = in->misused || sub->misused;
    if (sub->valid > 0)
        sig_valid(in, at + sub->valid);
    in->reached = at + sub->reached > in->reached ? at + sub->reached : in->reached;
    if (result.verdict == SIG_MORE) {
        in->wanted = at + (result.len > 0 ? result.len : sub->wanted);
        return STEP_WAIT;
    }
    const bool whole = result.verdict == SIG_COMPLETE && result.len == len;
    if (whole)
        inner_open(in, sub, &result, at);
    *inner = (struct inner){ 0 };
    return whole ? STEP_DONE : STEP_BAD;
}
