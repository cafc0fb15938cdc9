/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/landmarks.h - where the pieces of a file lie, by sectors that its header tells
 * of.
 *
 * A header may say of other sectors of its file what stands there (struct sig, marks): the table of
 * a compound file, its directory. Where such a sector is found, its place in the image less the one
 * that it would have if the file lay in one piece is the shift of its piece, however far away that
 * is. Other files have sectors that look alike, and so a shift counts only where all marks lie in
 * one of few pieces: those of each behind those of the one before it.
 *
 * Threads: one thread uses a splice.
 */
#ifndef BURIN_CARVER_ASSEMBLE_LANDMARKS_H
#define BURIN_CARVER_ASSEMBLE_LANDMARKS_H

#include "carver/assemble/splice.h"

enum {
    LANDMARKS_REACH = 8 << 20, /* bytes of the image, on each side, that are looked at */
    LANDMARKS_PIECES = 3,      /* of a file */
    LANDMARKS_WAYS = 8,
    LANDMARKS_SHIFTS = 16,     /* that are kept of one mark, the nearest ones, */
    LANDMARKS_SHIFTS_ALL = 32, /* and of all */
};

struct landmarks_job {
    const struct sig *sig; /* it has marks */
    uint64_t start;        /* image offset of the file, on a sector */
    uint64_t image_len;    /* bytes */
};

/* What is known of a piece: object offsets of its first mark, and behind its last one. */
struct landmarks_piece {
    int64_t shift; /* bytes; of the first piece: 0 */
    uint64_t from, to;
    bool limited; /* it goes on up to there by what its validator said */
};

/* Pieces that would explain where all marks are; at least two. */
struct landmarks_way {
    struct landmarks_piece pieces[LANDMARKS_PIECES];
    uint32_t count;
};

/* A shift, and the marks that speak for it. */
struct landmarks_shift {
    int64_t shift;
    uint32_t votes;
};

struct landmarks {
    const struct landmarks_job *job;
    uint8_t head[SIG_HEAD];
    struct sig_mark marks[SIG_MARKS];
    uint32_t mark_count;
    int64_t shifts[SIG_MARKS][LANDMARKS_SHIFTS]; /* [shift_count[i]]: of each mark */
    uint32_t shift_count[SIG_MARKS];
    struct landmarks_shift all[LANDMARKS_SHIFTS_ALL];
    uint32_t all_count;
    int64_t given[LANDMARKS_SHIFTS_ALL]; /* [given_count]: shifts of ways of two pieces so far */
    uint32_t given_count;
    uint64_t far, end; /* bytes on each side that were looked at; that will be */
};

/* Asks the header of the file. False: it tells of nothing, or everything is in its place. */
bool landmarks_open(struct landmarks *landmarks, const struct landmarks_job *job,
                    struct splice *splice);

/* Whether all marks are where they are if the file lies in one piece, but for
 * those that some files lack (struct sig, is_vague). */
bool landmarks_stay(const struct landmarks *landmarks, struct splice *splice);

/*
 * Looks farther away, and gives the ways that explain all marks that were found so far, each once,
 * the likeliest first: those with fewer pieces, and of these the shifts that more marks speak for,
 * and the nearest ones. Those of three pieces come last of all. False: everything has been looked
 * at. *read grows by the bytes of the image that were looked at. Errors: those of the image stay in
 * the splice (splice_error).
 */
bool landmarks_next(struct landmarks *landmarks, struct splice *splice,
                    struct landmarks_way out[LANDMARKS_WAYS], uint32_t *count, uint64_t *read);

#endif
