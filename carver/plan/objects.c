/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/objects.c - see objects.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/plan/objects.h"
#include "carver/plan/objects_list.h"

/* Open objects of a signature that are read back; a true planner has fewer. */
enum { OBJECTS_SAVED_MAX = 1 << 12 };

struct objects {
    const struct sig *const *sigs;
    uint32_t sig_count;
    struct lookback *lookback;
    struct lookback_view view; /* of it */
    objects_done_fn done;
    void *arg;
    uint64_t end;        /* image offset where the range ends */
    struct sig_set some; /* those of which a list may have anything */
    struct objects_list lists[];
};

enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count,
                           struct lookback *lookback, objects_done_fn done, void *arg,
                           struct objects **out, struct err *err)
{
    const size_t size = sizeof **out + sig_count * sizeof(*out)->lists[0];
    struct objects *objects = calloc(1, size);

    *out = NULL;
    if (objects == NULL)
        return ERR_NO_MEMORY(err, size);
    objects->sigs = sigs;
    objects->sig_count = sig_count;
    objects->done = done;
    objects->arg = arg;
    for (uint32_t i = 0; i < sig_count; i++)
        objects_list_init(&objects->lists[i]);
    objects->lookback = lookback;
    lookback_view_open(lookback, &objects->view);
    if (!sig_set_open(&objects->some, sig_count)) {
        objects_close(objects);
        return ERR_NO_MEMORY(err, sig_count / 8 + 1);
    }
    *out = objects;
    return ERR_OK;
}

static bool objects_is_stream(const struct objects *objects, uint32_t sig)
{
    return (objects->sigs[sig]->flags & SIG_STREAM) != 0;
}

bool objects_in_step(const struct sig *sig)
{
    return (sig->flags & (SIG_CLAIMS | SIG_STREAM)) != 0;
}

void objects_close(struct objects *objects)
{
    if (objects == NULL)
        return;
    lookback_view_close(&objects->view);
    for (uint32_t i = 0; i < objects->sig_count; i++)
        objects_list_release(&objects->lists[i]);
    sig_set_close(&objects->some);
    free(objects);
}

uint64_t objects_reread(const struct objects *objects)
{
    return objects->view.reread;
}

struct lookback_view *objects_view(struct objects *objects)
{
    return &objects->view;
}

uint32_t objects_count(const struct objects *objects, uint32_t sig)
{
    return objects->lists[sig].count;
}

uint32_t objects_count_at(const struct objects *objects, uint32_t sig, uint64_t at)
{
    uint32_t count = 0;

    for (const struct objects_one *one = objects->lists[sig].oldest; one != NULL; one = one->next)
        count += one->ends_by > at;
    return count;
}

uint64_t objects_covered(const struct objects *objects, uint32_t sig)
{
    const uint64_t covered = objects->lists[sig].covered;

    return covered != 0 && objects_is_stream(objects, sig) ? covered : 0;
}

const uint64_t *objects_claims(const struct objects *objects, uint32_t sig, uint32_t *count)
{
    *count = objects->lists[sig].claim_count;
    return objects->lists[sig].claims;
}

uint64_t objects_next_need(const struct objects *objects)
{
    uint64_t need = UINT64_MAX;

    for (uint32_t i = 0; (i = sig_set_next(&objects->some, i)) < objects->sig_count; i++)
        for (const struct objects_one *one = objects->lists[i].oldest; one != NULL; one = one->next)
            need = one->needs < need ? one->needs : need;
    return need;
}

uint32_t objects_unpacking_ends(const struct objects *objects, uint64_t *ends, uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t i = 0; (i = sig_set_next(&objects->some, i)) < objects->sig_count; i++)
        for (const struct objects_one *one = objects->lists[i].oldest;
             one != NULL && (objects->sigs[i]->flags & SIG_UNPACKS) != 0; one = one->next, count++)
            if (count < max)
                ends[count] = one->ends_by;
    return count;
}

