/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_impl.h - what the parts of fork.h share; nobody else includes it.
 *
 *   fork.c         the pieces of a file, one after the other, and whether they prove it
 *   fork_search.c  which cuts of a piece are tried, and in which order the places behind them
 *   fork_ask.c     where the end of the file says that its pieces lie, or what its header tells of
 *   fork_unit.c    the cuts that the unit gives in which the file breaks
 *   fork_slide.c   whether the cut may be elsewhere, with as much between the pieces
 *   fork_way.c     one cut and one place: how far the validator comes
 *   fork_state.c   the validator, read step by step, and set back
 */
#ifndef BURIN_CARVER_ASSEMBLE_FORK_IMPL_H
#define BURIN_CARVER_ASSEMBLE_FORK_IMPL_H

#include "carver/assemble/fork.h"
#include "carver/assemble/stuffed.h"
#include "carver/assemble/tail.h"
#include "carver/assemble/units.h"

enum {
    FORK_MARKS = 64,     /* states that are kept */
    FORK_READ = 64,      /* bytes that are looked at in one unit of work */
    FORK_FAR = 8 * 1024, /* a piece that is right so far may be one of several, */
    FORK_FAR_TOLD = 2048 /* and one whose place the file itself tells */
};

/* The validator's state when it had seen the object up to here. */
struct fork_mark {
    bool used;
    uint64_t visible; /* object offset */
    struct sig_input in;
};

/* What is asked of the image around a seam; see memo.h. */
enum fork_question {
    FORK_ASKS_TAIL,    /* and the sector, and where the file is sure no longer */
    FORK_ASKS_UNIT,    /* and the unit's job, and the shifts that are known before */
    FORK_ASKS_STUFFED, /* and the cut */
};

/* A way on: the piece before it ends at the cut, and the next one begins there. */
struct fork_way {
    uint64_t cut, begin; /* object offset; image offset */
    uint64_t far;        /* object offset that it came to */
    bool told;           /* by the file, in one of its ways: see tail.h and units.h */
    bool to_end;         /* which is where the piece ends: nothing is wrong with it */
};

/* What the ways of one seam gave. */
struct fork_ends {
    uint32_t count; /* ways that came to the end with different bytes */
    uint64_t tried; /* ways, when the first one did */
    struct fork_way way;
    struct sig_result result;
    const struct sig_type *type;
};

struct fork {
    const struct fork_job *job;
    struct trial *trial;
    struct io_range runs[FORK_PIECES + 1]; /* the last one is open: it goes as far as it can */
    uint32_t count;
    bool sound; /* more of the first piece than the header was found right */
    struct fork_mark marks[FORK_MARKS];
    uint8_t *states; /* of the marks, and behind them that of the cut that is tried */
    uint32_t next;   /* mark to be written */
    struct fork_mark cut;
    uint64_t spent_from, way_from; /* trial.work when it began; when it began to search */
    uint64_t way_most;             /* work for one search */
    uint64_t pass_from;            /* trial.work when the pass began */
    uint64_t tried;
    bool told;                    /* the ways that are tried are */
    struct fork_way best, second; /* that failed later */
    bool asked;                   /* the end of the file was looked for; then */
    int64_t tails[TAIL_SHIFTS];   /* [tail_count]: where pieces lie, as it says: see tail.h */
    uint32_t tail_count;
    struct units units; /* shifts of the next piece against the last one, and cuts: see units.h */
    struct places places;
    bool looked; /* for far places where a scan of a JPEG goes on; then */
    struct stuffed stuffed;
    struct sig_result result; /* of the last run */
};

/* fork_state.c */

/* Whether the file has had all of its work. */
bool fork_spent(const struct fork *fork);

/* The pieces as they are now; the validator goes on from where it is. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fork_lay(struct fork *fork, struct err *err);

size_t fork_state_size(const struct fork *fork); /* bytes of the validator's, at least 1 */

/* Keeps the first mark, of the validator as it is now, and no other. */
void fork_mark_first(struct fork *fork);

/* Sets the validator to where it had seen the object up to the cut, and keeps that; false: it
 * cannot be. */
bool fork_to_cut(struct fork *fork, uint64_t cut);
void fork_back_to_cut(struct fork *fork); /* once more, as fork_to_cut left it */

/* Shows the object up to here. True: the validator wants more. */
bool fork_show(struct fork *fork, uint64_t visible);

/* Reads on, and keeps marks if asked to, until the validator wants no more, or there is no more. */
void fork_feed(struct fork *fork, bool keep);

/* fork_way.c */

/*
 * Goes on from the cut, which fork_to_cut has set, with bytes at image offset begin. What comes to
 * the end of a proven file counts in ends; of others the best two are noted. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fork_way(struct fork *fork, uint64_t cut, uint64_t begin,
                                      struct fork_ends *ends, struct err *err);

/* Whether the best way that failed came so far beyond all others that it may be right. */
bool fork_stands_out(const struct fork *fork);

/* fork_ask.c */

/* Asks once; fork->tails get what is found. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fork_ask_tail(struct fork *fork, struct err *err);

/* fork_unit.c */

/* Asks the unit in which the last piece breaks for shifts and cuts, which fork->units gets, beside
 * those of the file's end. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fork_ask_unit(struct fork *fork, struct err *err);
/* Tries the cuts. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code fork_unit(struct fork *fork, struct fork_ends *ends, struct err *err);

/* fork_slide.c */

/*
 * Asks whether the one way that came to the end does so, too, when it is cut a few clusters
 * earlier or later, with as much between its pieces: of a scan whose codes fall into step again,
 * a cluster may be exchanged for another one. That counts as another end. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fork_slides(struct fork *fork, struct fork_ends *ends,
                                         struct err *err);

/* fork_search.c */

/*
 * Tries the ways on behind the last piece, which breaks or ends. greedy: not those of other cuts,
 * when a way of one came to the end of its piece and stands out. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code fork_search(struct fork *fork, bool greedy, struct fork_ends *ends,
                                         struct err *err);

#endif
