/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill.h - files whose pieces fill holes, in any order and any number.
 *
 * A file that is right up to the end of its hole goes on where another hole begins (holes.h). Which
 * one that may be is said by the order in which holes of this volume were filled (filled.h), by how
 * well what is there resembles the piece before, and by the validator.
 *
 * Many ways from hole to hole are tried, the likeliest first, until the validator has proven one;
 * of a format of which wrong units may pass, only if no other one was proven soon after. Of formats
 * that prove nothing the likeliest way to an end counts, if other ends are much less likely. Where
 * there is none, or it is not known how holes were filled, the best way on is taken at each seam,
 * which has a chance that it is wrong: by the other ways that the validator takes, and by the
 * places all over the image at which the file would go on as well, as in guess.h. Where the sum is
 * small the file is likely.
 *
 * Work is bounded by bytes shown to the validator, and never by time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_FILL_H
#define BURIN_CARVER_ASSEMBLE_FILL_H

#include "carver/assemble/filled.h"
#include "carver/assemble/fork.h"
#include "carver/assemble/holes.h"

struct fill_job {
    const struct start *start;
    const struct islands *islands;
    const struct holes *holes;
    const struct filled *filled; /* settled for these holes */
    const struct starts *starts; /* of the image */
    const struct resemble_table *table;
    const struct resemble_sample *sample; /* of the image */
    uint64_t budget;                      /* bytes that the validator may be shown */
    bool likely; /* what is likely is looked for, and not only what is proven */
};

/*
 * Puts the file together, if it can. out->start stays NULL if not; out->wrong as in guess_try.
 * Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fill_try(const struct fill_job *job, struct trial *trial,
                                      struct whole *out, struct err *err);

#endif
