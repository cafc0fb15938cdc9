/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_impl.h - what the parts of guess.h share; nobody else includes it.
 *
 *   guess.c       where the first piece may end, and what is told
 *   guess_ways.c  the ways on from there, by how well they go together
 *   guess_ask.c   which of them the validator takes
 *   guess_marks.c the validator as it is at a cut, which all ways on from there begin with
 *   guess_slide.c whether the cut may be elsewhere, with as much between the pieces
 *   guess_null.c  how many places all over the image would do as well
 */
#ifndef BURIN_CARVER_ASSEMBLE_GUESS_IMPL_H
#define BURIN_CARVER_ASSEMBLE_GUESS_IMPL_H

#include "carver/assemble/fit.h"
#include "carver/assemble/guess.h"

enum {
    GUESS_CUTS = 32,               /* that are tried */
    GUESS_GAPS = 64,               /* clusters behind a cut where the next piece may begin */
    GUESS_NEAR = 16,               /* sectors of the first piece that are compared, and once more */
    GUESS_BEFORE = 64,             /* so many, */
    GUESS_BEHIND = RESEMBLE_PLACE, /* and of the second one */
    GUESS_WEIGHT = 65536,          /* of a way that is as good as the best one */
    GUESS_STEP = 16 * RESEMBLE_BIT, /* a way that is so much worse is half as likely, */
    GUESS_STEPS = 16,
    GUESS_NO_RIVAL = GUESS_STEPS * GUESS_STEP /* and one that is so much worse is no rival */
};

/* A way: the first piece has so many sectors, and the second one begins so many behind it. */
struct guess_way {
    uint32_t cut, gap;
    int64_t saved; /* see resemble.h */
    bool asked;    /* the validator was; then */
    uint64_t len;  /* of the file; 0: it does not come to its end */
    uint32_t fit;  /* what lies behind the end: enum fit */
};

/* The validator, when it had seen the first piece up to a cut. */
struct guess_mark {
    uint32_t cut;
    struct sig_input in;
    struct sig_result result; /* what it said then */
    uint8_t *state;           /* NULL: that was all it wanted to see */
};

struct guess {
    const struct fork_job *job;
    struct trial *trial;
    const struct resemble_sample *sample; /* NULL where proof is wanted */
    struct resemble window;
    bool proof;               /* only what the validator proves counts */
    uint32_t first;           /* sectors of the file before the window */
    uint32_t low, high;       /* sectors of the first piece: at least, at most */
    uint32_t broke;           /* sectors of the file that are right, as far as can be seen */
    struct grams_set strings; /* of the first piece, */
    struct edges edges;       /* and what was learnt from it, */
    uint32_t learnt_cut;      /* when it has so many sectors; 0: of none */
    int64_t learnt_behind;    /* what it shares with GUESS_EDGE sectors right behind it, */
    uint64_t shares[RESEMBLE_SECTORS]; /* and with each of the window: see resemble_shared */
    bool fits[GUESS_GAPS + 1];         /* of a believed one: that it may end with so much between */
    int64_t changes[RESEMBLE_SECTORS + 1]; /* at each sector of the window; 0: not looked at */
    int64_t around[RESEMBLE_SECTORS];      /* see guess_around; 0: not looked at */
    uint32_t cuts[GUESS_CUTS];             /* sectors of the first piece */
    uint32_t cut_count;
    struct guess_mark marks[GUESS_CUTS]; /* of those that were asked about */
    uint32_t mark_count;
    struct guess_way ways[GUESS_CUTS * (GUESS_GAPS + 1)]; /* the best first */
    uint32_t way_count;
    struct guess_way best; /* of those that come to an end; its len is 0 where none does */
    uint32_t ends;         /* ways that do */
    uint64_t tried, tried_first, tried_best; /* ways; up to the first one that does; to the best */
    uint64_t rivals; /* the weights of the other ways that may come to an end, of GUESS_WEIGHT */
    const struct sig_type *type; /* of the best one */
    const char *why;
};

