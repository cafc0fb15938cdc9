/* carver/objects.c - see objects.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "carver/objects.h"

struct objects_one {
    struct objects_one *next; /* younger */
    struct sig_input    in;
    uint32_t            sig;
    uint64_t            tag;
    uint64_t            needs; /* image offset: running it before the window shows all bytes below is of no use */
    void               *state;
};

struct objects_list {
    struct objects_one *oldest, **youngest_end;
    uint32_t            count;
    uint64_t           *claims; /* image offsets, in no order */
    uint32_t            claim_count, claim_room;
};

struct objects {
    const struct sig *const *sigs;
    uint32_t                 sig_count;
    struct window           *window;
    objects_done_fn          done;
    void                    *arg;
    uint64_t                 end; /* image offset where the range ends */
    struct objects_list      lists[];
};

enum err_code objects_open(const struct sig *const *sigs, uint32_t sig_count, struct window *window, objects_done_fn done,
                           void *arg, struct objects **out, struct err *err)
{
    const size_t size = sizeof **out + sig_count * sizeof(*out)->lists[0];
    struct objects *objects = calloc(1, size);

    *out = objects;
    if (objects == NULL)
        return ERR_NO_MEMORY(err, size);
    *objects = (struct objects){ .sigs = sigs, .sig_count = sig_count, .window = window, .done = done, .arg = arg };
    for (uint32_t i = 0; i < sig_count; i++)
        objects->lists[i].youngest_end = &objects->lists[i].oldest;
    return ERR_OK;
}

static void objects_free_one(struct objects_one *one)
{
    free(one->state);
    free(one);
}

void objects_close(struct objects *objects)
{
    if (objects == NULL)
        return;
    for (uint32_t i = 0; i < objects->sig_count; i++) {
        while (objects->lists[i].oldest != NULL) {
            struct objects_one *one = objects->lists[i].oldest;
            objects->lists[i].oldest = one->next;
            objects_free_one(one);
        }
        free(objects->lists[i].claims);
    }
    free(objects);
}

void objects_set_end(struct objects *objects, uint64_t end)
{
    objects->end = end;
}

static enum err_code objects_take_claims(struct objects_list *list, struct sig_input *in, struct err *err)
{
    if (list->claim_count + in->claim_count > list->claim_room) {
        const uint32_t room = (list->claim_count + in->claim_count) * 2;
        uint64_t *claims = realloc(list->claims, room * sizeof *claims);

        if (claims == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *claims);
        list->claims = claims;
        list->claim_room = room;
    }
    for (uint32_t i = 0; i < in->claim_count; i++)
        list->claims[list->claim_count++] = in->start + in->claims[i];
    in->claim_count = 0;
    return ERR_OK;
}

/* Runs one object until it has its verdict or needs bytes that the window does not show. */
static enum err_code objects_step(struct objects *objects, struct objects_one *one, struct sig_result *result, struct err *err)
{
    const struct sig *sig = objects->sigs[one->sig];
    enum err_code rc = ERR_OK;

    do {
        *result = sig->check(&one->in, one->state);
        if (one->in.claim_count > 0)
            rc = objects_take_claims(&objects->lists[one->sig], &one->in, err);
    } while (rc == ERR_OK && result->verdict == SIG_MORE && result->len == 0);
    if (rc == ERR_OK && result->verdict == SIG_MORE) {
        one->needs = one->in.start + result->len;
        assert(one->needs > objects->window->limit);
    }
    return rc;
}

static enum err_code objects_finish(struct objects *objects, const struct objects_one *one, struct sig_result result, struct err *err)
{
    const struct objects_verdict verdict = {
        .sig = one->sig, .tag = one->tag, .type = one->in.type, .result = result, .start = one->in.start
    };
    return objects->done(objects->arg, &verdict, err);
}

enum err_code objects_run(struct objects *objects, uint32_t sig, struct err *err)
{
    struct objects_list *list = &objects->lists[sig];
    struct objects_one **link = &list->oldest;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && *link != NULL) {
        struct objects_one *one = *link;
        struct sig_result result = { .verdict = SIG_MORE };

        if (one->needs <= objects->window->limit)
            rc = objects_step(objects, one, &result, err);
        if (rc != ERR_OK || result.verdict == SIG_MORE) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        if (one->next == NULL)
            list->youngest_end = link;
        list->count--;
        rc = objects_finish(objects, one, result, err);
        objects_free_one(one);
    }
    return rc;
}

enum err_code objects_run_all(struct objects *objects, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < objects->sig_count; i++)
        if (objects->lists[i].count > 0)
            rc = objects_run(objects, i, err);
    return rc;
}

static enum err_code objects_evict(struct objects *objects, struct objects_list *list, struct err *err)
{
    struct objects_one *one = list->oldest;

    list->oldest = one->next;
    if (one->next == NULL)
        list->youngest_end = &list->oldest;
    list->count--;
    const enum err_code rc =
        objects_finish(objects, one, sig_breaks(&one->in, "too many files of this type begin inside of each other"), err);
    objects_free_one(one);
    return rc;
}

enum err_code objects_start(struct objects *objects, uint32_t sig, uint64_t start, uint64_t most, uint64_t tag, uint32_t at_most,
                            uint64_t *evicted, struct err *err)
{
    struct objects_list *list = &objects->lists[sig];
    const struct sig *def = objects->sigs[sig];
    struct sig_result result;

    assert(def->check != NULL && def->state_size <= SIG_STATE_MAX && start < objects->end);
    if (list->count >= at_most) {
        const enum err_code rc = objects_evict(objects, list, err);
        if (rc != ERR_OK)
            return rc;
        ++*evicted;
    }
    uint64_t limit = objects->end - start;
    if (limit > def->size_max)
        limit = def->size_max;
    if (limit > most)
        limit = most;

    struct objects_one *one = calloc(1, sizeof *one);
    if (one != NULL)
        one->state = calloc(1, def->state_size + 1u);
    if (one == NULL || one->state == NULL) {
        free(one);
        return ERR_NO_MEMORY(err, def->state_size);
    }
    one->sig = sig;
    one->tag = tag;
    one->in.source = &objects->window->source;
    one->in.sig = def;
    one->in.type = &def->types[0];
    one->in.start = start;
    one->in.limit = limit;
    enum err_code rc = objects_step(objects, one, &result, err);
    if (rc == ERR_OK && result.verdict == SIG_MORE) {
        *list->youngest_end = one;
        list->youngest_end = &one->next;
        list->count++;
        return ERR_OK;
    }
    if (rc == ERR_OK)
        rc = objects_finish(objects, one, result, err);
    objects_free_one(one);
    return rc;
}

bool objects_claimed(struct objects *objects, uint32_t sig, uint64_t at)
{
    struct objects_list *list = &objects->lists[sig];
    bool claimed = false;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < list->claim_count; i++) {
        claimed = claimed || list->claims[i] == at;
        if (list->claims[i] > at)
            list->claims[kept++] = list->claims[i];
    }
    list->claim_count = kept;
    return claimed;
}
