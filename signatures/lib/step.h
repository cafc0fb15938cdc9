/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/step.h - the result of one part of a validator: go on, wait for bytes, or wrong.
 *
 * A validator whose parts have one more answer (the object ends here, no part begins here) declares
 * an enum of its own, and says what that answer is.
 */
#ifndef BURIN_SIGNATURES_LIB_STEP_H
#define BURIN_SIGNATURES_LIB_STEP_H

enum step {
    STEP_DONE, /* the part is right: go on */
    STEP_WAIT, /* more bytes are needed: the validator returns sig_short(in) */
    STEP_BAD,  /* the part is wrong */
};

/* STEP_BAD, and the reason in *why. text is static. */
static inline enum step step_bad(const char **why, const char *text)
{
    *why = text;
    return STEP_BAD;
}

#endif