/* guess_ways.c */

/* The last sectors of the first piece, so many at most, as a range of the window. */
struct resemble_range guess_before(const struct guess *guess, uint32_t cut, uint32_t sectors);
/* The first `behind` sectors of the second piece, or fewer at the window's end. */
struct resemble_range guess_behind(const struct guess *guess, const struct guess_way *way,
                                   uint32_t behind);
/* Whether all of so many sectors of the file, which goes on without a seam, look packed. */
bool guess_dense(const struct guess *guess, uint32_t from, uint32_t sectors);
/*
 * How many sectors lie between a cut and the nearest place where the validator may have broken; 0
 * where that is not known.
 */
uint32_t guess_apart(const struct guess *guess, uint32_t cut);
/* Learns what the first piece has, when it has `cut` sectors: *with, valid until the next call. */
void guess_learn(struct guess *guess, uint32_t cut, struct resemble_with *with);
/* How well a way goes together, when so many sectors of the second piece are compared. */
int64_t guess_saved(struct guess *guess, const struct guess_way *way, uint32_t behind);
/*
 * Sectors from a cut to where others own no longer, if they own what is behind it; 0: they do not.
 */
uint32_t guess_owned(const struct guess *guess, uint32_t cut);
/* Finds all ways, the best first. */
void guess_find_ways(struct guess *guess);

/* guess_ask.c */

/* Asks the validator about the ways, the best first, until no rival is left. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code guess_ask_all(struct guess *guess, struct err *err);
/*
 * Whether the file comes to its end with a first piece of `cut` sectors and one that begins at
 * image offset begin: *len, its bytes, or 0. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code guess_ends(struct guess *guess, uint32_t cut, uint64_t begin,
                                        struct sig_result *result, uint64_t *len, struct err *err);

/*
 * Whether a file of so many bytes, of a first piece of `cut` sectors, comes anything like as far
 * behind the seam as the best way: of texts, and of formats that end where nothing follows, a wrong
 * way ends soon.
 */
bool guess_comes_far(const struct guess *guess, uint32_t cut, uint64_t len);

/*
 * How much better a way is whose end is one by what lies behind it: as what is saved in bits, in
 * 256ths.
 */
int64_t guess_score(const struct guess_way *way);

/*
 * The weight of a way that comes to an end, too, and is so much worse than the best one, if one
 * that is worse by `step` is half as likely.
 */
uint64_t guess_weight(const struct guess *guess, int64_t worse, int64_t step);

/* guess_marks.c */

/*
 * What the validator says of a file of two pieces, the first of which has `cut` sectors: that one
 * is read once for all ways on from there. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code guess_from_cut(struct guess *guess, uint32_t cut,
                                            const struct io_range *runs, struct sig_result *result,
                                            struct err *err);
void guess_forget_marks(struct guess *guess);

/* guess_slide.c */

/*
 * Whether the file may as well be cut a cluster before the best way's cut, or behind it, with as
 * much between its pieces: its validator takes that, too, and packed bytes would be exchanged for
 * packed bytes, which no resemblance tells apart.
 */
ERR_MUST_CHECK enum err_code guess_may_slide(struct guess *guess, bool *may, struct err *err);
/*
 * Adds the weights of all other cuts with as much between the pieces to those of the rivals: a
 * validator that looks at headers alone takes many of them, most of which were not among the ways
 * that it was asked about. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code guess_slides(struct guess *guess, struct err *err);

/* guess_null.c */

/* Places of the sample that resemble the file as well as the best one does. */
struct guess_null {
    uint32_t asked, ends; /* those that the validator was asked about, and came to an end at */
    uint32_t count; /* at which it would, as far away, and what lies behind fits as well, of all */
};

/* Of the places of the sample, those at which the file could go on as well. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code guess_nulls(struct guess *guess, struct guess_null *out,
                                         struct err *err);

#endif
