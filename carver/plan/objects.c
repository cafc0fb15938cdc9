/* carver/plan/objects.c - see objects.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/pool.h"
#include "carver/plan/objects.h"
#include "carver/plan/objects_list.h"

/* One thread that runs objects. */
struct objects_worker {
    struct objects *objects;
    struct lookback_view view;
    struct pool_job job;
};

struct objects {
    const struct sig *const *sigs;
    uint32_t sig_count;
    const struct lookback *lookback;
    objects_done_fn done;
    void *arg;
    uint64_t end;          /* image offset where the range ends */
    struct lookback shown; /* what the threads of the pool look at */
    bool launched;
    struct pool *pool;              /* NULL: one thread */
    struct objects_worker *workers; /* [0] is the caller, and looks at the lookback itself */
    uint32_t worker_count;
    struct objects_one **ready; /* to be run now, by whoever takes the next one */
    uint32_t ready_count, ready_room;
    _Atomic uint32_t ready_next;
    struct objects_list lists[];
};

static enum err_code objects_open_workers(struct objects *objects, uint32_t threads,
                                          struct err *err)
{
    const uint32_t workers = threads > 1 ? threads + 1 : 1;
    enum err_code rc = ERR_OK;

    objects->workers = calloc(workers, sizeof *objects->workers);
    if (objects->workers == NULL)
        return ERR_NO_MEMORY(err, workers * sizeof *objects->workers);
    while (rc == ERR_OK && objects->worker_count < workers) {
        struct objects_worker *worker = &objects->workers[objects->worker_count++];

        worker->objects = objects;
        rc = lookback_view_open(objects->worker_count == 1 ? objects->lookback : &objects->shown,
                                &worker->view, err);
    }
    if (rc == ERR_OK && threads > 1)
        rc = pool_open(threads, &objects->pool, err);
    return rc;
}

enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count,
                           const struct lookback *lookback, uint32_t threads, objects_done_fn done,
                           void *arg, struct objects **out, struct err *err)
{
    const size_t size = sizeof **out + sig_count * sizeof(*out)->lists[0];
    struct objects *objects = calloc(1, size);

    *out = NULL;
    if (objects == NULL)
        return ERR_NO_MEMORY(err, size);
    objects->sigs = sigs;
    objects->sig_count = sig_count;
    objects->lookback = lookback;
    objects->done = done;
    objects->arg = arg;
    for (uint32_t i = 0; i < sig_count; i++)
        objects_list_init(&objects->lists[i]);
    const enum err_code rc =
        objects_open_workers(objects, threads < LIMIT_VALIDATORS ? threads : LIMIT_VALIDATORS, err);
    if (rc == ERR_OK)
        *out = objects;
    else
        objects_close(objects);
    return rc;
}

bool objects_in_step(const struct sig *sig)
{
    return (sig->flags & (SIG_CLAIMS | SIG_STREAM)) != 0;
}

void objects_close(struct objects *objects)
{
    if (objects == NULL)
        return;
    pool_close(objects->pool);
    for (uint32_t i = 0; i < objects->worker_count; i++)
        lookback_view_close(&objects->workers[i].view);
    for (uint32_t i = 0; i < objects->sig_count; i++)
        objects_list_release(&objects->lists[i]);
    free(objects->ready);
    free(objects->workers);
    free(objects);
}

uint64_t objects_reread(const struct objects *objects)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < objects->worker_count; i++)
        sum += objects->workers[i].view.reread;
    return sum;
}

struct lookback_view *objects_view(struct objects *objects)
{
    return &objects->workers[0].view;
}

void objects_set_end(struct objects *objects, uint64_t end)
{
    objects->end = end;
    for (uint32_t i = 0; i < objects->sig_count; i++)
        objects->lists[i].covered = 0;
}

/* Runs one object until it has its verdict or needs bytes that the lookback does not show. */
static enum err_code objects_step(struct objects *objects, struct objects_one *one,
                                  struct lookback_view *view, struct err *err)
{
    const struct sig *sig = objects->sigs[one->sig];
    enum err_code rc = ERR_OK;

