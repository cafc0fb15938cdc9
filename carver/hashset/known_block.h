/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_block.h - blocks whose hash says nothing about where they come from.
 *
 * Garfinkel and McCarrin, Hash-based carving: Searching media for complete files and file fragments
 * with sector hashing and hashdb (Digital Investigation 14, 2015), section 4: blocks that many
 * unlike files share are constant, ramps, tables, or white space. The bounds are those of hashdb
 * and bulk_extractor, so that their sets and ours leave out the same.
 */
#ifndef BURIN_CARVER_HASHSET_KNOWN_BLOCK_H
#define BURIN_CARVER_HASHSET_KNOWN_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* What makes the block say nothing ("constant", "ramp", "few values", "white space", "ordered
 * values"), or NULL. len: a multiple of 4, at most 64 KiB. */
const char *known_block_nonprobative(const uint8_t *block, size_t len);

#endif
