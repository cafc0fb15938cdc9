/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/objects_list.c - see objects_list.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/plan/objects_list.h"

void objects_list_init(struct objects_list *list)
{
    *list = (struct objects_list){ 0 };
    list->youngest_end = &list->oldest;
}

static void objects_list_free(struct objects_one *one)
{
    while (one != NULL) {
        struct objects_one *next = one->next;

        free(one->state);
        free(one);
        one = next;
    }
}

void objects_list_release(struct objects_list *list)
{
    objects_list_free(list->oldest);
    objects_list_free(list->spare);
    free(list->claims);
    *list = (struct objects_list){ 0 };
}

/* clean: the state is zeroed as far as the validator needs it. */
static struct objects_one *objects_list_take(struct objects_list *list, const struct sig *sig,
                                             bool clean)
{
    struct objects_one *one = list->spare;

    if (one != NULL) {
        void *state = one->state;

        list->spare = one->next;
        if (clean)
            memset(state, 0, sig_state_clean(sig));
        *one = (struct objects_one){ .state = state };
        return one;
    }
    one = calloc(1, sizeof *one);
    if (one != NULL)
        one->state = calloc(1, sig->state_size + 1u);
    if (one == NULL || one->state == NULL) {
        free(one);
        return NULL;
    }
    return one;
}

/* Makes room for so many claims more. */
static enum err_code objects_list_room(struct objects_list *list, uint32_t more, struct err *err)
{
    const uint32_t room = (list->claim_count + more) * 2;

    if (list->claim_count + more <= list->claim_room)
        return ERR_OK;
    uint64_t *claims = realloc(list->claims, room * sizeof *claims);
    if (claims == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *claims);
    list->claims = claims;
    list->claim_room = room;
    return ERR_OK;
}

static void objects_list_append(struct objects_list *list, struct objects_one *one)
{
    *list->youngest_end = one;
    list->youngest_end = &one->next;
    list->count++;
}

struct objects_one *objects_list_add(struct objects_list *list, const struct sig *sig)
{
    struct objects_one *one = objects_list_take(list, sig, true);

    if (one != NULL)
        objects_list_append(list, one);
    return one;
}

enum err_code objects_list_copy(struct objects_list *list, const struct objects_list *from,
                                const struct sig *sig, bool told, struct err *err)
{
    for (const struct objects_one *one = from->oldest; one != NULL; one = one->next) {
        if (!told && one->ends_by != UINT64_MAX)
            continue;
        struct objects_one *to = objects_list_take(list, sig, one->cold);

        if (to == NULL)
            return ERR_NO_MEMORY(err, sig->state_size);
        void *state = to->state;
        *to = *one;
        to->state = state;
        to->next = NULL;
        if (!one->cold)
            memcpy(state, one->state, sig->state_size);
        objects_list_append(list, to);
    }
    const enum err_code rc = objects_list_room(list, from->claim_count, err);
    if (rc != ERR_OK)
        return rc;
    if (from->claim_count > 0)
        memcpy(list->claims + list->claim_count, from->claims,
               from->claim_count * sizeof *list->claims);
    list->claim_count += from->claim_count;
    if (list->covered < from->covered)
        list->covered = from->covered;
    return ERR_OK;
}

void objects_list_save_claims(const struct objects_list *list, struct pack *out)
{
    pack_number(out, list->covered);
    pack_number(out, list->claim_count);
    for (uint32_t i = 0; i < list->claim_count; i++)
        pack_number(out, list->claims[i]);
}

enum err_code objects_list_restore_claims(struct objects_list *list, struct unpack *in,
                                          struct err *err)
{
    const uint64_t covered = unpack_number(in, UINT64_MAX);
    const uint32_t count = unpack_count(in);
    const enum err_code rc = objects_list_room(list, count, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < count && !in->failed; i++)
        list->claims[list->claim_count++] = unpack_number(in, UINT64_MAX);
    if (list->covered < covered)
        list->covered = covered;
    return ERR_OK;
}

void objects_list_forget_claims(struct objects_list *list, uint64_t below)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < list->claim_count; i++)
        if (list->claims[i] >= below)
            list->claims[kept++] = list->claims[i];
    list->claim_count = kept;
}

void objects_list_clear(struct objects_list *list)
{
    while (list->oldest != NULL)
        objects_list_drop(list, &list->oldest);
    list->claim_count = 0;
    list->covered = 0;
}

static uint64_t objects_list_mix(uint64_t value, uint64_t kind)
{
    value = (value ^ (kind << 62)) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

uint64_t objects_list_hash(const struct objects_list *list, bool stream, uint64_t at)
{
    uint64_t hash = stream && list->covered > at ? objects_list_mix(list->covered, 1) : 0;

    for (const struct objects_one *one = list->oldest; one != NULL; one = one->next)
        hash += objects_list_mix(one->in.start, 2);
    for (uint32_t i = 0; i < list->claim_count; i++)
        if (list->claims[i] >= at)
            hash += objects_list_mix(list->claims[i], 3);
    return hash;
}

struct objects_one *objects_list_drop(struct objects_list *list, struct objects_one **link)
{
    struct objects_one *one = *link;

    *link = one->next;
    if (one->next == NULL)
        list->youngest_end = link;
    list->count--;
    one->next = list->spare;
    list->spare = one;
    return one;
}

/* Up to where an object that is right up to image offset end is sure to reach: the last frame may
 * go over into another file's sector. */
static uint64_t objects_list_sure(uint64_t end, bool complete)
{
    return complete ? end : end - end % LIMIT_SECTOR;
}

void objects_list_cover(struct objects_list *list, uint64_t end, bool complete)
{
    const uint64_t sure = objects_list_sure(end, complete);

    if (list->covered < sure)
        list->covered = sure;
}

enum err_code objects_list_claim(struct objects_list *list, struct sig_input *in, struct err *err)
{
    const enum err_code rc = objects_list_room(list, in->claim_count, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; i < in->claim_count; i++)
        list->claims[list->claim_count++] = in->start + in->claims[i];
    in->claim_count = 0;
    return ERR_OK;
}

bool objects_list_claimed(struct objects_list *list, uint64_t at)
{
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

bool objects_list_covers(const struct objects_list *list, uint64_t at)
{
    bool covered = at < list->covered;

    for (const struct objects_one *one = list->oldest; !covered && one != NULL; one = one->next)
        covered =
            at > one->in.start && at < objects_list_sure(one->in.start + one->in.valid, false);
    return covered;
}
