/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzma2.h - walks LZMA2 data chunk by chunk, without unpacking them (xz, 7z);
 * and unpacks them for a thorough check.
 *
 *   00: the end | 01, 02, u16be size - 1: plain data | 80..ff, u16be plain size - 1, u16be packed
 * size - 1, [properties]: LZMA
 *
 * Chunks hold up to 64 KiB of packed data. Sectors in them that are no packed data (zeros, text)
 * are noticed.
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_LZMA2_H
#define BURIN_SIGNATURES_ARCHIVE_LZMA2_H

#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

/* Kept between calls. */
struct lzma2 {
    uint64_t at;    /* object offset of the next chunk */
    uint64_t plain; /* bytes that the chunks so far unpack to */
    bool has_dictionary, has_properties;
    struct plausible plausible;
};

/* Not enum step: it has two ways to be right and two to be wrong. */
enum lzma2_step {
    LZMA2_CHUNK, /* one more was walked */
    LZMA2_END,   /* the mark behind the last one was */
    LZMA2_WAIT,  /* return what sig_short gives */
    LZMA2_BAD,   /* no chunk */
    LZMA2_LOW,   /* one that holds a sector of no packed data */
};

enum {
    LZMA2_DICTIONARY_MAX = 16 << 20, /* bytes of memory: what refers to more is not unpacked */
    LZMA2_PLAIN_MAX = 32 << 20,      /* bytes: what unpacks to more is not unpacked */
    LZMA2_SLOW = 8, /* times as long as deflate takes for a byte that is unpacked */
};

enum lzma2_unpacked { LZMA2_RIGHT, LZMA2_WRONG, LZMA2_UNKNOWN };

/* Of what was unpacked. */
struct lzma2_sums {
    uint64_t plain, crc64;
    uint32_t crc32;
};

/*
 * Unpacks the data at object bytes [from, to), all of which are there, with a dictionary of so many
 * bytes. They must unpack to no more than `plain` bytes, and end at `to`. LZMA2_UNKNOWN: it cannot
 * be told, for want of memory, or would take too long. Whatever happens, *sums holds what came out.
 * Memory: a dictionary and some 200 KiB, as long as the call lasts.
 */
enum lzma2_unpacked lzma2_unpack(struct sig_input *in, uint64_t from, uint64_t to,
                                 uint32_t dictionary, uint64_t plain, struct lzma2_sums *sums);

/* The next chunk. Some bytes have to follow the end of such data in the format it is part of. */
enum lzma2_step lzma2_chunk(struct sig_input *in, struct lzma2 *lzma2);

#endif