bool objects_is_open(const struct objects *objects, uint32_t sig, uint64_t start)
{
    const struct objects_one *one = objects->lists[sig].oldest;

    while (one != NULL && one->in.start != start)
        one = one->next;
    return one != NULL;
}

bool objects_is_blank(const struct objects *objects, uint32_t sig)
{
    const struct objects_list *list = &objects->lists[sig];

    return list->count == 0 && list->claim_count == 0 && list->covered == 0;
}

struct sig_set *objects_some(struct objects *objects)
{
    return &objects->some;
}

void objects_retag(struct objects *objects, const int64_t *tags)
{
    for (uint32_t i = 0; (i = sig_set_next(&objects->some, i)) < objects->sig_count; i++)
        for (struct objects_one *one = objects->lists[i].oldest; one != NULL; one = one->next)
            one->tag = (uint64_t)tags[one->tag];
}

void objects_begin(struct objects *objects, uint64_t end)
{
    objects->end = end;
    objects->view.reread = 0;
    lookback_view_forget(&objects->view);
    for (uint32_t i = 0; (i = sig_set_next(&objects->some, i)) < objects->sig_count; i++)
        objects_list_clear(&objects->lists[i]);
    sig_set_clear(&objects->some);
}

enum err_code objects_copy(struct objects *to, const struct objects *from, uint32_t sig,
                           struct err *err)
{
    sig_set_add(&to->some, sig);
    return objects_list_copy(&to->lists[sig], &from->lists[sig], from->sigs[sig], true, err);
}

enum err_code objects_copy_untold(struct objects *to, const struct objects *from, uint32_t sig,
                                  struct err *err)
{
    sig_set_add(&to->some, sig);
    return objects_list_copy(&to->lists[sig], &from->lists[sig], from->sigs[sig], false, err);
}

void objects_forget(struct objects *objects, uint32_t sig)
{
    objects_list_clear(&objects->lists[sig]);
}

void objects_forget_ended(struct objects *objects, uint32_t sig, uint64_t at)
{
    struct objects_one **link = &objects->lists[sig].oldest;

    while (*link != NULL)
        if ((*link)->ends_by <= at)
            objects_list_drop(&objects->lists[sig], link);
        else
            link = &(*link)->next;
    objects_list_forget_claims(&objects->lists[sig], at);
}

bool objects_put_off(struct objects *objects, uint32_t sig, uint64_t *start, uint32_t *sharers)
{
    struct objects_list *list = &objects->lists[sig];
    const struct objects_one *one = list->oldest;

    if (one == NULL)
        return false;
    *start = one->in.start;
    *sharers = one->in.sharers;
    objects_list_drop(list, &list->oldest);
    return true;
}

void objects_set_ends_by(struct objects *objects, uint32_t sig, uint64_t start, uint64_t ends_by)
{
    for (struct objects_one *one = objects->lists[sig].oldest; one != NULL; one = one->next)
        if (one->in.start == start)
            one->ends_by = ends_by;
}

uint64_t objects_hash(const struct objects *objects, uint32_t sig, uint64_t at)
{
    return objects_list_hash(&objects->lists[sig], objects_is_stream(objects, sig), at);
}

/* Runs one object until it has its verdict or needs bytes that the lookback does not show. */
static enum err_code objects_go_on(struct objects *objects, struct objects_one *one,
                                   struct err *err)
{
    const struct sig *sig = objects->sigs[one->sig];
    struct lookback_view *view = &objects->view;
    enum err_code rc = ERR_OK;

