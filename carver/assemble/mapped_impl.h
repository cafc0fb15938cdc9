/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/mapped_impl.h - what the parts of mapped.h share; nobody else includes it.
 *
 *   mapped.c       the pieces, and whether the validator agrees
 *   mapped_cuts.c  where one piece may end and the next one begin, the best first
 *   mapped_sums.c  the same by the sums of tables, where the format has some
 *   mapped_units.c between which places that is, where the format has units in order
 *   mapped_twice.c two cuts, where a piece has no landmark
 *   mapped_on.c    a piece behind the last landmark, and cuts by the records that break
 */
#ifndef BURIN_CARVER_ASSEMBLE_MAPPED_IMPL_H
#define BURIN_CARVER_ASSEMBLE_MAPPED_IMPL_H

#include "carver/assemble/landmarks.h"
#include "carver/assemble/mapped.h"

enum {
    MAPPED_CUTS = 32,      /* of one seam that are looked at closely */
    MAPPED_WEIGHT = 65536, /* of a cut that is as good as the best one */
};

struct mapped_cut {
    uint64_t at;   /* object offset */
    int64_t saved; /* see resemble.h; */
    int64_t edge;  /* and how much the bytes change at that end where they do so less */
    bool exact;    /* what lies between is of one kind, or other files, and nothing beside it is */
};

/* Of one seam, the best first. */
struct mapped_cuts {
    struct mapped_cut items[MAPPED_CUTS];
    uint32_t count;
};

/* Pieces that the validator takes for a whole file. */
struct mapped_whole {
    struct io_range runs[LANDMARKS_PIECES];
    uint32_t count;
    uint64_t len;    /* bytes; 0: there is none */
    int64_t saved;   /* of all cuts; */
    int64_t edge;    /* and of that which has the least */
    uint64_t rivals; /* the weights of others that it takes as well, of MAPPED_WEIGHT */
    bool proven;     /* the validator has seen to every byte, or each unit */
    bool narrow;     /* few cuts were left by what the validator knows */
    bool decided;    /* each cut is the only one there that the validator takes, or exact */
    const struct sig_type *type;
    const char *why;
};

struct mapped {
    const struct fork_job *job;
    const struct resemble_table *table;
    struct trial *trial;
    uint64_t tried;
};

/*
 * Asks the validator whether a file in the pieces of the way that is cut there, object offsets, is
 * whole: *len is 0 where it is not. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mapped_ask(struct mapped *mapped, const struct landmarks_way *way,
                                        const uint64_t *cuts, struct mapped_whole *out,
                                        struct err *err);
/* The weight of what is so much worse than the best, of MAPPED_WEIGHT; of what is no worse, all. */
uint64_t mapped_weight(int64_t worse);

/* Whether the format proves its seams: what is not proven is wrong then. */
bool mapped_proves(const struct mapped *mapped);

/* Whether its units tell where it is cut (SIG_ORDERED). */
bool mapped_ordered(const struct mapped *mapped);

/* Keeps what is better, whose rival the other one is then. */
void mapped_better(struct mapped_whole *best, const struct mapped_whole *other);

/* Finds the cuts between a piece of the way and the next one. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code mapped_find_cuts(const struct mapped *mapped,
                                              const struct landmarks_piece *pieces,
                                              struct mapped_cuts *out, struct err *err);
/* Finds those at which a table of the format that is cut has the sum that the header tells. */
void mapped_sum_cuts(const struct mapped *mapped, const struct landmarks_piece *pieces,
                     struct mapped_cuts *out);
/*
 * Of a way of two pieces, sets what is known of each (object offsets) to the first cut that units
 * in order allow, and to the last one. *narrow: there is such a cut. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mapped_narrow(struct mapped *mapped, struct landmarks_way *way,
                                           bool *narrow, struct err *err);
/* Finds the cuts between these: sectors that are unlike the file's own are none of its. Errors:
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code mapped_unit_cuts(const struct mapped *mapped,
                                              const struct landmarks_piece *pieces,
                                              struct mapped_cuts *out, struct err *err);
/* Keeps a cut, if it is one of the best. */
void mapped_keep(struct mapped_cuts *cuts, const struct mapped_cut *cut);

/*
 * The best file of three pieces in order, where the first and the last one have all landmarks, and
 * the way knows only these. out->len stays 0 where there is none. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mapped_twice(struct mapped *mapped, const struct landmarks_way *way,
                                          struct mapped_whole *out, struct err *err);

/* Tries one explanation of where the landmarks are. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code mapped_way(struct mapped *mapped, struct landmarks_way *way,
                                        struct mapped_whole *best, struct err *err);

/*
 * The same where the validator goes on to break in what the way knows, of one piece at least: it
 * tells where a piece ends, or that there is one more. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mapped_on(struct mapped *mapped, const struct landmarks_way *way,
                                       struct mapped_whole *best, struct err *err);

#endif
