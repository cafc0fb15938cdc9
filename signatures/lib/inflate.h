/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/inflate.h - inflates deflated data that comes in pieces, with ISA-L: the calls
 * that all validators of such data share.
 */
#ifndef BURIN_SIGNATURES_LIB_INFLATE_H
#define BURIN_SIGNATURES_LIB_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>

#include "signatures/lib/step.h"
#include "signatures/sig.h"

/* Bytes of the state that say something: its last field is a window, of which some may be in use.
 */
static inline uint32_t inflate_live(const struct inflate_state *inflate)
{
    return (uint32_t)offsetof(struct inflate_state, tmp_out_buffer) +
           (uint32_t)inflate->tmp_out_valid;
}

/*
 * Zeros in a row that no deflated data have. A stored block has at most 65535, with three before
 * and behind it; in a coded one they are one code again and again, and encoders begin a new block
 * after 8 KiB of them at the latest (zlib: as many codes as its memory level 9 holds). Where an
 * image has a hole, they would be inflated to its end, a thousand times as many bytes.
 */
enum { INFLATE_ZEROS_MAX = 128 << 10 };

/* *zeros, 0 before the first piece, becomes the number of zeros that end this one, with those of
 * the pieces before it where all of it are zeros. Returns false when there are too many. */
static inline bool inflate_zeros(uint32_t *zeros, const uint8_t *bytes, uint32_t len)
{
    uint32_t count = 0;

    while (count < len && bytes[len - 1 - count] == 0)
        count++;
    *zeros = count < len ? count : *zeros + count;
    return *zeros <= INFLATE_ZEROS_MAX;
}

/* Gives the next piece. Its bytes stay the caller's, unchanged until inflate_more returns false. */
static inline void inflate_give(struct inflate_state *inflate, const uint8_t *bytes, uint32_t len)
{
    inflate->next_in = (uint8_t *)(uintptr_t)bytes; /* ISA-L only reads it */
    inflate->avail_in = len;
}

/*
 * Inflates data of the piece to out, which has size bytes. *got becomes the number of bytes
 * written. Returns false when the data is not valid deflated data.
 */
static inline bool inflate_take(struct inflate_state *inflate, uint8_t *out, uint32_t size,
                                uint32_t *got)
{
    inflate->next_out = out;
    inflate->avail_out = size;
    const bool good = isal_inflate(inflate) == ISAL_DECOMP_OK;
    *got = size - inflate->avail_out;
    return good;
}

/* Whether the data has ended, and the checksum behind it (if ISA-L reads one) has been read. */
static inline bool inflate_ended(const struct inflate_state *inflate)
{
    return inflate->block_state == ISAL_BLOCK_FINISH;
}

/* Whether inflate_take may return more bytes of this piece. */
static inline bool inflate_more(const struct inflate_state *inflate)
{
    return !inflate_ended(inflate) && (inflate->avail_in > 0 || inflate->avail_out == 0);
}

/* After the end: the number of bytes of the last piece that lie behind it. */
static inline uint32_t inflate_unused(const struct inflate_state *inflate)
{
    return inflate->avail_in + (uint32_t)inflate->read_in_length / 8;
}

/* What inflate_range has done of data: zeros before it begins. */
struct inflate_got {
    uint64_t bytes; /* that came out */
    uint32_t zeros; /* see inflate_zeros */
};

/*
 * Inflates object bytes from *at on, none at `to` or beyond, and throws away what comes out. *got
 * counts the bytes that did. inflate has been made ready by isal_inflate_init; the
 * validator keeps it, *at and *got between calls. STEP_DONE: the data have ended, and *at is behind
 * them. STEP_BAD: they are not valid, do not end before `to`, or may not be unpacked any further.
 */
enum step inflate_range(struct sig_input *in, struct inflate_state *inflate, uint64_t *at,
                        uint64_t to, struct inflate_got *got);

#endif
