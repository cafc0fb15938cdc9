/* SPDX-License-Identifier: Apache-2.0
 * match/papers/ac_steps/states.h - the output of Zha and Sahni's kernels (section 3.1): the
 * automaton's state after every byte of the text.
 *
 * It is left in the search's scratch: this, and right behind it a cell for each place of
 * ac_steps.cuh, of the size of the rows' cells. The host goes through all of it for hits, which is
 * what the compacted hits of the other forms are measured against.
 */
#ifndef BURIN_MATCH_PAPERS_AC_STEPS_STATES_H
#define BURIN_MATCH_PAPERS_AC_STEPS_STATES_H

#include "match/kernel/search.h"

struct states {
    uint32_t skew; /* place of the text's first byte, 0..15 */
    uint32_t narrow;
    uint32_t unused[2];
};

HOST_DEVICE struct states *states_of(const struct search *s)
{
    return (struct states *)s->view.scratch;
}

HOST_DEVICE uint32_t states_skew(const struct search *s)
{
    return (uint32_t)((uintptr_t)s->view.text % 16);
}

#endif
