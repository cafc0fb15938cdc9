/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_dense.h - another program for text that is full of beginnings of patterns, or
 * of patterns with a byte wrong.
 *
 * Fingerprints are chosen to be rare on a disk. In such text these occur at every other place;
 * others do not: a word that is cut short lacks its last bytes, and where one byte is wrong a
 * fingerprint that has it is not there. So fingerprints are chosen again, by how often each occurs
 * in a sample of the text, by the first thread that has met enough of it; the others scan on
 * meanwhile.
 */
#ifndef BURIN_MATCH_WORDS_WORDS_DENSE_H
#define BURIN_MATCH_WORDS_WORDS_DENSE_H

#include <stdatomic.h>

#include "match/words/words.h"

/* Entries: of more it would take seconds to make, and as much memory as the sparse program. */
enum { WORDS_DENSE_MAX = 1 << 18 };

struct words_late {
    _Atomic(struct words_program *)
        program;              /* NULL: it is not there yet, or there was no memory for it */
    atomic_bool taken;        /* a thread makes it, or has */
    atomic_uint_fast64_t met; /* dense bytes that were scanned without it, */
    uint64_t enough;          /* and so many that to make it does not take longer than they did */
    uint32_t dense_cost; /* where a place costs so much the text is dense: tenths of a tick, see
                            words_scan.c */
    atomic_int_fast64_t pause;      /* dense bytes to go without it, since it was no better, */
    atomic_int_fast64_t next_pause; /* and when that is so again */
};

/* The dense program if it is there. */
static inline const struct words_program *words_dense(const struct words_program *sparse)
{
    return sparse->late == NULL
               ? NULL
               : atomic_load_explicit(&sparse->late->program, memory_order_acquire);
}

/* A text that is dense at a place. */
struct words_sample {
    const uint8_t *text;
    uint32_t from, at, to; /* what may be looked at of it, WORDS_PAD bytes behind which can be read,
                              and the place */
};

/* The same when `met` more bytes were dense: makes it if that is worth it by now; NULL, too, when
 * it is not to be tried yet. */
const struct words_program *words_dense_met(const struct words_program *sparse, uint32_t met,
                                            const struct words_sample *sample);

/* Says whether the program, tried on a stretch of dense text, was better than the sparse one; if
 * not, it is not tried again so soon. */
void words_dense_judge(const struct words_program *sparse, bool better);

/* Makes it, if nobody has begun to. */
const struct words_program *words_dense_make(const struct words_program *sparse,
                                             const uint8_t *sample, uint32_t len);

/* Room for one, to come; a very long list gets none. False when there is no memory. */
bool words_dense_open(struct words_program *sparse);
void words_dense_close(struct words_program *sparse);

#endif
