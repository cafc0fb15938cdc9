/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_ask.c - see fork_impl.h. */
#include <stdlib.h>
#include <string.h>

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

/* Where the file says that its pieces lie. */
struct fork_tails {
    uint64_t read; /* bytes of the image that were looked at */
    uint32_t count;
    int64_t shifts[TAIL_SHIFTS];
};

/* As fork_ask_tail, of what was not asked before. */
static enum err_code fork_find_tail(struct fork *fork, bool marks, uint64_t *read, struct err *err)
{
    const struct start *start = fork->job->start;
    const struct tail_job job = { .sig = start->sig,
                                  .start = start->offset,
                                  .from = start->offset + fork->trial->in.sure,
                                  .image_len = fork->job->image_len };

    if (marks)
        return fork_ask_marks(fork, read, err);
    fork->tail_count = tail_shifts(&fork->trial->splice, &job, fork->tails, read);
    return ERR_OK;
}

enum err_code fork_ask_tail(struct fork *fork, struct err *err)
{
    const struct start *start = fork->job->start;
    const bool marks = start->sig->marks != NULL && start->sig->sums == NULL;
    const struct memo_question question = { .words = { FORK_ASKS_TAIL, (uintptr_t)start->sig,
                                                       start->offset, fork->trial->in.sure },
                                            .count = 4 };
    struct fork_tails tails = { 0 };
    enum err_code rc = ERR_OK;

    if (fork->asked || (start->sig->tail.len == 0 && !marks))
        return ERR_OK;
    fork->asked = true;
    if (memo_knows(fork->job->memo, &question, &tails, sizeof tails)) {
        fork->tail_count = tails.count;
        memcpy(fork->tails, tails.shifts, sizeof tails.shifts);
    } else {
        rc = fork_find_tail(fork, marks, &tails.read, err);
        tails.count = fork->tail_count;
        memcpy(tails.shifts, fork->tails, sizeof tails.shifts);
        if (rc == ERR_OK && splice_error(&fork->trial->splice, NULL) == ERR_OK)
            memo_keep(fork->job->memo, &question, &tails, sizeof tails);
    }
    fork->trial->work += tails.read / FORK_READ;
    return rc;
}
