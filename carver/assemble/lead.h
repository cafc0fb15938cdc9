/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/lead.h - files of which all but the first blocks are listed.
 *
 * Lists of ext2 and ext3 name the blocks behind the first 12, which a deletion forgets. Where the
 * file did not lie in one piece up to there, it began in a hole that was too short: its first piece
 * ends where that does, and the second one leads right to the first block of the list.
 */
#ifndef BURIN_CARVER_ASSEMBLE_LEAD_H
#define BURIN_CARVER_ASSEMBLE_LEAD_H

#include "carver/assemble/claims.h"
#include "carver/assemble/ground.h"

enum {
    LEAD_STARTS = 256,   /* headers that are tried for a list: those that are nearest to it */
    LEAD_LOOK = 1 << 13, /* and that are looked at for these */
    LEAD_WRONG = 20000,  /* the chance that one is wrong that nothing proves, of 10^6 */
    LEAD_WORK = 4 << 20, /* of a list, behind which no other header is tried; see trial.h */
    LEAD_ALL = 1 << 29,  /* work for all lists of an image, */
    LEAD_SHARE = 2,      /* and one for so many bytes in reach of starts; times the effort */
};

/* Whether the claim has a lead, and what is listed is free: a file in use has its own list. */
bool lead_is_open(const struct claim *claim, const struct io_range *runs,
                  const struct ground *ground);

/*
 * Puts together the file of such a claim, with so much work. out->start stays NULL when no
 * validator agrees. What none proves is likely (out->wrong), where no other header and no other cut
 * would do. The ground must be settled, and have what a file system says is in use: holes are told
 * by that.
 */
ERR_MUST_CHECK enum err_code lead_try(const struct claim *claim, const struct io_range *runs,
                                      const struct starts *starts, const struct ground *ground,
                                      uint64_t work, struct trial *trial, struct whole *out,
                                      struct err *err);

#endif
