/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fill_impl.h - what the parts of fill.h share; nobody else includes it.
 *
 *   fill.c        the pieces of a file, one after the other, and what is told
 *   fill_paths.c  many ways from the first piece to an end, the likeliest first
 *   fill_search.c the ways on behind a piece, and which of them is the best
 *   fill_ways.c   one way: whether the validator takes it, and how well it resembles the piece
 *   fill_flow.c   how well packed bytes go on in each
 *   fill_wrong.c  how likely it is that a way is wrong
 */
#ifndef BURIN_CARVER_ASSEMBLE_FILL_IMPL_H
#define BURIN_CARVER_ASSEMBLE_FILL_IMPL_H

#include "carver/assemble/fill.h"
#include "carver/assemble/guess.h"

enum {
    FILL_PIECES = 32,              /* of one file */
    FILL_LISTED = 16,              /* work of seeing whether a hole is a way on, */
    FILL_COMPARED = 512,           /* work of comparing a way with the piece before */
    FILL_TAIL = 64,                /* sectors of the piece before that are compared, */
    FILL_NEAR = 16,                /* and once more so many */
    FILL_WEIGHT = 65536,           /* of a way that is as good as the best one */
    FILL_STEP = 16 * RESEMBLE_BIT, /* a way that is so much worse, */
    FILL_STEPS = 48,               /* or by one part of so many of the best, is half as likely, */
    FILL_STEPS_MOST = 16,          /* and one that is so many times worse is no rival */
    FILL_OTHERS = 8,               /* ways that are kept, for when the best one leads nowhere, */
    FILL_TAILS = 16,               /* and ends of pieces of which it is known what they have */
};

/* A way on: the next piece begins at a beginning of struct holes, and fills its hole. */
struct fill_way {
    uint32_t hole;
    uint64_t begin, end; /* image offsets, of what is free there */
    int64_t saved;       /* see resemble.h; less, where the end does not look like one, */
    int64_t unlike;      /* and so much less, as holes were filled in another order */
    bool asked, dead;    /* the validator was, and refuses it */
    uint64_t far;        /* bytes of it that are right all the same */
    uint64_t len;        /* of the file that ends there; 0: it goes on behind */
    uint32_t fit;        /* what lies behind its end: enum fit */
    bool proven;
    const struct sig_type *type;
    const char *why;
};

/* The other ways there were to a piece, the best first. */
struct fill_others {
    struct io_range ways[FILL_OTHERS];
    uint32_t count, next;
};

/*
 * What is known of the end of a piece. Many paths end in the same piece, and each of them is held
 * against the same holes.
 */
struct fill_tail {
    uint64_t end; /* image offset; 0: it is of none */
    uint64_t use; /* when it was wanted last */
    struct resemble window;
    struct grams_set strings;
    struct edges edges;
    uint32_t edges_at; /* where in the object that is, as far as edges depend on it; */
    bool has_edges;    /* and whether they are learnt */
    int64_t *alike; /* [holes]: what is saved with each, but for the edges; INT64_MIN: not known */
};

struct fill {
    const struct fill_job *job;
    struct trial *trial;
    struct io_range runs[FILL_PIECES + 1]; /* the pieces, and behind them the one that is tried */
    uint32_t count;
    uint64_t cut; /* bytes of the pieces */
    /* The validator when it had seen them all. */
    struct sig_input in;
    size_t state_size;
    uint8_t *state, *spare;
    struct fill_tail *tail; /* of the last piece; NULL: it was not asked for yet */
    struct fill_tail *tails[FILL_TAILS];
    uint64_t tail_uses;
    uint32_t costs[HOLES_MAX];              /* see filled.h */
    struct fill_way ways[HOLES_MAX];        /* those that resemble the pieces most first */
    uint32_t way_count, asked;              /* the validator was asked about the first ones, */
    uint32_t alive;                         /* and takes so many of them */
    uint32_t best;                          /* number of a way; way_count: none */
    struct fill_others others[FILL_PIECES]; /* of each piece */
    uint32_t flows_vain;                    /* times in a row that fill_flows said nothing */
    uint64_t tried;                         /* all ways of all seams */
    uint64_t spent_from;                    /* trial.work when it began, */
    uint64_t more;                          /* and what it may take beside the job's budget */
    uint64_t wrong; /* the chance that a seam so far is wrong, of GUESS_ONE */
};

/* fill.c */

/* Keeps the validator as it is, when it has seen all pieces. */
void fill_keep(struct fill *fill);

/* fill_ways.c */

/* The last bytes of the pieces. Valid as long as the tail is open. */
const uint8_t *fill_last(const struct fill *fill);

/*
 * Shows the validator, which has seen the object up to `from`, what lies up to `visible`, object
 * offsets. It is refused where it takes more work than a way may.
 */
struct sig_result fill_feed(struct trial *trial, uint64_t from, uint64_t visible);

/*
 * Shows the validator the pieces and, behind them, what lies at image offsets [begin, end), as far
 * as `most` bytes of that. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fill_show(struct fill *fill, uint64_t begin, uint64_t end,
                                       uint64_t most, struct sig_result *result, struct err *err);
/*
 * Whether the file goes on behind the pieces that the validator has seen: it wants more, or knows
 * of a length that they have not got.
 */
bool fill_goes_on(const struct fill *fill, const struct sig_result *result);
/* A little of it: *takes, the validator does not refuse that. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_race(struct fill *fill, uint64_t begin, uint64_t end, bool *takes,
                                       struct err *err);

/* Whether the file has had all of its work. */
bool fill_spent(const struct fill *fill);

/* Learns what the end of the pieces has, which all ways are held against: fill->tail. Errors:
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_learn(struct fill *fill, struct err *err);
void fill_forget(struct fill *fill); /* what was learnt */
/* How well so many sectors of the way go together with the piece before: HOLES_HEAD at most. */
int64_t fill_saved(const struct fill *fill, const struct fill_way *way, uint32_t sectors);
/* Asks the validator about a way: a little of it, and, if it takes that, all of it. Errors:
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_look(struct fill *fill, struct fill_way *way, struct err *err);
/* As fill_look, and what lies behind its end counts, too. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_ask(struct fill *fill, struct fill_way *way, struct err *err);

/*
 * How much worse a way is that is half as likely. What resembles the file nearly as much as the
 * best way may be another piece of it, or of one that is like it.
 */
int64_t fill_step(const struct fill_way *best);

/* fill_search.c */

/* All ways on behind the pieces: the holes that the file has not got yet, and what each costs. */
void fill_list_ways(struct fill *fill);
/* Finds the ways on behind the pieces, and the best one. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_search(struct fill *fill, struct err *err);

/* fill_flow.c */

/*
 * Of a packed file: whether it goes on in each of the ways so that others hardly do. follows:
 * [way_count]. False: it does in none, and that says nothing.
 */
bool fill_flows(struct fill *fill, bool *follows);

/* fill_paths.c */

/*
 * Looks for a way from the first piece to an end: one that is proven, and is the only one that was
 * found to be; or, where what is likely is looked for, the likeliest one, and fill->wrong is how
 * likely it is not. *found: there is one; the pieces are those before its last one, which is the
 * best way. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fill_paths(struct fill *fill, bool *found, struct err *err);

/* fill_wrong.c */

/* The chance that the best way is wrong, of GUESS_ONE. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fill_wrong(struct fill *fill, uint64_t *wrong, struct err *err);

#endif
