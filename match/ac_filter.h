/*
 * match/ac_filter.h - quick look for places where no literal can begin.
 *
 * Literals are put in eight buckets. A table for each of the first three bytes says which buckets have a literal with that
 * byte there, and where the three agree on no bucket no literal begins. What is left, one byte in some hundreds for a
 * dictionary of file headers, is for the automaton. Vector instructions look at 32 or 64 places at a time; without them
 * there is no filter, and with thousands of literals there is none either, for then it would let too much pass.
 */
#ifndef BURIN_MATCH_AC_FILTER_H
#define BURIN_MATCH_AC_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    AC_FILTER_DEPTH = 3,
    AC_FILTER_AHEAD = 66, /* bytes behind the places asked for that are read, and must be readable */
};

struct ac_trie;
struct ac_filter;

/*
 * Offsets of the candidates among the first len bytes, a multiple of 64, ascending; returns how many. It may give up
 * when there are more than max, and then returns any number above max; out has room for max + 64.
 */
typedef uint32_t (*ac_filter_fn)(const struct ac_filter *filter, const uint8_t *bytes, uint32_t len, uint16_t *out,
                                 uint32_t max);

struct ac_filter {
    ac_filter_fn find;                                           /* NULL: no filter */
    uint8_t buckets[AC_FILTER_DEPTH][256];                       /* of a byte at an index */
    uint8_t low[AC_FILTER_DEPTH][16], high[AC_FILTER_DEPTH][16]; /* the same by half bytes, and less sharp */
};

/* fold as in ac_literal.h; trie has its literals in folded bytes. */
void ac_filter_init(struct ac_filter *filter, const struct ac_trie *trie, const uint8_t fold[256]);

#endif
