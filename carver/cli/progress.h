/*
 * carver/cli/progress.h - how far a long command is, on standard error.
 *
 * On a terminal: one line with a bar, redrawn at most ten times a second and erased at the end.
 * Elsewhere: a plain line every thirty seconds. With quiet: nothing. progress_clear takes the bar
 * away so that a message can be printed in its place.
 */
#ifndef BURIN_CARVER_CLI_PROGRESS_H
#define BURIN_CARVER_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PROGRESS_LINE_MAX = 256 };

struct progress {
    FILE *out;        /* standard error; a test may put another stream here after progress_start */
    const char *what; /* "scan"; stays the caller's */
    uint64_t total;   /* bytes; 0: not known */
    bool quiet, terminal;
    bool drawn;             /* a bar stands on the screen */
    uint64_t started, told; /* nanoseconds of the monotonic clock; told 0: nothing yet */
};

/* What is shown; text of the line apart from the clock, for tests. */
struct progress_state {
    uint64_t position, total; /* bytes */
    uint64_t hits, objects;
    uint64_t elapsed; /* nanoseconds */
};

void progress_start(struct progress *progress, const char *what, uint64_t total_bytes, bool quiet);
/* Cheap; may be called for every segment. Counts of UINT64_MAX are not shown. One thread. */
void progress_update(struct progress *progress, uint64_t position, uint64_t hits, uint64_t objects);
void progress_clear(struct progress *progress);
void progress_end(struct progress *progress); /* more than once is a no-op */

/*
 * The line for a log file (columns 0), or for a terminal: with a bar, and of at most columns - 1
 * characters. The time left comes first; what has no room is left out whole: hits first, then
 * objects, the position and the rate.
 */
void progress_format(const char *what, const struct progress_state *state, uint32_t columns,
                     char line[PROGRESS_LINE_MAX]);

/* bytes for people: "17 B", "4.0 KiB", "1.5 GiB". */
void progress_bytes(uint64_t bytes, char text[32]);

#endif
