/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_all.c - see assemble_impl.h. */
#include "carver/assemble/assemble_impl.h"

enum {
    ASSEMBLE_ALL_LEAST = 1 << 30, /* work of all tasks of one kind, times the effort, and */
    ASSEMBLE_ALL_SHARE = 8,       /* for each byte in reach of starts */
    ASSEMBLE_TASKS = 128,         /* tasks that are done before their work is looked at */
};

struct tasks assemble_tasks(const struct assemble *a, task_fn run, void *arg)
{
    return (struct tasks){ .image = a->job->image,
                           .unread = a->job->unread,
                           .threads = a->job->threads,
                           .trials = a->trials,
                           .run = run,
                           .arg = arg,
                           .stop = a->job->stop };
}

static enum err_code assemble_tell(struct assemble *a, const struct whole *whole, struct err *err)
{
    if (whole->wrong == 0) {
        const uint64_t before = a->tell.count;
        const enum err_code rc = whole_tell(&a->tell, whole, err);

        return rc == ERR_OK && a->tell.count > before
                   ? filled_note(&a->order, whole->runs, whole->run_count, err)
                   : rc;
    }
    /* What a layout says is no better than who owns its bytes. */
    return whole->bits == 0 || whole_may(&a->tell, whole) ? likely_tell(&a->likely, whole, err)
                                                          : ERR_OK;
}

static uint64_t assemble_spent(const struct assemble *a)
{
    uint64_t spent = a->totals->work;

    for (uint32_t i = 0; i < a->job->threads; i++)
        spent += a->trials[i].looked;
    return spent;
}

/* So many tasks may be done next, where `done` ones have spent so much of `most`: at first some,
 * and never more than were done before, as the next ones may be worse. */
static size_t assemble_how_many(size_t done, uint64_t spent, uint64_t most)
{
    if (done == 0)
        return ASSEMBLE_TASKS;
    const uint64_t may = (most - spent) / (spent / done + 1) + 1;

    return may < done ? may : done;
}

/*
 * Does tasks until all of them together have spent `most`: what each may do is bounded, but of
 * headers an image may have as many as sectors. How many are done hangs on their work alone.
 */
static enum err_code assemble_some_of(struct assemble *a, task_fn run, size_t count, uint64_t most,
                                      struct err *err)
{
    struct tasks tasks = assemble_tasks(a, run, a);
    const uint64_t before = assemble_spent(a);
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && tasks.first < count) {
        const uint64_t spent = assemble_spent(a) - before;

        if (spent >= most) {
            a->starts.more = true;
            break;
        }
        const size_t left = count - tasks.first;
        const size_t some = assemble_how_many(tasks.first, spent, most);
        rc = tasks_run(&tasks, left < some ? left : some, &a->totals->work, err);
        tasks.first += some;
    }
    return rc;
}

/* Does some tasks and tells what they gave. */
static enum err_code assemble_some(struct assemble *a, task_fn run, size_t count, uint64_t most,
                                   struct err *err)
{
    enum err_code rc = assemble_some_of(a, run, count, most, err);

    for (size_t i = 0; i < count; i++) {
        const struct whole *whole = &a->wholes[i];

        if (rc == ERR_OK && whole->start != NULL &&
            (a->job->wanted == NULL ||
             a->job->wanted(a->job->wanted_arg, whole->start->sig, whole->type)))
            rc = assemble_tell(a, whole, err);
        if (rc == ERR_OK && a->job->db != NULL && a->own.count > 0)
            rc = told_store(&a->own, a->job->db, a->job->run_id, err);
        whole_release(&a->wholes[i]);
    }
    return rc;
}

enum err_code assemble_all(struct assemble *a, task_fn run, size_t count, struct err *err)
{
    const uint64_t share = ASSEMBLE_ALL_LEAST + a->reach * ASSEMBLE_ALL_SHARE;
    const uint64_t most = share * a->job->effort, before = assemble_spent(a);
    enum err_code rc = ERR_OK;

    for (a->first = 0; rc == ERR_OK && a->first < count; a->first += ASSEMBLE_AT_ONCE) {
        const size_t left = count - a->first;
        const uint64_t spent = assemble_spent(a) - before;

        rc = assemble_some(a, run, left < ASSEMBLE_AT_ONCE ? left : ASSEMBLE_AT_ONCE,
                           spent < most ? most - spent : 0, err);
        if (rc == ERR_OK && a->tell.told.count > 0)
            rc = ground_take(&a->ground, &a->tell.told, err);
    }
    return rc;
}
