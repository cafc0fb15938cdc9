/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jp2.h - what the parts of the JPEG 2000 validator share; nobody else includes
 * it.
 *
 *   jp2.c         boxes, the verdict
 *   jp2_stream.c  a codestream, from SOC to EOC
 */
#ifndef BURIN_SIGNATURES_PICTURE_JP2_H
#define BURIN_SIGNATURES_PICTURE_JP2_H

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

struct jp2_stream {
    uint64_t from, at;      /* object offsets; from: of SOC */
    uint64_t part_end;      /* of the tile-part being read; 0: among headers */
    uint64_t tiles, firsts; /* tiles of the picture; tile-parts that are the first of theirs */
    uint32_t width, height;
    bool open;    /* the tile-part goes up to the end of the codestream */
    bool packets; /* among the packets of a tile-part */
    bool coding, quantisation, done;
};

/* Reads stream, which ends at `end` or before. Done: stream->at is behind EOC. */
enum step jp2_stream(struct sig_input *in, struct jp2_stream *stream, uint64_t end,
                     const char **why);

#endif
