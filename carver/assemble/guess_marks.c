/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/guess_marks.c - see guess_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/guess_impl.h"

static size_t guess_state_size(const struct guess *guess)
{
    const size_t size = sig_state_size(guess->job->start->sig, true);

    return size > 0 ? size : 1;
}

/* Reads on from the nearest mark before the mark's own cut, or from the first byte, up to there. */
static enum err_code guess_mark(struct guess *guess, struct guess_mark *mark, struct err *err)
{
    const struct start *start = guess->job->start;
    const struct io_range run = { start->offset, (uint64_t)mark->cut * LIMIT_SECTOR };
    const size_t size = guess_state_size(guess);
    const struct guess_mark *from = NULL;
    struct trial *trial = guess->trial;

    for (uint32_t i = 0; i < guess->mark_count; i++) {
        const struct guess_mark *other = &guess->marks[i];

        if (other->state != NULL && other->cut < mark->cut &&
            (from == NULL || other->cut > from->cut))
            from = other;
    }
    const enum err_code rc = trial_begin(trial, start->sig, &run, 1, err);
    if (rc != ERR_OK)
        return rc;
    if (from != NULL) {
        trial->in = from->in;
        trial_copy(start->sig, trial->state, from->state);
    }
    trial->in.limit = start->sig->size_max; /* more comes behind the cut */
    mark->result = trial_run(trial);
    if (mark->result.verdict != SIG_MORE)
        return splice_error(&trial->splice, err);
    mark->state = malloc(size);
    if (mark->state == NULL)
        return ERR_NO_MEMORY(err, size);
    mark->in = trial->in;
    trial_copy(start->sig, mark->state, trial->state);
    return ERR_OK;
}

enum err_code guess_from_cut(struct guess *guess, uint32_t cut, const struct io_range *runs,
                             struct sig_result *result, struct err *err)
{
    const struct sig *sig = guess->job->start->sig;
    struct trial *trial = guess->trial;
    struct guess_mark *mark = NULL;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < guess->mark_count; i++)
        if (guess->marks[i].cut == cut)
            mark = &guess->marks[i];
    if (mark == NULL && guess->mark_count < GUESS_CUTS) {
        mark = &guess->marks[guess->mark_count];
        *mark = (struct guess_mark){ .cut = cut };
        rc = guess_mark(guess, mark, err);
        guess->mark_count++;
    }
    if (rc != ERR_OK)
        return rc;
    if (mark == NULL)
        return trial_all(trial, sig, runs, 2, result, err);
    *result = mark->result; /* without a byte behind the cut */
    if (mark->state == NULL)
        return ERR_OK;
    rc = trial_begin(trial, sig, runs, 2, err);
    if (rc != ERR_OK)
        return rc;
    const uint64_t limit = trial->in.limit;
    trial->in = mark->in;
    trial->in.limit = limit;
    trial_copy(sig, trial->state, mark->state);
    *result = trial_run(trial);
    return splice_error(&trial->splice, err);
}

void guess_forget_marks(struct guess *guess)
{
    for (uint32_t i = 0; i < guess->mark_count; i++)
        free(guess->marks[i].state);
    guess->mark_count = 0;
}
