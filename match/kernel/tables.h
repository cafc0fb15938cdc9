/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/tables.h - the Aho-Corasick automaton on a device.
 *
 * It is ac.h's automaton, states numbered from 0, those in which something is found last, and rows
 * of 256 cells as in the papers: next = row of the state [byte]. Or a row has a cell for each class
 * of bytes that are the same to all patterns. With it go the patterns themselves, for ac.h looks
 * for a run of each and the rest is compared.
 */
#ifndef BURIN_MATCH_KERNEL_TABLES_H
#define BURIN_MATCH_KERNEL_TABLES_H

#include <stdbool.h>

#include "match/kernel/view.h"

enum {
    TABLES_ROW = 256,
    TABLES_NARROW = 1 << 16, /* up to so many states a cell has 16 bits */
    TABLES_NONE = 0xffffffff,
};

/* What of the rows is wanted on a device. */
enum tables_rows {
    TABLES_WITHOUT, /* only the patterns, for who finds them in another way and compares */
    TABLES_PLAIN,
    TABLES_TEXTURE, /* and a texture over them */
    TABLES_CLASSES, /* by class where a cell has 32 bits: rows of so many states are more than
                       caches hold */
};

struct tables_found {
    uint32_t first, count; /* in outputs */
    uint32_t link;         /* in found, or TABLES_NONE */
};

struct tables_output {
    uint32_t pattern;
    uint8_t len;   /* of the pattern */
    uint8_t end;   /* of the run in the pattern */
    uint8_t exact; /* nothing left to compare */
    uint8_t unused;
};

enum { TABLES_MASKED = 1, TABLES_FOLDED = 2 };

struct tables_pattern {
    uint32_t at; /* of its bytes in the blob; with TABLES_MASKED the mask is behind them */
    uint32_t flags;
};

/* By value among a kernel's arguments; what it points at is on the device. */
struct tables {
    const uint16_t *narrow; /* rows, one of the two */
    const uint32_t *wide;
    uint64_t texture; /* over the rows; 0: none was asked for, or there are more cells than in a
                         texture */
    const struct tables_found *found; /* [state - finding] */
    const struct tables_output *outputs;
    const struct tables_pattern *patterns;
    const uint8_t *blob;
    uint32_t states, finding; /* finding: the first state in which something is found */
    uint32_t warm; /* bytes before a place after which the state there is right: longest run - 1 */
    uint32_t longest;       /* pattern, bytes */
    uint32_t width;         /* cells of a row */
    const uint8_t *classes; /* of bytes; 0: each is its own */
};

#endif
