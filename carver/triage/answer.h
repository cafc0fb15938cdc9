/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer.h - what is said of an image: a proof (found, here), a bound (no more than
 * so much), or an interval.
 *
 *   known bad blocks                                            red
 *   keys, keywords, listed blocks, locked volumes, a volume
 *   without a file system of which a hundredth looks random     amber
 *   nothing of that, and sets or keywords were asked            clear to the bound
 *   else                                                        unknown
 *
 * Bounds and intervals are of the sweeps that were done whole. What a part of a sweep met is found
 * all the same.
 */
#ifndef BURIN_CARVER_TRIAGE_ANSWER_H
#define BURIN_CARVER_TRIAGE_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/known/known_scan.h"
#include "carver/triage/disk_facts.h"
#include "carver/triage/interval.h"
#include "carver/triage/strata.h"
#include "carver/triage/tally.h"

#define ANSWER_CONFIDENCE 0.95 /* of intervals; that of bounds is the user's */

/* Something notable, one by one. */
struct answer_found {
    struct unit_found found;
    uint32_t sweep;
};

enum {
    ANSWER_PICTURES = 50, /* that are kept for who wants to see some: of those that tell their
                             camera or place, and as many of other JPEG files */
};

/* What lies beside the first places in which known blocks were met: no part of the sample. */
struct answer_around {
    uint32_t places; /* beside which it was looked */
    uint64_t units;  /* that were looked at and could be read */
    uint64_t known;  /* of them, with a block of the same set */
};

/* All that is known of an image. Zeroed: nothing. */
struct answer {
    const char *path; /* as the user gave it */
    char format[64];
    uint64_t size;
    struct disk_facts facts;
    struct strata strata;
    uint32_t unit;    /* bytes */
    uint32_t sweeps;  /* done whole */
    bool part;        /* a part of the next one was done too */
    uint64_t elapsed; /* nanoseconds */
    double confidence;
    const struct known_scan *known;     /* with a count of 0: none */
    const struct keyword_set *keywords; /* NULL: none */
    struct tally whole, rest;           /* of the whole sweeps, and of the part of one */
    struct answer_around around;
    struct answer_found *found; /* [found_count], at most TALLY_NOTABLE_MAX */
    uint32_t found_count;
    struct unit_found pictures[2 * ANSWER_PICTURES]; /* [picture_count], as they were met */
    uint32_t picture_count, telling;                 /* telling: of them, with camera or place */
};

/* Worst first. */
enum answer_word { ANSWER_RED, ANSWER_AMBER, ANSWER_UNKNOWN, ANSWER_CLEAR };

void answer_release(struct answer *answer);

/* Keeps a file that is a picture, as long as there are few of its kind. */
void answer_keep_picture(struct answer *answer, const struct unit_found *found);

/* The count of whole sweeps and of the part, for what was found. */
struct tally_count answer_met(const struct tally_count *whole, const struct tally_count *rest);

/* Whether a file of the category was met, or a piece of a stream. */
bool answer_has(const struct answer *answer, enum sig_category category);

/* How many files say it: bit i of unit_found.says. */
struct tally_count answer_says(const struct answer *answer, uint32_t bit);

/* The newest date that a file says; *at: where it begins. False: none does. */
bool answer_newest(const struct answer *answer, int64_t *seconds, uint64_t *at);

/* Strata of the whole sweeps, and units of one; count 0: no sweep was done whole. */
uint64_t answer_strata(const struct answer *answer);
uint64_t answer_size(const struct answer *answer);

/* All units were looked at: numbers are exact. */
bool answer_is_exact(const struct answer *answer);

struct answer_number {
    double value, low, high;
};

/* The share of the image's units that are like those of which so many were met. */
struct answer_number answer_share(const struct answer *answer, uint64_t units);

/* About how many the image has: of a count that may come in clumps. */
struct answer_number answer_total(const struct answer *answer, const struct tally_count *count);

/*
 * No more than so many units hold what none of the looked-at units did: those of strata of which
 * the unit could not be read count as not seen.
 */
uint64_t answer_unseen(const struct answer *answer);

/* The same in bytes, at most the image's. */
uint64_t answer_unseen_bytes(const struct answer *answer);

/* A run of bytes of this length would have been met for certain; 0: no sweep was done. It holds for
 * what can be read. */
uint64_t answer_certain(const struct answer *answer);

/* Units that could not be read, of the whole sweeps; and of the part of one. */
uint64_t answer_unreadable(const struct answer *answer);
uint64_t answer_unreadable_rest(const struct answer *answer);

enum answer_word answer_word(const struct answer *answer);
const char *answer_word_name(enum answer_word word); /* "red", ...; static text */

/* Units of a class that were met in all volumes, or in one (tally.h). */
uint64_t answer_class(const struct answer *answer, enum block_class what);

/* Whether a volume without a file system looks encrypted. */
bool answer_suspects(const struct answer *answer, uint32_t volume);

#endif
