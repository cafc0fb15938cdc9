/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_before.h - what the bytes before a sector say of a text that may begin with it.
 *
 * Threads: as the source.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_BEFORE_H
#define BURIN_CARVER_TEXT_TEXT_BEFORE_H

#include <stdbool.h>
#include <stdint.h>

#include "signatures/sig.h"

enum { TEXT_BLOCK_MAX = 4096 /* bytes of a block of ext2: none before these is looked at */ };

/* len bytes of the image; NULL: they lie behind its end, or cannot be read. */
const uint8_t *text_source_bytes(struct sig_source *source, uint64_t at, uint32_t len);

/* Whether the TEXT_BEFORE bytes before are text, too: then it begins before. */
bool text_is_before(struct sig_source *source, uint64_t at);

/* Whether the block before is the list of an ext2 file's further blocks, which go on here. */
bool text_is_listed(struct sig_source *source, uint64_t at);

#endif
