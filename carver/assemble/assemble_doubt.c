/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/assemble_doubt.c - see assemble_impl.h.
 *
 * A scan does not decode all that it takes for whole: a long scan of a JPEG is walked from marker
 * to marker, and bytes of another picture look like its own. Where a file breaks exactly where
 * another one of its kind begins, both may lie around each other, A B A B, and the second one has
 * the end of the first. Only such ones are read with all that can be proven.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/assemble_impl.h"
#include "carver/select/ids.h"

enum { DOUBTS_MOST = 4096 }; /* of an image */

struct doubts {
    struct assemble *a;
    size_t *owners; /* [count]: numbers of those that may not be whole */
    uint64_t *lens; /* [count]: bytes of each that are right; UINT64_MAX: all */
    size_t count;
    struct ids taken; /* those that are not whole */
};

/* The signature that found an object; NULL: none is known. */
static const struct sig *doubt_found(const struct assemble *a, const struct owner *owner)
{
    size_t count, i = starts_at(&a->starts, owner->offset, &count);

    for (const size_t behind = i + count; i < behind; i++)
        if (a->starts.items[i].hit_id == owner->id)
            return a->starts.items[i].sig;
    return NULL;
}

/* The same; NULL, too, if it is of a kind that nothing proves. */
static const struct sig *doubt_sig(const struct assemble *a, const struct owner *owner)
{
    const struct sig *sig = doubt_found(a, owner);

    return sig != NULL && sig->seam >= SIG_SEAM_UNIT ? sig : NULL;
}

/* Notes the whole objects that begin where this one breaks. */
static void doubt_behind(struct doubts *doubts, const struct owner *broken)
{
    const struct assemble *a = doubts->a;
    const uint64_t end = broken->offset + broken->len;
    const struct sig *sig = doubt_sig(a, broken);

    if (sig == NULL)
        return;
    for (size_t i = owners_from(&a->owners, end);
         i < a->owners.count && a->owners.items[i].offset == end && doubts->count < DOUBTS_MOST;
         i++) {
        const struct owner *owner = &a->owners.items[i];

        if (owner->complete && !owner->in_pieces && owner->parent_id == 0 &&
            doubt_sig(a, owner) == sig)
            doubts->owners[doubts->count++] = i;
    }
}

static enum err_code doubt_task(void *arg, size_t number, struct trial *trial, struct err *err)
{
    const struct doubts *doubts = arg;
    const struct owner *owner = &doubts->a->owners.items[doubts->owners[number]];
    const struct io_range run = { owner->offset, owner->len };
    struct sig_result result = { .why = "" };
    const enum err_code rc = trial_all(trial, doubt_sig(doubts->a, owner), &run, 1, &result, err);

    doubts->lens[number] =
        result.verdict == SIG_COMPLETE && result.len == owner->len ? UINT64_MAX : result.len;
    return rc;
}

/*
 * Whether a file whose end nothing marks only seems to be whole: it ends where what follows is no
 * part of it, and a file system clears the rest of a file's last cluster.
 */
static bool doubt_is_loose(const struct assemble *a, const struct owner *owner, uint32_t unit)
{
    if (unit <= LIMIT_SECTOR || !owner->complete || owner->proven || owner->in_pieces ||
        owner->parent_id != 0 || owner->ends_in_zeros || owner->len <= unit ||
        owner->len % LIMIT_SECTOR == 0)
        return false;
    const struct sig *sig = doubt_found(a, owner);
    return sig != NULL && (sig->flags & SIG_LOOSE_END) != 0;
}

/* It is not whole; what it owned is free when all have been looked at. */
static enum err_code doubt_take(struct doubts *doubts, struct owner *owner, struct err *err)
{
    owner->complete = false;
    return ids_add(&doubts->taken, owner->id, err);
}

static void doubts_free(struct doubts *doubts)
{
    struct ground *ground = &doubts->a->ground;
    size_t kept = 0;

    if (doubts->taken.count == 0)
        return;
    ids_settle(&doubts->taken);
    for (size_t i = 0; i < ground->count; i++)
        if (!ids_has(&doubts->taken, ground->items[i].owner))
            ground->items[kept++] = ground->items[i];
    ground->count = kept;
}

static enum err_code doubts_settle(struct doubts *doubts, struct err *err)
{
    struct assemble *a = doubts->a;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < doubts->count; i++) {
        struct owner *owner = &a->owners.items[doubts->owners[i]];

        if (doubts->lens[i] == UINT64_MAX)
            continue;
        owner->proven = false;
        owner->len = doubts->lens[i] < owner->len ? doubts->lens[i] : owner->len;
        rc = doubt_take(doubts, owner, err);
    }
    const uint32_t unit = islands_unit(&a->owners, &a->starts);
    for (size_t i = 0; rc == ERR_OK && i < a->owners.count; i++)
        if (doubt_is_loose(a, &a->owners.items[i], unit))
            rc = doubt_take(doubts, &a->owners.items[i], err);
    if (rc == ERR_OK)
        doubts_free(doubts);
    return rc;
}

enum err_code assemble_doubts(struct assemble *a, struct err *err)
{
    struct doubts doubts = { .a = a,
                             .owners = malloc(DOUBTS_MOST * sizeof *doubts.owners),
                             .lens = malloc(DOUBTS_MOST * sizeof *doubts.lens) };
    const struct tasks tasks = assemble_tasks(a, doubt_task, &doubts);
    enum err_code rc = doubts.owners != NULL && doubts.lens != NULL
                           ? ERR_OK
                           : ERR_NO_MEMORY(err, DOUBTS_MOST * sizeof *doubts.lens);

    for (size_t i = 0; rc == ERR_OK && i < a->owners.count; i++) {
        const struct owner *owner = &a->owners.items[i];

        if (!owner->complete && owner->parent_id == 0 && owner->len > 0 &&
            owner->len % LIMIT_SECTOR == 0)
            doubt_behind(&doubts, owner);
    }
    if (rc == ERR_OK && doubts.count > 0)
        rc = tasks_run(&tasks, doubts.count, &a->totals->work, err);
    if (rc == ERR_OK)
        rc = doubts_settle(&doubts, err);
    ids_close(&doubts.taken);
    free(doubts.owners);
    free(doubts.lens);
    return rc;
}
