/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_ask.c - see text_ask.h. */
#include "carver/text/text_ask.h"

#include <string.h>

#include "base/limits.h"

void text_ask_begin(struct text_ask *ask, const struct sig *sig, void *state,
                    struct sig_source *source, uint64_t at, uint64_t limit)
{
    *ask = (struct text_ask){ .state = state, .left = limit - at };
    ask->in = (struct sig_input){ .source = &ask->summed.source,
                                  .sig = sig,
                                  .type = &sig->types[0],
                                  .start = at,
                                  .limit = ask->left < sig->size_max ? ask->left : sig->size_max };
    text_summed_open(&ask->summed, source, at);
    memset(state, 0, sig_state_clean(sig));
}

bool text_ask_on(struct text_ask *ask, struct text_row *row)
{
    const uint64_t at = ask->in.start;
    const struct sig_result result = sig_check(ask->in.sig, &ask->in, ask->state);

    *row = (struct text_row){ .offset = at, .len = ask->in.valid > 0 ? ask->in.valid : 1 };
    if (result.verdict == SIG_MORE) {
        text_summed_pause(&ask->summed);
        return false;
    }
    if (result.verdict == SIG_REJECT)
        return true;
    const bool whole = result.verdict == SIG_COMPLETE && result.len < ask->left;
    row->type = ask->in.type;
    row->len = result.len;
    row->complete = whole;
    row->slack = whole && (at + result.len) % LIMIT_SECTOR != 0;
    row->why = whole || result.verdict == SIG_BREAKS
                   ? result.why
                   : "text to where another file begins, or to the end of what was read";
    row->crc64 = text_summed_to(&ask->summed, at + result.len);
    return true;
}

uint64_t text_ask_reach(const struct text_ask *ask)
{
    const uint64_t valid = ask->in.start + ask->in.valid;
    /* The validator may take the bytes of a last sector for chance, and look at all of the next. */
    const uint64_t sectors = valid / LIMIT_SECTOR * LIMIT_SECTOR + 2 * LIMIT_SECTOR;

    return ask->summed.wanted > sectors ? ask->summed.wanted : sectors;
}
