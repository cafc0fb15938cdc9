/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/pace.h - how many parts of an image are read at a time.
 *
 * Parts that are read at the same time lie apart on the disk. What is made for many requests
 * delivers more then; one spinning disk seeks between them, and delivers less. Where the kernel
 * does not say what the image lies on, it is measured:
 *
 *   one part at a time ──► quick, or threads do not wait for it ──► all
 *                      └─► slow ──► all at a time ──► more than one delivered: all, else one
 *
 * Slow storage is read through the page cache: then nothing is read from it twice, and what that
 * costs the processors does not count. What is found does not depend on any of it.
 *
 * Threads: one thread at a time uses a pace.
 */
#ifndef BURIN_CARVER_SCAN_PACE_H
#define BURIN_CARVER_SCAN_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/storage.h"

enum {
    PACE_WHY = 192,       /* bytes of a line for the log */
    PACE_NS = 2000000000, /* nanoseconds until a rate is believed */
    /*
     * Bytes a second: more than any disk delivers that seeks. Such a rate is believed after so
     * many bytes.
     */
    PACE_QUICK = 400000000,
    PACE_BYTES = 32 << 20,
};

enum pace_state { PACE_SETTLED, PACE_TRIES_ONE, PACE_TRIES_ALL };

struct pace {
    uint32_t threads, at_once;
    enum pace_state state;
    struct io_storage storage;
    uint64_t since_ns, since_bytes, since_waited_ns; /* when the state began */
    bool begun;
    uint64_t one; /* bytes a second, one part at a time */
    bool slow;    /* it was measured, and threads waited for it */
    char why[PACE_WHY];
};

/*
 * Begins. asked: parts at a time that the user asks for, at most `threads`; 0: as many as pay.
 * cached: the page cache has the image.
 */
void pace_begin(struct pace *pace, uint32_t threads, uint32_t asked,
                const struct io_storage *storage, bool cached);

/* Begins, with so many parts at a time whatever the storage: why says for what. */
void pace_fix(struct pace *pace, uint32_t threads, uint32_t at_once, const char *why);

/* Adds to why, once it is settled: more threads were asked for, and as many scan as there are
 * processors for them. */
void pace_add_asked(struct pace *pace, uint32_t asked);

/*
 * Takes what has come so far: nanoseconds of a clock, bytes that were read since the scan began,
 * and nanoseconds that threads have waited for them, added up. Returns whether at_once has changed.
 */
bool pace_note(struct pace *pace, uint64_t now_ns, uint64_t bytes, uint64_t waited_ns);

#endif
