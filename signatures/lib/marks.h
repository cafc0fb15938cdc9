/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/marks.h - the list of marks that a format fills: see struct sig, marks.
 */
#ifndef BURIN_SIGNATURES_LIB_MARKS_H
#define BURIN_SIGNATURES_LIB_MARKS_H

#include "signatures/sig.h"

/*
 * Adds the sector of object offset `at` to those of out[*count], which are ascending; of equal ones
 * the new one comes last. Room for it is the caller's to see to: a header has SIG_MARKS at most.
 */
static inline void marks_add(struct sig_mark *out, uint32_t *count, uint64_t at, uint32_t number)
{
    const uint64_t sector = at / SIG_MARK * SIG_MARK;
    uint32_t i = (*count)++;

    for (; i > 0 && out[i - 1].at > sector; i--)
        out[i] = out[i - 1];
    out[i] = (struct sig_mark){ sector, number };
}

#endif
