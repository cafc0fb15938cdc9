/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jp2_head.h - heads of the boxes of JPEG 2000, which JPEG XL has as well.
 *
 *   u32be length of the box | type | (length 1: u64be length of the box)
 *
 * Source: ITU-T T.800 (ISO/IEC 15444-1), Annex I.4.
 */
#ifndef BURIN_SIGNATURES_PICTURE_JP2_HEAD_H
#define BURIN_SIGNATURES_PICTURE_JP2_HEAD_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { JP2_HEAD = 8, JP2_HEAD_WIDE = 16 }; /* bytes */

struct jp2_head {
    uint8_t type[4];
    bool known;   /* false: no box of the format stands here, and len means nothing */
    uint32_t len; /* of the head, bytes */
    uint64_t box; /* length of the whole box, bytes, not looked at; 0: up to the end of the file */
};

/* Reads the head at object offset `at`. known: whether the format has boxes of a type. Never
 * STEP_BAD. */
enum step jp2_head_read(struct sig_input *in, uint64_t at, bool (*known)(const uint8_t *type),
                        struct jp2_head *out);

#endif