    one->in.source = &view->source;
    do {
        one->result = sig_check(sig, &one->in, one->state);
        if (one->in.claim_count > 0) {
            assert((sig->flags & SIG_CLAIMS) !=
                   0); /* the list of claims is no place for several threads */
            rc = objects_list_claim(&objects->lists[one->sig], &one->in, err);
        }
    } while (rc == ERR_OK && one->result.verdict == SIG_MORE && one->result.len == 0);
    if (rc == ERR_OK)
        rc = lookback_view_error(view, err);
    if (rc == ERR_OK && one->result.verdict == SIG_MORE) {
        one->needs = one->in.start + one->result.len;
        assert(one->needs > view->lookback->limit);
    }
    return rc;
}

static enum err_code objects_finish(struct objects *objects, const struct objects_one *one,
                                    struct sig_result result, struct err *err)
{
    if (result.verdict != SIG_REJECT)
        objects_list_cover(&objects->lists[one->sig], one->in.start + result.len,
                           result.verdict == SIG_COMPLETE);
    const struct objects_verdict verdict = { .sig = one->sig,
                                             .tag = one->tag,
                                             .type = one->in.type,
                                             .result = result,
                                             .start = one->in.start,
                                             .unpacked = one->in.unpacked,
                                             .has_before = one->has_before,
                                             .before = one->before };
    return objects->done(objects->arg, &verdict, err);
}

/* Takes out of the list what has its verdict, oldest first. */
static enum err_code objects_settle(struct objects *objects, uint32_t sig, struct err *err)
{
    struct objects_list *list = &objects->lists[sig];
    struct objects_one **link = &list->oldest;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && *link != NULL) {
        struct objects_one *one = *link;

        if (one->result.verdict == SIG_MORE) {
            link = &one->next;
            continue;
        }
        rc = objects_finish(objects, objects_list_drop(list, link), one->result, err);
    }
    return rc;
}

enum err_code objects_run(struct objects *objects, uint32_t sig, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (struct objects_one *one = objects->lists[sig].oldest; rc == ERR_OK && one != NULL;
         one = one->next)
        if (one->needs <= objects->lookback->limit)
            rc = objects_step(objects, one, &objects->workers[0].view, err);
    return rc == ERR_OK ? objects_settle(objects, sig, err) : rc;
}

/* Makes the list of what can be run by any thread. */
static enum err_code objects_gather(struct objects *objects, struct err *err)
{
    objects->ready_count = 0;
    objects->ready_next = 0;
    for (uint32_t i = 0; i < objects->sig_count; i++) {
        if (objects_in_step(objects->sigs[i]))
            continue;
        for (struct objects_one *one = objects->lists[i].oldest; one != NULL; one = one->next) {
            if (one->needs > objects->lookback->limit)
                continue;
            if (objects->ready_count == objects->ready_room) {
                const uint32_t room = objects->ready_room * 2 + 64;
                struct objects_one **ready =
                    realloc(objects->ready, room * sizeof(struct objects_one *));

                if (ready == NULL)
                    return ERR_NO_MEMORY(err, room * sizeof(struct objects_one *));
                objects->ready = ready;
                objects->ready_room = room;
            }
            objects->ready[objects->ready_count++] = one;
        }
    }
    return ERR_OK;
}

/*
 * What each thread does: takes one object after another. No claims are made here, so nothing can
 * fail but reading.
 */
static void objects_work(void *arg)
{
    struct objects_worker *worker = arg;
    struct objects *objects = worker->objects;

    enum err_code rc = ERR_OK;
    struct err err; /* the view keeps it, for objects_wait */

    for (uint32_t i = objects->ready_next++; i < objects->ready_count && rc == ERR_OK;
         i = objects->ready_next++)
        rc = objects_step(objects, objects->ready[i], &worker->view, &err);
}

enum err_code objects_launch(struct objects *objects, uint32_t keep, struct err *err)
{
    enum err_code rc = objects_wait(objects, err);

    for (uint32_t i = 0; rc == ERR_OK && i < objects->sig_count; i++)
        if (objects_in_step(objects->sigs[i]) && objects->lists[i].count > 0)
            rc = objects_run(objects, i, err);
    if (rc == ERR_OK)
        rc = objects_gather(objects, err);
    if (rc != ERR_OK || objects->ready_count == 0)
        return rc;
    objects->launched = true;
    if (objects->pool == NULL)
        return objects_wait(objects, err);
    objects->shown = *objects->lookback;
    while (objects->shown.count > keep)
        lookback_pop(&objects->shown);
    for (uint32_t i = 1; i < objects->worker_count && i <= objects->ready_count; i++) {
        objects->workers[i].job =
            (struct pool_job){ .run = objects_work, .arg = &objects->workers[i] };
        pool_submit(objects->pool, &objects->workers[i].job);
    }
    return ERR_OK;
}

