/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_unit.c - see fork_impl.h. */
#include <stdlib.h>

#include "carver/assemble/fork_impl.h"

/* As units_find, of what may have been asked before. What follows a flow hangs on the places, too,
 * which change as files are put together. */
static enum err_code fork_find_units(struct fork *fork, const struct units_job *job,
                                     struct err *err)
{
    struct units *units = &fork->units;
    struct memo *memo = job->sig->flow == NULL ? fork->job->memo : NULL;
    struct memo_question question = { .words = { FORK_ASKS_UNIT, (uintptr_t)job->sig, job->at,
                                                 job->cut_first, job->step },
                                      .count = 5 };

    for (uint32_t i = 0; i < units->shift_count; i++)
        question.words[question.count++] = (uint64_t)units->shifts[i];
    if (memo_knows(memo, &question, units, sizeof *units))
        return ERR_OK;
    const enum err_code rc = units_find(&fork->trial->splice, job, units, err);

    if (rc == ERR_OK && splice_error(&fork->trial->splice, NULL) == ERR_OK)
        memo_keep(memo, &question, units, sizeof *units);
    return rc;
}

/* Keeps what codes have told, for the next try. */
static enum err_code fork_keep_followed(const struct fork *fork, uint64_t sure, struct err *err)
{
    struct fork_followed **kept = fork->job->followed;

    if (kept == NULL)
        return ERR_OK;
    if (*kept == NULL)
        *kept = malloc(sizeof **kept);
    if (*kept == NULL)
        return ERR_NO_MEMORY(err, sizeof **kept);
    **kept = (struct fork_followed){ sure, fork->units };
    return ERR_OK;
}

enum err_code fork_ask_unit(struct fork *fork, struct err *err)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t sum = splice_len(&fork->trial->splice) - last->len, sure = fork->trial->in.sure;
    const uint32_t unit = fork->job->islands->unit, phase = fork->job->islands->phase;
    const uint64_t at = last->offset + (sure - sum);

    fork->units = (struct units){ 0 };
    /* A weak header with nothing right behind it stands there by chance, and what would follow its
     * unit stands everywhere. */
    if (sure < sum || at >= fork->job->image_len || (fork->job->start->weak && !fork->sound))
        return ERR_OK;
    /* The file's end says where the pieces lie against its beginning. */
    for (uint32_t i = 0; i < fork->tail_count; i++)
        fork->units.shifts[fork->units.shift_count++] =
            fork->tails[i] - (int64_t)(last->offset - sum - fork->job->start->offset);
    const struct units_job job = { .sig = fork->job->start->sig,
                                   .at = at,
                                   .cut_first = (at - phase) / unit * unit + phase + unit,
                                   .step = unit,
                                   .image_len = fork->job->image_len,
                                   .places = &fork->places };
    const bool follows = job.sig->joint != NULL || job.sig->flow != NULL;
    const struct fork_followed *kept =
        follows && fork->job->followed != NULL ? *fork->job->followed : NULL;

    if (kept != NULL && kept->sure == sure) {
        fork->units = kept->units;
        return ERR_OK;
    }
    enum err_code rc = fork_find_units(fork, &job, err);
    if (rc == ERR_OK && follows)
        rc = fork_keep_followed(fork, sure, err);
    fork->trial->work += fork->units.read / FORK_READ;
    fork->trial->looked += fork->units.looked;
    return rc;
}

enum err_code fork_unit(struct fork *fork, struct fork_ends *ends, struct err *err)
{
    const struct io_range *last = &fork->runs[fork->count - 1];
    const uint64_t len = splice_len(&fork->trial->splice), sum = len - last->len;
    const uint64_t spent = fork->trial->work - fork->spent_from;
    enum err_code rc = ERR_OK;

    fork->told = true;
    for (uint32_t i = 0; rc == ERR_OK && i < fork->units.cut_count && ends->count == 0; i++) {
        const struct units_cut *way = &fork->units.cuts[i];
        const uint64_t cut = way->end - last->offset + sum;

        /* They are few, and likely right: each of them may have as much work as all others. */
        fork->spent_from = fork->trial->work;
        if (cut <= len && fork_to_cut(fork, cut))
            rc = fork_way(fork, cut, way->begin, ends, err);
    }
    fork->told = false;
    fork->spent_from = fork->trial->work - spent;
    return rc;
}
