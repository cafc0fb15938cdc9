/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tail.h - where in the image the last piece of a file lies, by what its end says.
 *
 * Some formats have a record near their end that says where in the file it stands (struct sig,
 * tail). Where it stands in the image less where it would, if the file lay in one piece, is the
 * shift of the piece that it is in. So each cut has one place behind it, however far away that is,
 * before the file's beginning too, and cuts alone are to be tried. A record may be another file's:
 * what leads to it tells that mostly, and the validator decides.
 *
 * Threads: one thread uses a splice.
 */
#ifndef BURIN_CARVER_ASSEMBLE_TAIL_H
#define BURIN_CARVER_ASSEMBLE_TAIL_H

#include "carver/assemble/splice.h"
#include "signatures/sig.h"

enum {
    TAIL_REACH = 8 << 20,  /* bytes of the image, on each side, in which the record is looked for */
    TAIL_NEAR = 64 * 1024, /* the most of a shift whose record nothing else speaks for */
    TAIL_SHIFTS = 8,
};

struct tail_job {
    const struct sig *sig;
    uint64_t start;     /* image offset of the file, which is in the image */
    uint64_t from;      /* image offset behind the bytes of the first piece that are sure */
    uint64_t image_len; /* bytes */
};

/*
 * Looks for records from job->from on, and before the file's beginning where there are none: out
 * gets the shifts that they give, whole sectors and not 0, those of records that the file's
 * beginning fits, the nearest first; or of the first one near the file where it fits none. Returns
 * their number. *read grows by the bytes that were looked at. Errors: those of the image stay in
 * the splice (splice_error).
 */
uint32_t tail_shifts(struct splice *splice, const struct tail_job *job, int64_t out[TAIL_SHIFTS],
                     uint64_t *read);

#endif
