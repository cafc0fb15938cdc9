/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess.h - where a file of two pieces goes on, by resemblance.
 *
 * Of all ways on behind a break, those come first whose pieces resemble each other most, and what
 * lies between them least (resemble.h). Where the validator proves its seams, the first one that it
 * proves is found sooner so than by trying one place after the other (fork.h).
 *
 * Texts, samples and programs take wrong bytes: their validators come to an end in many ways. Of
 * those the best one counts. How sure that is, is measured on the image itself: against the other
 * ways, and against places all over the image, as if the file went on there. A validator that takes
 * one way and refuses all others speaks for that one, the more of them it refused. So does what
 * lies behind the end: zeros to the end of the sector, or another file in the next one. What is
 * told so is likely, and owns nothing. That a validator takes one cut says nothing for it where it
 * takes many with as much between the pieces: those which resemble as much are rivals, too.
 *
 * A file whose length is believed (sound, pictures) may have foreign bytes in it, too. It is asked
 * about where what lies behind its end is none, and, as much farther as a gap is long, there is
 * one. Another file may begin there by chance, though, and a whole file has parts that differ, and
 * many ways that are nearly as good as each other: its way has to be much better than any.
 *
 * Work is bounded by bytes and by ways that are tried, and never by time.
 */
#ifndef BURIN_CARVER_ASSEMBLE_GUESS_H
#define BURIN_CARVER_ASSEMBLE_GUESS_H

#include "carver/assemble/fork.h"
#include "carver/assemble/resemble.h"

enum {
    GUESS_ONE = 1000000, /* the chance of what is sure */
    GUESS_MOST = 50000,  /* what is wrong with a higher chance is not told */
};

/*
 * Finds the proven way, or the likely one of a format that proves no seams, or not those of what
 * the file holds. out->start stays NULL where there is none. sample: of the image; NULL: only what
 * is proven counts. out->wrong, for a likely one: the chance that it is wrong, of GUESS_ONE; 0: it
 * is proven. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code guess_try(const struct fork_job *job,
                                       const struct resemble_table *table,
                                       const struct resemble_sample *sample, struct trial *trial,
                                       struct whole *out, struct err *err);

/*
 * Whether guess_try would compare pieces for such a start: a header that its validator refuses
 * gives it nothing to compare. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code guess_asks(const struct fork_job *job,
                                        const struct resemble_table *table, struct trial *trial,
                                        bool *asks, struct err *err);

#endif
