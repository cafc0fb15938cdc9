/*
 * signatures/lib/inflate.h - inflates deflated data that comes in pieces, with ISA-L: the calls
 * that all validators of such data share.
 */
#ifndef BURIN_SIGNATURES_LIB_INFLATE_H
#define BURIN_SIGNATURES_LIB_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>

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

#endif
