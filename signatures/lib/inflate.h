/* signatures/lib/inflate.h - deflated data that comes in pieces, through ISA-L: what all checkers of such data do alike. */
#ifndef BURIN_SIGNATURES_LIB_INFLATE_H
#define BURIN_SIGNATURES_LIB_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>

/* The next piece. The bytes stay the caller's, until inflate_more says that there is no more in them. */
static inline void inflate_give(struct inflate_state *inflate, const uint8_t *bytes, uint32_t len)
{
    inflate->next_in = (uint8_t *)(uintptr_t)bytes; /* ISA-L only reads it */
    inflate->avail_in = len;
}

/* Inflates as much of the piece as out, size bytes, has room for: *got bytes. False: it does not inflate. */
static inline bool inflate_take(struct inflate_state *inflate, uint8_t *out, uint32_t size, uint32_t *got)
{
    inflate->next_out = out;
    inflate->avail_out = size;
    const bool good = isal_inflate(inflate) == ISAL_DECOMP_OK;
    *got = size - inflate->avail_out;
    return good;
}

/* The data has come to its end, and with it a checksum that is read too. */
static inline bool inflate_ended(const struct inflate_state *inflate)
{
    return inflate->block_state == ISAL_BLOCK_FINISH;
}

/* Whether the piece may have more to take. */
static inline bool inflate_more(const struct inflate_state *inflate)
{
    return !inflate_ended(inflate) && (inflate->avail_in > 0 || inflate->avail_out == 0);
}

/* Bytes of the last piece that lie behind the end. */
static inline uint32_t inflate_unused(const struct inflate_state *inflate)
{
    return inflate->avail_in + (uint32_t)inflate->read_in_length / 8;
}

#endif
