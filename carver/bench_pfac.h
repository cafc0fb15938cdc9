/*
 * carver/bench_pfac.h - what the files of `burin bench pfac` share: Tables 3, 4 and 5 of Chien, Hon, Lin and Liu, Perfect Hashing of
 * String Matching on GPU, and a dictionary of a million states, which is what the tables are for.
 *
 *   bench_pfac.c        the command line, and the tables in turn
 *   bench_pfac_made.c   sets of patterns of given numbers, and the two kinds of text
 *   bench_pfac_space.c  Table 3: how large the tables of transitions are
 *   bench_pfac_time.c   Tables 4 and 5, and the million states: forms of the engine on a text in a device's memory
 */
#ifndef BURIN_CARVER_BENCH_PFAC_H
#define BURIN_CARVER_BENCH_PFAC_H

#include "carver/bench_match.h"
#include "carver/json.h"
#include "match/pfac_form.h"

enum {
    BENCH_PFAC_SPACE = 1,
    BENCH_PFAC_ONE = 2,
    BENCH_PFAC_TWO = 4,
    BENCH_PFAC_LARGE = 8,
    BENCH_PFAC_SETS = 6, /* of Table 3 */
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

/* A dictionary whose tree has exactly these numbers, and patterns of 1 to 243 bytes. The same everywhere. */
ERR_MUST_CHECK enum err_code bench_pfac_made(const struct bench_pfac_set *set, struct bench_dictionary *out,
                                             struct err *err);

/* Network packets in which a pattern is rare; and patterns one behind the other. */
void bench_pfac_regular(const struct bench_dictionary *dictionary, uint8_t *text, size_t len);
void bench_pfac_worst(const struct bench_dictionary *dictionary, uint8_t *text, size_t len);

ERR_MUST_CHECK enum err_code bench_pfac_space(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_one(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_two(const struct bench_pfac *bench, struct err *err);
ERR_MUST_CHECK enum err_code bench_pfac_large(const struct bench_pfac *bench, struct err *err);

#endif
