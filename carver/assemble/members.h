/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/members.h - an archive goes on where a file that lies in it goes on.
 *
 * An archive that knows its members by headers alone proves no bytes of theirs: nothing but
 * resemblance tells where it is cut. When the member over the seam is a file that was put together
 * with proof, the archive is cut where that file is, and goes on where that one does. Its own
 * validator has broken before and reads to the end so: behind the seam every header, and the end,
 * stands where what is before the seam says. That is no proof that the archive begins here: each
 * member of a tar archive begins like one. So it is told as likely, and owns nothing.
 *
 * Work is bounded by the seams that are tried, and never by time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_MEMBERS_H
#define BURIN_CARVER_ASSEMBLE_MEMBERS_H

#include "carver/assemble/whole.h"

enum { MEMBERS_PIECES = 16 /* of an archive */ };

struct members_job {
    const struct start *start; /* of an archive that breaks, or has no right byte but its header */
    const struct ground *ground;
    const struct seams *seams; /* settled */
    uint64_t known;            /* bytes of it that the scan found right */
    uint64_t image_len;
};

/* Puts the archive together, if it can. out->start stays NULL if not. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code members_try(const struct members_job *job, struct trial *trial,
                                         struct whole *out, struct err *err);

#endif
