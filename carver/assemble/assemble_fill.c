/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_fill.c - see assemble_impl.h. */
#include "carver/assemble/assemble_impl.h"
#include "carver/assemble/fill.h"

enum {
    ASSEMBLE_FILL_ROUNDS = 4,
    ASSEMBLE_FILL_FIRST = 4,       /* part of the work in the first round: it is to be learnt in
                                      which order holes were filled, */
    ASSEMBLE_FILL_PROVES = 4,      /* part where one is likely of a format that proves its files */
    ASSEMBLE_FILL_SHARE = 4,       /* work of validators for each byte in reach of starts, */
    ASSEMBLE_FILL_LEAST = 3 << 28, /* or so much, times the effort, */
    ASSEMBLE_FILL_MOST = 24 << 20, /* and for each start */
};

static enum err_code assemble_fill(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct assemble *a = arg;
    const struct start *start = &a->starts.items[a->forks[a->first + number]];
    const struct fill_job job = { .start = start,
                                  .islands = &a->islands,
                                  .holes = &a->holes,
                                  .filled = &a->order,
                                  .starts = &a->starts,
                                  .table = a->table,
                                  .sample = a->sample,
                                  .budget = a->fill_likely && start->sig->seam >= SIG_SEAM_UNIT
                                                ? a->fork_budget / ASSEMBLE_FILL_PROVES
                                                : a->fork_budget,
                                  .likely = a->fill_likely };

    return fill_try(&job, trial, &a->wholes[number], err);
}

/* Whether a file in pieces may begin here. */
static bool assemble_fills_from(const struct assemble *a, const struct start *start,
                                const struct owner *owner)
{
    return assemble_forks_from(a, start, owner) ||
           (a->fill_likely && assemble_guesses_from(a, start, owner));
}

static enum err_code assemble_fill_all(struct assemble *a, uint32_t part, struct err *err)
{
    const uint64_t share = a->reach * ASSEMBLE_FILL_SHARE;
    const uint64_t most = share > ASSEMBLE_FILL_LEAST ? share : ASSEMBLE_FILL_LEAST;
    enum err_code rc = assemble_choose(a, assemble_fills_from, true, err);

    if (rc == ERR_OK && a->fork_count > 0)
        rc = holes_find(&a->islands, a->table, &a->trials[0].splice, &a->holes, err);
    if (rc == ERR_OK && a->holes.count > 0)
        rc = filled_settle(&a->order, &a->holes, &a->islands, io_image_size(a->job->image), err);
    if (rc == ERR_OK && a->holes.count > 0 && a->sample == NULL)
        rc = assemble_sample(a, err);
    assemble_not_too_many(a);
    a->fork_budget = most / (a->fork_count + 1);
    if (a->fork_budget > ASSEMBLE_FILL_MOST)
        a->fork_budget = ASSEMBLE_FILL_MOST;
    a->fork_budget = a->fork_budget / part * a->job->effort;
    if (rc == ERR_OK && a->holes.count > 0)
        rc = assemble_all(a, assemble_fill, a->fork_count, err);
    islands_release(&a->islands);
    return rc;
}

enum err_code assemble_fills(struct assemble *a, bool likely, struct err *err)
{
    uint64_t told = UINT64_MAX;
    enum err_code rc = ERR_OK;

    /* Where a file system says what is in use, little is left to be found this way: of 405 files of
     * an ext2 one, for three times the work of all the rest. */
    if (!a->unmapped && a->job->effort == 1)
        return ERR_OK;
    a->free_members = true;
    a->fill_likely = likely;
    for (int round = 0;
         rc == ERR_OK && round < ASSEMBLE_FILL_ROUNDS && (round < 2 || a->tell.count != told);
         round++) {
        told = a->tell.count;
        rc = assemble_fill_all(a, !likely && round == 0 ? ASSEMBLE_FILL_FIRST : 1, err);
        /* What is likely owns nothing, and tells nothing of others; nor is there a hole later. */
        if (likely || a->holes.count == 0)
            break;
    }
    a->free_members = false;
    return rc;
}
