/* SPDX-License-Identifier: Apache-2.0
 * base/share.c - see share.h. */
#include "base/share.h"

#include <stdatomic.h>

#include "base/thread.h"

struct share {
    share_fn each;
    void *arg;
    size_t count;
    _Atomic size_t next;
};

struct share_worker {
    struct share *share;
    uint32_t number;
    struct thread thread;
};

static void share_work(void *arg)
{
    const struct share_worker *worker = arg;
    struct share *share = worker->share;
    size_t piece;

    while ((piece = atomic_fetch_add(&share->next, 1)) < share->count)
        share->each(share->arg, piece, worker->number);
}

void share_out(const char *name, size_t count, uint32_t threads, share_fn each, void *arg)
{
    struct share share = { .each = each, .arg = arg, .count = count };
    struct share_worker workers[SHARE_THREADS];
    const uint32_t most = threads < SHARE_THREADS ? threads : SHARE_THREADS;
    uint32_t started = 0; /* and the caller */

    workers[0] = (struct share_worker){ .share = &share };
    while (started + 1 < most && started + 1 < count) {
        struct share_worker *worker = &workers[started + 1];

        *worker = (struct share_worker){ .share = &share, .number = started + 1 };
        if (thread_start(&worker->thread, name, share_work, worker, NULL) != ERR_OK)
            break;
        started++;
    }
    share_work(&workers[0]);
    for (uint32_t i = 1; i <= started; i++)
        thread_join(&workers[i].thread);
}
