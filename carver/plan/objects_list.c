/* carver/plan/objects_list.c - see objects_list.h. */
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

static struct objects_one *objects_list_take(struct objects_list *list, const struct sig *sig)
{
    struct objects_one *one = list->spare;

    if (one != NULL) {
        void *state = one->state;

        list->spare = one->next;
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

struct objects_one *objects_list_add(struct objects_list *list, const struct sig *sig)
{
    struct objects_one *one = objects_list_take(list, sig);

    if (one == NULL)
        return NULL;
    *list->youngest_end = one;
    list->youngest_end = &one->next;
    list->count++;
    return one;
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
