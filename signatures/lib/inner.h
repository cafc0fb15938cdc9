/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/inner.h - a member of a container, checked by the validator of its own format. For
 * thorough checks of containers that have no check sums themselves.
 */
#ifndef BURIN_SIGNATURES_LIB_INNER_H
#define BURIN_SIGNATURES_LIB_INNER_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

/* Kept between calls; zeroed before the first call for a member. */
struct inner {
    bool begun;
    struct sig_input in; /* the member's */
};

/* The built-in signature of this name; NULL: there is none. */
const struct sig *inner_sig(const char *name);

/*
 * The first built-in signature that a file with these first bytes has for sure, and whose validator
 * sees records that lie in wrong places at least (SIG_SEAM_PLACES); NULL: there is none. state:
 * bytes that there are for its validator's state.
 */
const struct sig *inner_find(const uint8_t *head, uint32_t len, uint32_t state);

/*
 * Checks the len bytes at object offset at, thoroughly, as a file of sig. state: memory for
 * sig_state_size(sig, true) bytes, left alone between calls. STEP_DONE: they are one whole file;
 * what it does not prove is open (sig_open). STEP_BAD: they are not. After both *inner is zeroed.
 * How far they are right is right in the container, too (sig_valid).
 */
enum step inner_check(struct sig_input *in, struct inner *inner, void *state, const struct sig *sig,
                      uint64_t at, uint64_t len);

#endif