    one->in.source = &view->source;
    one->shown = view->lookback->limit;
    do {
        one->result = sig_check(sig, &one->in, one->state);
        if (one->in.claim_count > 0) {
            assert((sig->flags & SIG_CLAIMS) != 0);
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

/* Runs an object as far as it had been run. What it claims was written down. */
static enum err_code objects_run_again(struct objects *objects, struct objects_one *one,
                                       uint64_t shown, struct err *err)
{
    struct objects_list *list = &objects->lists[one->sig];
    const uint32_t claims = list->claim_count;
    const uint64_t limit = objects->lookback->limit;

    if (shown == 0)
        return ERR_OK;
    objects->lookback->limit = shown;
    const enum err_code rc = objects_go_on(objects, one, err);
    objects->lookback->limit = limit;
    list->claim_count = claims;
    if (one->result.verdict != SIG_MORE) /* the image has other bytes now: so it ends */
        one->needs = UINT64_MAX;
    return rc;
}

/* A cold object gets the state that it had. */
static enum err_code objects_warm(struct objects *objects, struct objects_one *one, struct err *err)
{
    if (!one->cold)
        return ERR_OK;
    one->cold = false;
    one->in.valid = 0;
    return objects_run_again(objects, one, one->shown, err);
}

static enum err_code objects_step(struct objects *objects, struct objects_one *one, struct err *err)
{
    const enum err_code rc = objects_warm(objects, one, err);

    return rc == ERR_OK && one->result.verdict == SIG_MORE ? objects_go_on(objects, one, err) : rc;
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
                                             .before = one->before,
                                             .sharers = one->in.sharers,
                                             .sharers_most = sig_sharers_most(&one->in),
                                             .ends_by = objects->view.lookback->limit };
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
        if (one->needs <= objects->view.lookback->limit)
            rc = objects_step(objects, one, err);
    return rc == ERR_OK ? objects_settle(objects, sig, err) : rc;
}

enum err_code objects_run_all(struct objects *objects, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && (i = sig_set_next(&objects->some, i)) < objects->sig_count;
         i++)
        if (objects->lists[i].count > 0)
            rc = objects_run(objects, i, err);
    return rc;
}

enum err_code objects_leave(struct objects *objects, struct sums *sums, uint64_t below,
                            struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; (i = sig_set_next(&objects->some, i)) < objects->sig_count; i++) {
        struct objects_one *one = objects->lists[i].oldest;

        for (; rc == ERR_OK && one != NULL && one->in.start < below; one = one->next)
            if (!one->has_before && one->in.start >= sums_first(sums)) {
                rc = sums_at(sums, one->in.start, &one->before, err);
                one->has_before = true;
            }
    }
    return rc;
}

static enum err_code objects_evict(struct objects *objects, struct objects_list *list,
                                   struct err *err)
{
    struct objects_one *one = list->oldest;
    const enum err_code rc = objects_warm(objects, one, err);

    objects_list_drop(list, &list->oldest);
    if (rc != ERR_OK)
        return rc;
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
    for (uint32_t i = 0; rc == ERR_OK && (i = sig_set_next(&objects->some, i)) < objects->sig_count;
         i++) {
        if ((objects->sigs[i]->flags & SIG_UNPACKS) == 0 || objects->lists[i].count == 0)
            continue;
        rc = objects_run(objects, i, err);
        *count += objects->lists[i].count;
    }
    return rc;
}

/* A new object that has not been run. NULL: no memory. */
static struct objects_one *objects_add(struct objects *objects, uint32_t sig, uint64_t start,
                                       uint64_t tag, uint32_t sharers)
{
    const struct sig *def = objects->sigs[sig];
    const uint64_t left = objects->end - start;

    assert(def->check != NULL && def->state_size <= SIG_STATE_MAX && start < objects->end);
    struct objects_one *one = objects_list_add(&objects->lists[sig], def);
    if (one == NULL)
        return NULL;
    sig_set_add(&objects->some, sig);
    one->sig = sig;
    one->tag = tag;
    one->in.sig = def;
    one->in.type = &def->types[0];
    one->in.start = start;
    one->in.limit = left < def->size_max ? left : def->size_max;
    one->in.sharers = sharers;
    one->needs = start + 1;
    one->ends_by = UINT64_MAX;
    one->result.verdict = SIG_MORE;
    return one;
}

enum err_code objects_start(struct objects *objects, uint32_t sig, uint64_t start, uint64_t tag,
                            uint32_t sharers, struct err *err)
{
    return objects_add(objects, sig, start, tag, sharers) != NULL
               ? ERR_OK
               : ERR_NO_MEMORY(err, objects->sigs[sig]->state_size);
}