enum err_code objects_wait(struct objects *objects, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (!objects->launched)
        return ERR_OK;
    objects_work(&objects->workers[0]);
    for (uint32_t i = 1; i < objects->worker_count && i <= objects->ready_count; i++)
        pool_wait(objects->pool, &objects->workers[i].job);
    objects->launched = false;
    for (uint32_t i = 0; rc == ERR_OK && i < objects->worker_count; i++)
        rc = lookback_view_error(&objects->workers[i].view, err);
    for (uint32_t i = 0; rc == ERR_OK && i < objects->sig_count; i++)
        if (!objects_in_step(objects->sigs[i]) && objects->lists[i].count > 0)
            rc = objects_settle(objects, i, err);
    return rc;
}

/* Threads may be running the objects meanwhile: they have nothing to do with what is written here.
 */
enum err_code objects_leave(struct objects *objects, struct sums *sums, uint64_t below,
                            struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < objects->sig_count; i++) {
        struct objects_one *one = objects->lists[i].oldest;

        for (; rc == ERR_OK && one != NULL && one->in.start < below; one = one->next)
            if (!one->has_before) {
                rc = sums_at(sums, one->in.start, &one->before, err);
                one->has_before = true;
            }
    }
    return rc;
}

uint64_t objects_held(const struct objects *objects)
{
    return objects->launched && objects->shown.count > 0
               ? objects->shown.segments[objects->shown.first].offset
               : UINT64_MAX;
}

static enum err_code objects_evict(struct objects *objects, struct objects_list *list,
                                   struct err *err)
{
    struct objects_one *one = objects_list_drop(list, &list->oldest);
    struct sig_result result =
        sig_breaks(&one->in, "too many files of this type begin inside each other");

    result.spent = true;
    return objects_finish(objects, one, result, err);
}

enum err_code objects_trim(struct objects *objects, uint32_t sig, uint32_t most, uint64_t *evicted,
                           struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && objects->lists[sig].count > most) {
        rc = objects_evict(objects, &objects->lists[sig], err);
        ++*evicted;
    }
    return rc;
}

enum err_code objects_unpacking(struct objects *objects, uint32_t *count, struct err *err)
{
    enum err_code rc = ERR_OK;

    *count = 0;
    for (uint32_t i = 0; rc == ERR_OK && i < objects->sig_count; i++) {
        if ((objects->sigs[i]->flags & SIG_UNPACKS) == 0 || objects->lists[i].count == 0)
            continue;
        if (!objects_in_step(objects->sigs[i]))
            rc = objects_wait(objects, err);
        if (rc == ERR_OK)
            rc = objects_run(objects, i, err);
        *count += objects->lists[i].count;
    }
    return rc;
}

enum err_code objects_start(struct objects *objects, uint32_t sig, uint64_t start, uint64_t tag,
                            uint32_t sharers, struct err *err)
{
    struct objects_list *list = &objects->lists[sig];
    const struct sig *def = objects->sigs[sig];

    assert(def->check != NULL && def->state_size <= SIG_STATE_MAX && start < objects->end);
    uint64_t limit = objects->end - start;
    if (limit > def->size_max)
        limit = def->size_max;

    struct objects_one *one = objects_list_add(list, def);
    if (one == NULL)
        return ERR_NO_MEMORY(err, def->state_size);
    one->sig = sig;
    one->tag = tag;
    one->in.sig = def;
    one->in.type = &def->types[0];
    one->in.start = start;
    one->in.limit = limit;
    one->in.sharers = sharers;
    one->needs = start + 1;
    one->result.verdict = SIG_MORE;
    return ERR_OK;
}

bool objects_claimed(struct objects *objects, uint32_t sig, uint64_t at)
{
    struct objects_list *list = &objects->lists[sig];
    const bool claimed = objects_list_claimed(list, at);

    return claimed ||
           ((objects->sigs[sig]->flags & SIG_STREAM) != 0 && objects_list_covers(list, at));
}
