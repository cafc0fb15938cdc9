/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/units.h - where a file is cut, and where it goes on, by the unit that breaks.
 *
 * The first bytes of a unit (a chunk, a page, a stored member) say how long it is, and so what must
 * stand behind it and where (struct sig_unit). Where such bytes stand elsewhere in the image, the
 * next piece may lie, as far away as they are from their place: its shift. When the unit has a
 * CRC-32, that tells the cut as well: a CRC is linear, so one pass over the unit as it lies in the
 * piece, one over it as it lies in the shifted one, and one over its zeros, backwards, give the sum
 * for each cut (Peterson and Brown, Cyclic codes for error detection, 1961). Wrong cuts pass with a
 * chance of 2^-32 each, and the validator decides about the others.
 *
 * A unit that does not say how long it is (a frame of FLAC) has a CRC-16, and ends where the next
 * one begins, which tells its number (units_open.c). Each cut asks for one sum of what lies behind
 * it, and what lies before the next unit, read backwards, gives one for each place.
 *
 * A block of bzip2 says neither, and numbers of 48 bits stand behind it, at any bit
 * (units_joint.c): for each of those, the format itself finds the cuts (struct sig_joint).
 *
 * Packed bytes that nothing marks the middle of (gzip) go on where the format says that they do
 * best (struct sig_flow), of all places in reach (units_flow.c).
 *
 * Threads: one thread uses a splice.
 */
#ifndef BURIN_CARVER_ASSEMBLE_UNITS_H
#define BURIN_CARVER_ASSEMBLE_UNITS_H

#include "carver/assemble/places.h"
#include "signatures/sig.h"

enum {
    UNITS_REACH = 8 << 20,   /* bytes of the image, on each side, that are looked at */
    UNITS_SHIFTS = 32,       /* that are taken, and those that are known before, */
    UNITS_CUTS = 16,         /* and cuts, of all shifts together */
    UNITS_LONGEST = 1 << 24, /* bytes of a unit whose cut is looked for */
};

struct units_job {
    const struct sig *sig;
    uint64_t at;        /* image offset of the unit, in the piece that breaks in it; */
    uint64_t cut_first; /* and of the first place behind that where the piece may end, and */
    uint32_t step;      /* the bytes from one such place to the next one */
    uint64_t image_len; /* bytes */
    /* To tell where no piece may begin; NULL: it may anywhere. */
    struct places *places;
};

/* Where the piece may end, and the next one begin; image offsets. */
struct units_cut {
    uint64_t end, begin;
};

struct units {
    int64_t shifts[UNITS_SHIFTS]; /* of the next piece against this one, in bytes */
    uint32_t shift_count;
    struct units_cut cuts[UNITS_CUTS];
    uint32_t cut_count;
    bool summed;   /* the unit has a CRC: all right cuts are in cuts, but for the bytes behind it */
    uint64_t read; /* bytes of the image that were looked at */
    uint64_t looked; /* by the format, where it has a joint or a flow: see struct trial */
};

/*
 * Finds the shifts, unless units->shifts has some already, and the cuts. Errors: ERR_ENV for no
 * memory; those of the image stay in the splice (splice_error).
 */
ERR_MUST_CHECK enum err_code units_find(struct splice *splice, const struct units_job *job,
                                        struct units *units, struct err *err);

#endif
