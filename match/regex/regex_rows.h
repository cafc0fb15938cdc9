/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_rows.h - the longest match that begins at each place of a text, in a time that
 * no text can make longer.
 *
 * All starts are followed at a time. A match may be LIMIT_REGEX_MATCH_LEN bytes long, so that at
 * any place so many starts are open; a row has a bit for each of them. A part of the expression
 * holds in a row which starts have just gone through it, and rows are joined where parts follow one
 * another.
 *
 * The parts are runs: a text of fixed length, a byte of a set or some, min to max times. The starts
 * that enter a run at one place stay together in it, so a run keeps the rows that entered it in a
 * ring and does not move them: who leaves it at a place are those who entered min to max times its
 * length before, as long as the text was right since. The rows of such a window are joined with two
 * prefix sums (van Herk; Gil and Werman), whatever min and max. So the time for a byte goes by the
 * number of runs, and not by counts.
 *
 * When a match may end, the time is written into columns of bits for the starts that are there. A
 * start's column is read when no longer match of it can come.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_ROWS_H
#define BURIN_MATCH_REGEX_REGEX_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "match/regex/regex_task.h"
#include "match/regex/regex_tree.h"

enum {
    ROWS_RUNS_MAX = 64,     /* so that masks of runs, and of the ports behind them, are one word */
    ROWS_RING_MAX = 4096,   /* rows in the rings of one expression */
    ROWS_QUEUES_MAX = 2048, /* of one expression */
    ROWS_COST_MAX = 520, /* of one expression: 0.2 s for a MiB at 3 GHz, with what comes besides */
    ROWS_STAMP_BITS =
        11, /* of a place where a match ends; twice LIMIT_REGEX_MATCH_LEN have different ones */
    ROWS_STAMP_MASK = (1 << ROWS_STAMP_BITS) - 1,
};

enum rows_kind {
    ROWS_ONE,  /* a byte of a set */
    ROWS_MANY, /* such bytes, one or more */
    ROWS_RING, /* a text of fixed length, min to max times */
};

struct rows_run {
    enum rows_kind kind;
    uint16_t body, len;   /* sets in rows->body */
    uint16_t min, max;    /* ROWS_RING: times */
    uint16_t port;        /* to which it leads */
    uint16_t end_bit;     /* ROWS_RING with len > 1: that of its last byte in rows->steps */
    uint32_t queue, ring; /* ROWS_RING: its queues, len of them, and its rows, max for each */
    uint64_t feeds;       /* ports that lead to it */
};

/* A place behind runs, and before others. */
struct rows_port {
    uint16_t place;
    bool ends;     /* a match may end there */
    uint64_t from; /* runs that lead to it */
    uint64_t to;   /* runs that begin there */
};

/* An expression. Immutable. */
struct regex_rows {
    uint32_t run_count, port_count, queue_count, ring_count;
    struct rows_run *runs;
    struct rows_port *ports;
    uint16_t *body;        /* numbers of sets of the automaton */
    uint64_t begins, ends; /* runs that a match begins or ends with */
    uint64_t many, rings;  /* runs of these kinds */
    uint64_t *takes;       /* [classes]: runs whose first set has the class */
    uint32_t step_words;
    uint64_t *steps; /* [classes][step_words]: bits of the bodies of rings that take the class */
    uint64_t *step_starts; /* [step_words]: bits of their first sets */
    uint32_t window;       /* bytes of the longest match that counts */
    uint32_t words;        /* of 64 bits, in a row */
    uint32_t cost;         /* for a byte, in cycles of a processor with AVX2, at most */
    bool shortest;
};

/*
 * tree and nfa are of the same expression. *why is NULL when all went well; else it says why the
 * expression is too much. False: there is no memory left.
 */
bool regex_rows_build(const struct regex_tree *tree, const struct regex_nfa *nfa,
                      struct arena *arena, struct regex_rows *rows, const char **why);

/* What a byte takes at most, as regex_rows.cost, by all but that of the expression. */
uint32_t regex_rows_cost(const struct regex_rows *rows, uint32_t classes);

/* Bytes of memory that scanning needs, aligned to 64. */
size_t regex_rows_size(const struct regex_rows *rows);

/*
 * Appends what begins at the starts of the task to its sink, ascending, until that is full; returns
 * the first start that has not been decided, or task->to.
 */
uint32_t regex_rows_scan(const struct regex_rows *rows, const struct regex_task *task);

/* The forms of it. */
uint32_t regex_rows_scan_portable(const struct regex_rows *rows, const struct regex_task *task);
uint32_t regex_rows_scan_avx2(const struct regex_rows *rows, const struct regex_task *task);

#endif
