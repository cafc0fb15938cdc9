/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac.h - what the files of `burin bench pfac` share: Tables 3, 4 and 5
 * of Chien, Hon, Lin and Liu, Perfect Hashing of String Matching on GPU, and a dictionary of a
 * million states, which is what the tables are for.
 *
 *   bench_pfac.c        the command line, and the tables in turn
 *   bench_pfac_made.c   sets of patterns of given numbers, and the two kinds of text
 *   bench_pfac_space.c  Table 3: how large the tables of transitions are
 *   bench_pfac_time.c   one cell: all forms of the engine on a text in a device's memory
 *   bench_pfac_tables.c Tables 4 and 5; bench_pfac_large.c the million states
 */
#ifndef BURIN_CARVER_BENCH_PAPERS_BENCH_PFAC_H
#define BURIN_CARVER_BENCH_PAPERS_BENCH_PFAC_H

#include "carver/bench/match/bench_match.h"
#include "carver/cli/json_write.h"
#include "match/lab.h"
#include "match/papers/pfac/pfac_form.h"

enum {
    BENCH_PFAC_SPACE = 1,
    BENCH_PFAC_ONE = 2,
    BENCH_PFAC_TWO = 4,
    BENCH_PFAC_LARGE = 8,
    BENCH_PFAC_SETS = 6,    /* of Table 3 */
    BENCH_PFAC_DEVICES = 2, /* of the paper: GTX 480, C2070 */
    BENCH_PFAC_COLUMNS = 3, /* of the paper: MFPH, without division, with it */
};

struct bench_pfac_options {
    uint64_t runs, size, device, states;
    uint32_t tables; /* BENCH_PFAC_... */
    bool json, longest;
};

struct bench_pfac {
    const struct bench_pfac_options *options;
    struct json *json; /* NULL: tables for people */
};

/* Numbers of an automaton as the paper has them. */
struct bench_pfac_set {
    uint32_t states, finals, leaves;
    uint32_t characters; /* of all patterns; 0: as it comes */
};

/* The sets of Table 3; the fifth is that of Table 5. */
extern const struct bench_pfac_set bench_pfac_sets[BENCH_PFAC_SETS];

/* A dictionary whose tree has exactly these numbers, and patterns of 1 to 243 bytes. The same
 * everywhere. */
ERR_MUST_CHECK enum err_code bench_pfac_made(const struct bench_pfac_set *set,
                                             struct bench_dictionary *out, struct err *err);

/* Network packets in which a pattern is rare; and patterns one behind the other. */
void bench_pfac_regular(const struct bench_dictionary *dictionary, uint8_t *text, size_t len);
void bench_pfac_worst(const struct bench_dictionary *dictionary, uint8_t *text, size_t len);

/* One cell of a table: a dictionary and a text. */
struct bench_pfac_cell {
    const struct bench_pfac *bench;
    const struct bench_dictionary *dictionary;
    struct match_resident *resident;
    uint64_t len;
    char name[BENCH_NAME_MAX];
    const double (*paper)[BENCH_PFAC_DEVICES]; /* [BENCH_PFAC_COLUMNS]; NULL: the paper has none */

    bool known; /* what is found */
    uint64_t hits;
    struct bench_result result;
    double baseline; /* median rate of MFPH, walks as in the paper */
};

/* What came of one form. */
struct bench_pfac_form {
    double seconds[BENCH_RUNS_MAX];
    struct bench_figure gbps;
    double compile;             /* seconds */
    char missing[ERR_TEXT_MAX]; /* why there is none of this */
};

/* A form that has no table for the dictionary is left out and says why. */
ERR_MUST_CHECK enum err_code bench_pfac_engine(struct bench_pfac_cell *cell,
                                               const struct match_engine *engine,
                                               struct bench_pfac_form *form, struct err *err);

/* Every table with both ways to deal out walks, measured and written out. */
ERR_MUST_CHECK enum err_code bench_pfac_cell(struct bench_pfac_cell *cell, struct err *err);
void bench_pfac_head(const struct bench_pfac *bench, const char *key, const char *title);

/* Room for a text, which the caller fills and frees; and the text on the device. */
ERR_MUST_CHECK enum err_code bench_pfac_text(const struct bench_pfac *bench, uint64_t want,
                                             uint8_t **text, uint64_t *len, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_resident(const struct bench_pfac *bench,
                                                 const uint8_t *text, uint64_t len,
                                                 struct match_resident **out, struct err *err);

ERR_MUST_CHECK enum err_code bench_pfac_space(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_one(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_two(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_large(const struct bench_pfac *bench, struct err *err);

#endif
