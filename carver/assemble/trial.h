/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/trial.h - a validator that reads an object in pieces.
 *
 * Work is counted in bytes that were shown to validators or that they unpacked, and never in time,
 * so that what is given up does not depend on the machine.
 *
 * Threads: one thread uses a trial.
 */
#ifndef BURIN_CARVER_ASSEMBLE_TRIAL_H
#define BURIN_CARVER_ASSEMBLE_TRIAL_H

#include <string.h>

#include "carver/assemble/looks.h"
#include "carver/assemble/splice.h"

struct trial {
    struct splice splice;
    struct looks *looks; /* of the image's sectors, for all objects */
    struct sig_input in;
    uint8_t *state;  /* SIG_STATE_MAX bytes */
    uint64_t work;   /* bytes that validators were shown or unpacked, of all objects so far */
    uint64_t looked; /* and bytes that take as long to look at, which no one file's budget counts */
};

/* One of so many, as splice_open. Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code trial_open(struct io_image *image, const struct unread *unread,
                                        uint32_t trials, struct trial *out, struct err *err);
void trial_close(struct trial *trial); /* of a zeroed one: a no-op */

/*
 * Begins to read the pieces as an object of the signature. Runs stay the caller's, unchanged until
 * the next call. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code trial_begin(struct trial *trial, const struct sig *sig,
                                         const struct io_range *runs, uint32_t count,
                                         struct err *err);

/*
 * Runs the validator up to the visible end of the object. SIG_MORE: it wants to see more than that.
 * When the image can be read no longer, the verdict is SIG_REJECT: see splice_error.
 */
struct sig_result trial_run(struct trial *trial);

/*
 * Whether what trial_run said last proves that the pieces are those of a whole file: the validator
 * is one that sees a wrong sector anywhere, and all bytes are proven, but for stretches that no
 * seam touches.
 */
bool trial_proves(const struct trial *trial, const struct sig_result *result);

/* Copies a state of the signature's validator in a thorough check, as far as it says anything: back
 * to the trial's, or away from there. */
static inline void trial_copy(const struct sig *sig, uint8_t *to, const uint8_t *from)
{
    memcpy(to, from, sig_state_live(sig, from));
}

/* What the validator said last that it is. */
const struct sig_type *trial_type(const struct trial *trial);

/* The whole object at once: trial_begin and trial_run, with all of its bytes visible. */
ERR_MUST_CHECK enum err_code trial_all(struct trial *trial, const struct sig *sig,
                                       const struct io_range *runs, uint32_t count,
                                       struct sig_result *result, struct err *err);

/*
 * Whether a header of the signature stands where a file that begins with these pieces would have
 * it. *fixed becomes the number of its bits that are not wild.
 */
ERR_MUST_CHECK enum err_code trial_header(struct trial *trial, const struct sig *sig,
                                          const struct io_range *runs, uint32_t count, bool *found,
                                          uint32_t *fixed, struct err *err);

#endif
