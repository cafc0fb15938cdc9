/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/xcf.h - what the parts of the GIMP validator share; nobody else includes it.
 *
 *   xcf.c       header, properties, layers, channels, hierarchies, levels, the verdict
 *   xcf_tile.c  the data of one tile
 */
#ifndef BURIN_SIGNATURES_PICTURE_XCF_H
#define BURIN_SIGNATURES_PICTURE_XCF_H

#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { XCF_TILE = 64 }; /* pixels, either way */

enum xcf_compression { XCF_NONE, XCF_RLE, XCF_ZLIB };

enum xcf_phase {
    XCF_AT_HEADER,
    XCF_AT_PROPERTIES, /* of the picture */
    XCF_AT_POINTERS,   /* to layers, then to channels */
    XCF_AT_ITEM,
    XCF_AT_ITEM_PROPERTIES,
    XCF_AT_ITEM_POINTERS,
    XCF_AT_HIERARCHY,
    XCF_AT_LEVELS,
    XCF_AT_TILES,
    XCF_AT_MASK,
    XCF_AT_END,
};

struct xcf_state {
    enum xcf_phase phase;
    uint32_t version, base_type;
    uint8_t pointer; /* bytes: 4, from version 11 on 8 */
    enum xcf_compression compression;
    uint64_t at;  /* where the next thing is read */
    uint64_t end; /* of what was read last: GIMP writes one thing behind the other, so nothing may
                     lie before it */

    uint64_t pointers; /* the picture's next pointer */
    bool channels;     /* it is one to a channel */
    uint32_t items;    /* layers and channels read */
    bool is_layer;     /* the item being read; a mask is a channel */
    uint32_t type, width, height, pixel;
    uint64_t hierarchy, mask;
    uint64_t levels; /* next pointer to a level */
    uint32_t level;
    uint64_t tiles; /* next pointer to a tile */
    uint32_t tile;

    uint64_t data; /* place in the tile's data; 0: not begun */
    uint64_t out;  /* bytes that it has decoded to */
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct xcf_state) <= SIG_STATE_MAX, "the state fits");

/* The data at state->data, of `size` bytes in planes of `plane` bytes. STEP_DONE: state->data is
 * its end. */
enum step xcf_tile(struct sig_input *in, struct xcf_state *state, uint64_t plane, uint64_t size);

#endif
