/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_ask.c - see fork_impl.h. */
#include <stdlib.h>

#include "carver/assemble/fork_impl.h"
#include "carver/assemble/landmarks.h"

/* Asks the landmarks of the file where its second piece lies. */
static enum err_code fork_ask_marks(struct fork *fork, uint64_t *read, struct err *err)
{
    const struct start *start = fork->job->start;
    const struct landmarks_job job = { .sig = start->sig,
                                       .start = start->offset,
                                       .image_len = fork->job->image_len };
    struct landmarks *landmarks = malloc(sizeof *landmarks);
    struct landmarks_way ways[LANDMARKS_WAYS];
    uint32_t count = 0;

    if (landmarks == NULL)
        return ERR_NO_MEMORY(err, sizeof *landmarks);
    bool on = landmarks_open(landmarks, &job, &fork->trial->splice);
    while (on && fork->tail_count < TAIL_SHIFTS) {
        on = landmarks_next(landmarks, &fork->trial->splice, ways, &count, read);
        for (uint32_t i = 0; on && i < count && fork->tail_count < TAIL_SHIFTS; i++)
            if (ways[i].count == 2)
                fork->tails[fork->tail_count++] = ways[i].pieces[1].shift;
    }
    free(landmarks);
    return ERR_OK;
}

enum err_code fork_ask_tail(struct fork *fork, struct err *err)
{
    const struct start *start = fork->job->start;
    const bool marks = start->sig->marks != NULL && start->sig->sums == NULL;
    uint64_t read = 0;
    enum err_code rc = ERR_OK;

    if (fork->asked || (start->sig->tail.len == 0 && !marks))
        return ERR_OK;
    const struct tail_job job = { .sig = start->sig,
                                  .start = start->offset,
                                  .from = start->offset + fork->trial->in.sure,
                                  .image_len = fork->job->image_len };
    fork->asked = true;
    if (marks)
        rc = fork_ask_marks(fork, &read, err);
    else
        fork->tail_count = tail_shifts(&fork->trial->splice, &job, fork->tails, &read);
    fork->trial->work += read / FORK_READ;
    return rc;
}
