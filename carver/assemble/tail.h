/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/tail.h - how many bytes lie between the pieces of a file, by what its end says.
 *
 * Some formats have a record near their end that says where in the file it stands (struct sig,
 * tail). Where it stands in the image less where it would, is what lies between the pieces. Of two
 * pieces one number gives the place of the second one for each cut, so that cuts alone are to be
 * tried. The record may be another file's: the validator decides.
 *
 * Threads: one thread uses a splice.
 */
#ifndef BURIN_CARVER_ASSEMBLE_TAIL_H
#define BURIN_CARVER_ASSEMBLE_TAIL_H

#include "carver/assemble/splice.h"
#include "signatures/sig.h"

enum {
    TAIL_REACH = 1 << 19, /* bytes of the image in which the record is looked for */
    TAIL_GAP = 64 * 1024, /* bytes between the pieces at most */
};

/*
 * Looks for the record from image offset `from` on, as if the file began at start: the bytes
 * between its pieces, whole sectors; 0: it is not found. *read grows by the bytes that were looked
 * at. Errors: those of the image stay in the splice (splice_error).
 */
uint64_t tail_gap(struct splice *splice, uint64_t image_len, const struct sig *sig, uint64_t start,
                  uint64_t from, uint64_t *read);

#endif
