/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/skip.h - files of which only the first cluster and the length are known.
 *
 * FAT and exFAT look for free clusters from the last one on that was used, so a file lies in
 * ascending clusters, all that were free then, and goes on at the beginning when it came to the
 * end of the volume. A deletion clears the chain. What other files have now was not free then,
 * mostly: so the file is what is left, in order. An owner may be wrong, or lie inside of the file:
 * where the validator stops, it is tried without the last owner that was skipped.
 */
#ifndef BURIN_CARVER_ASSEMBLE_SKIP_H
#define BURIN_CARVER_ASSEMBLE_SKIP_H

#include "carver/assemble/claims.h"

enum {
    SKIP_TRIES = 16,        /* with fewer and fewer owners */
    SKIP_PIECES = 4096,     /* of one file */
    SKIP_LEN_MAX = 1 << 30, /* bytes of a file that is looked for this way */
    SKIP_WRONG = 20000, /* the chance that it is wrong where nobody says what is in use, of 10^6 */
    SKIP_WORK = 16 << 20, /* behind which a file is not tried once more; see trial.h */
};

/*
 * Puts together the file of a claim with an open end. out->start stays NULL when no validator
 * agrees. likely: where nobody says what is in use, and nothing proves the file's bytes, a
 * validator that comes to the end that the claim gives makes it likely (out->wrong); else it is
 * left out there. The ground must be settled.
 */
ERR_MUST_CHECK enum err_code skip_try(const struct claim *claim, const struct io_range *first,
                                      const struct starts *starts, const struct ground *ground,
                                      bool likely, struct trial *trial, struct whole *out,
                                      struct err *err);

#endif
