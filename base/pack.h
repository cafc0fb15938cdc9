/* SPDX-License-Identifier: Apache-2.0
 * base/pack.h - numbers and texts one behind another in a row of bytes, and back.
 *
 * A number is stored as base/varint.h writes it, a text as its length and its bytes.
 *
 * Errors stick: after the first one a pack takes nothing more, and an unpack gives only zeros. So a
 * caller looks once, at the end.
 *
 * Threads: one at a time for each struct.
 */
#ifndef BURIN_BASE_PACK_H
#define BURIN_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct pack {
    uint8_t *bytes; /* [len]; owned */
    size_t len, room;
    bool failed; /* there was no memory */
};

void pack_clear(struct pack *pack);   /* empties it, and keeps the memory */
void pack_release(struct pack *pack); /* of a zeroed one: a no-op */
void pack_number(struct pack *pack, uint64_t value);
void pack_bytes(struct pack *pack, const void *bytes, size_t len); /* without their length */
void pack_u64(struct pack *pack, uint64_t value);                  /* 8 bytes, of this machine */
void pack_text(struct pack *pack, const char *text);

/* Bytes that nobody vouches for; they stay the caller's. */
struct unpack {
    const uint8_t *at, *end;
    bool failed; /* the bytes ended too early, or a value is out of its bounds */
};

uint64_t unpack_number_long(struct unpack *in, uint64_t max); /* for unpack_number alone */

/* 0 .. max. Nearly all numbers are of one byte. */
static inline uint64_t unpack_number(struct unpack *in, uint64_t max)
{
    if (!in->failed && in->at < in->end && *in->at < 0x80 && *in->at <= max)
        return *in->at++;
    return unpack_number_long(in, max);
}

/* A number of things that follow, each of one byte at least: never more than bytes are left. */
uint32_t unpack_count(struct unpack *in);
bool unpack_flag(struct unpack *in);
void unpack_bytes(struct unpack *in, void *out, size_t len); /* zeros, on an error */
uint64_t unpack_u64(struct unpack *in); /* as pack_u64 has it; 0, on an error */
/* Whether all went well, and nothing is left. */
bool unpack_whole(const struct unpack *in);

#endif
