/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/progress.h - how far a long command is, on standard error.
 *
 * On a terminal: one line with a bar, redrawn at most ten times a second and erased at the end.
 * Elsewhere: a plain line every thirty seconds. With PROGRESS_QUIET: nothing. progress_clear takes
 * the bar away so that a message can be printed in its place.
 *
 * With PROGRESS_JSON, for a program that runs this one: a JSON object on a line of its own at the
 * start, each second and at the end, with the members
 *   progress          what is done: "scan", "hash", "carve", "verify"
 *   position, total   bytes done, and all of them; total null: not known
 *   percent           of the bytes; null: not known
 *   objects, hits     found so far; null: not counted
 *   seconds           since the start
 *   bytes_per_second  on average
 *   seconds_left      as far as can be told; null: it cannot
 *   slow_at           image offset of a read that takes long; null: none does
 *   slow_seconds      how long it has taken so far; null likewise
 *   ended             true in the last line
 * Every other line of standard error is a message for people, and does not begin with a brace.
 */
#ifndef BURIN_CARVER_CLI_PROGRESS_H
#define BURIN_CARVER_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { PROGRESS_LINE_MAX = 256 };

enum progress_how { PROGRESS_AUTO, PROGRESS_QUIET, PROGRESS_JSON };

#define PROGRESS_TEXT                                                                              \
    "  --progress HOW       auto (a bar on a terminal, elsewhere a line every 30 seconds; the "    \
    "default),\n"                                                                                  \
    "                       json (a JSON object a line each second, on standard error) or none\n"

/* What --progress says. ERR_ARG: the word is none of auto, json and none. */
ERR_MUST_CHECK enum err_code progress_word(const char *word, enum progress_how *out,
                                           struct err *err);
/* With --quiet a program may still follow. */
enum progress_how progress_unless_quiet(enum progress_how how, bool quiet);

/* What is shown; text of the line apart from the clock, for tests. */
struct progress_state {
    uint64_t position, total; /* bytes */
    uint64_t hits, objects;
    uint64_t elapsed; /* nanoseconds */
};

struct progress {
    FILE *out;        /* standard error; a test may put another stream here after progress_start */
    const char *what; /* "scan"; stays the caller's */
    uint64_t total;   /* bytes; 0: not known */
    enum progress_how how;
    bool terminal;
    bool drawn;                     /* a bar stands on the screen */
    uint64_t started, told;         /* nanoseconds of the monotonic clock; told 0: nothing yet */
    struct progress_state last;     /* of the last update */
    uint64_t slow_at, slow_seconds; /* of progress_slow; slow_seconds 0: nothing is slow */
};

void progress_start(struct progress *progress, const char *what, uint64_t total_bytes,
                    enum progress_how how);
/* Cheap; may be called for every segment. Counts of UINT64_MAX are not shown. One thread. */
void progress_update(struct progress *progress, uint64_t position, uint64_t hits, uint64_t objects);
/* Before progress_update: a read at this image offset takes long, so many seconds now; 0: none
 * does. */
void progress_slow(struct progress *progress, uint64_t offset, uint64_t seconds);
void progress_clear(struct progress *progress);
void progress_end(struct progress *progress); /* more than once is a no-op */

/*
 * The line for a log file (columns 0), or for a terminal: with a bar, and of at most columns - 1
 * characters. The time left comes first, then objects, the rate, the position and the hits; what
 * has no room is left out whole, the last one first.
 */
void progress_format(const char *what, const struct progress_state *state, uint32_t columns,
                     char line[PROGRESS_LINE_MAX]);

/* bytes for people: "17 B", "4.0 KiB", "1.5 GiB". */
void progress_bytes(uint64_t bytes, char text[32]);

#endif
