/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/fork_state.c - see fork_impl.h. */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/fork_impl.h"

enum { FORK_STEP = 8192 /* bytes between marks, or a cluster */ };

bool fork_spent(const struct fork *fork)
{
    return fork->trial->work - fork->spent_from >= fork->job->budget;
}

/* Whether the way that is tried has searched for long enough: on others it may be found sooner. */
static bool fork_way_spent(const struct fork *fork)
{
    return fork_spent(fork) || fork->trial->work - fork->way_from >= fork->way_most;
}

uint64_t fork_piece_end(const struct fork_job *job, uint64_t begin)
{
    const bool holds = job->believed || (job->start->sig->flags & SIG_CONTAINER) != 0;

    if (!holds) {
        const size_t i = islands_from(job->islands, begin);

        return i < job->islands->count && job->islands->begins[i] <= begin ? job->islands->ends[i]
                                                                           : begin;
    }
    const struct ground_owned *next = ground_firm(job->ground, begin);

    if (next == NULL)
        return job->image_len;
    return next->begin > begin ? next->begin : begin;
}

enum err_code fork_lay(struct fork *fork, struct err *err)
{
    struct trial *trial = fork->trial;
    const enum err_code rc = splice_set(&trial->splice, fork->runs, fork->count, err);

    if (rc != ERR_OK)
        return rc;
    trial->in.limit = trial->in.sig->size_max; /* behind the last piece there may be another one */
    return ERR_OK;
}

size_t fork_state_size(const struct fork *fork)
{
    const size_t size = sig_state_size(fork->job->start->sig, true);

    return size > 0 ? size : 1;
}

static void fork_keep(const struct fork *fork, struct fork_mark *mark, uint8_t *state)
{
    mark->used = true;
    mark->visible = fork->trial->splice.visible;
    mark->in = fork->trial->in;
    trial_copy(fork->job->start->sig, state, fork->trial->state);
}

static void fork_back(struct fork *fork, const struct fork_mark *mark, const uint8_t *state)
{
    fork->trial->in = mark->in;
    fork->trial->splice.visible = mark->visible;
    trial_copy(fork->job->start->sig, fork->trial->state, state);
}

void fork_mark_first(struct fork *fork)
{
    memset(fork->marks, 0, sizeof fork->marks);
    fork->next = 1;
    fork_keep(fork, &fork->marks[0], fork->states);
}

void fork_back_to_cut(struct fork *fork)
{
    fork_back(fork, &fork->cut, fork->states + FORK_MARKS * fork_state_size(fork));
}

bool fork_show(struct fork *fork, uint64_t visible)
{
    fork->trial->splice.visible = visible;
    fork->result = trial_run(fork->trial);
    return fork->result.verdict == SIG_MORE;
}

void fork_feed(struct fork *fork, bool keep)
{
    struct trial *trial = fork->trial;
    const uint64_t unit = fork->job->islands->unit, step = unit > FORK_STEP ? unit : FORK_STEP;
    const uint64_t len = splice_len(&trial->splice);
    uint64_t visible = trial->splice.visible;

    while (visible < len && !fork_way_spent(fork)) {
        const uint64_t wanted = (trial->in.wanted + unit - 1) / unit * unit;

        visible = visible + step > wanted ? visible + step : wanted;
        if (visible > len)
            visible = len;
        const uint64_t before = trial->splice.visible;
        if (!fork_show(fork, visible))
            return;
        if (trial->in.find_at > before)
            continue; /* it searches, and is where it was */
        fork->way_from = trial->work;
        if (keep && visible < len) {
            fork_keep(fork, &fork->marks[fork->next],
                      fork->states + fork->next * fork_state_size(fork));
            fork->next = (fork->next + 1) % FORK_MARKS;
        }
    }
}

bool fork_to_cut(struct fork *fork, uint64_t cut)
{
    const struct fork_mark *best = NULL;
    uint32_t at = 0;

    for (uint32_t i = 0; i < FORK_MARKS; i++)
        if (fork->marks[i].used && fork->marks[i].visible <= cut &&
            (best == NULL || fork->marks[i].visible > best->visible)) {
            best = &fork->marks[i];
            at = i;
        }
    if (best == NULL)
        return false;
    fork_back(fork, best, fork->states + at * fork_state_size(fork));
    if (best->visible < cut && !fork_show(fork, cut))
        return false;
    fork->trial->splice.visible = cut;
    fork_keep(fork, &fork->cut, fork->states + FORK_MARKS * fork_state_size(fork));
    return true;
}