void objects_save(const struct objects *objects, uint32_t sig, struct pack *out)
{
    const struct objects_list *list = &objects->lists[sig];

    pack_number(out, list->count);
    for (const struct objects_one *one = list->oldest; one != NULL; one = one->next) {
        pack_number(out, one->in.start);
        pack_number(out, one->tag);
        pack_number(out, one->in.sharers);
        pack_number(out, one->shown);
    }
    objects_list_save_claims(list, out);
}

enum err_code objects_restore(struct objects *objects, uint32_t sig, uint64_t before,
                              struct unpack *in, struct err *err)
{
    const uint32_t count = (uint32_t)unpack_number(in, OBJECTS_SAVED_MAX);
    enum err_code rc = ERR_OK;

    in->failed = in->failed || (count > 0 && objects->sigs[sig]->check == NULL);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint64_t start = unpack_number(in, before - 1);
        const uint64_t tag = unpack_number(in, INT64_MAX);
        const uint32_t sharers = (uint32_t)unpack_number(in, UINT32_MAX);
        const uint64_t shown = unpack_number(in, objects->end);

        in->failed = in->failed || (shown != 0 && shown <= start);
        if (in->failed)
            break;
        struct objects_one *one = objects_add(objects, sig, start, tag, sharers);
        if (one == NULL)
            return ERR_NO_MEMORY(err, objects->sigs[sig]->state_size);
        rc = objects_run_again(objects, one, shown, err);
    }
    sig_set_add(&objects->some, sig);
    return rc == ERR_OK ? objects_list_restore_claims(&objects->lists[sig], in, err) : rc;
}

void objects_save_exit(const struct objects *objects, uint32_t sig, struct pack *out)
{
    const struct objects_list *list = &objects->lists[sig];

    pack_number(out, list->count);
    for (const struct objects_one *one = list->oldest; one != NULL; one = one->next) {
        pack_number(out, one->in.start);
        pack_number(out, one->tag);
        pack_number(out, one->in.sharers);
        pack_number(out, one->shown);
        pack_number(out, one->in.valid);
        pack_number(out, one->needs - one->in.start);
        pack_number(out, one->ends_by + 1); /* 0: it is not known */
    }
    objects_list_save_claims(list, out);
}

enum err_code objects_restore_exit(struct objects *objects, uint32_t sig, uint64_t before,
                                   uint64_t tags, struct unpack *in, struct err *err)
{
    const uint32_t count = (uint32_t)unpack_number(in, OBJECTS_SAVED_MAX);
    const uint64_t end = objects->end;

    in->failed = in->failed || (count > 0 && (objects->sigs[sig]->check == NULL || tags == 0));
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        const uint64_t start = unpack_number(in, before - 1);
        const uint64_t tag = unpack_number(in, tags - 1);
        const uint32_t sharers = (uint32_t)unpack_number(in, UINT32_MAX);
        const uint64_t shown = unpack_number(in, end);
        const uint64_t valid = unpack_number(in, end - start);
        const uint64_t needs = unpack_number(in, UINT64_MAX - start);
        const uint64_t ends_by = unpack_number(in, UINT64_MAX) - 1;

        in->failed = in->failed || needs == 0 || (shown != 0 && shown <= start);
        if (in->failed)
            break;
        struct objects_one *one = objects_add(objects, sig, start, tag, sharers);
        if (one == NULL)
            return ERR_NO_MEMORY(err, objects->sigs[sig]->state_size);
        one->cold = shown != 0;
        one->shown = shown;
        one->in.valid = valid;
        one->needs = start + needs;
        one->ends_by = ends_by;
    }
    sig_set_add(&objects->some, sig);
    return objects_list_restore_claims(&objects->lists[sig], in, err);
}

bool objects_claimed(struct objects *objects, uint32_t sig, uint64_t at)
{
    struct objects_list *list = &objects->lists[sig];
    const bool claimed = objects_list_claimed(list, at);

    return claimed || (objects_is_stream(objects, sig) && objects_list_covers(list, at));
}
