/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/skip.c - see skip.h. */
#include <stdio.h>
#include <stdlib.h>

#include "carver/assemble/skip.h"

/* An owner that was skipped before this byte of the object. */
struct skip_owner {
    uint64_t at;
    int64_t id;
};

struct skip {
    const struct claim *claim;
    const struct ground *ground;
    struct io_range runs[SKIP_PIECES];
    uint32_t count;
    struct skip_owner owners[SKIP_PIECES];
    uint32_t owner_count;
    bool likely;                    /* what nothing proves is told, too */
    int64_t except[SKIP_TRIES + 1]; /* owners that do not count: the file itself first */
    uint32_t except_count;
};

/* The next free clusters, one run of them, from image offset *at on; false: there are no more. */
static bool skip_next(struct skip *skip, uint64_t *at, uint64_t end, struct io_range *run,
                      uint64_t done)
{
    const uint32_t unit = skip->claim->unit;
    const struct ground_owned *owned;

    for (; *at + unit <= end; *at += unit) {
        owned = ground_owner(skip->ground, *at, *at + unit, skip->except, skip->except_count);
        if (owned == NULL)
            break;
        if (owned->owner > 0 && skip->owner_count < SKIP_PIECES &&
            (skip->owner_count == 0 || skip->owners[skip->owner_count - 1].id != owned->owner))
            skip->owners[skip->owner_count++] = (struct skip_owner){ done, owned->owner };
        if (owned->end > *at + unit) /* as far as it goes */
            *at += (owned->end - *at - 1) / unit * unit;
    }
    if (*at + unit > end)
        return false;
    owned = ground_owner(skip->ground, *at, end, skip->except, skip->except_count);
    const uint64_t to = owned != NULL && owned->begin < end ? owned->begin : end;
    *run = (struct io_range){ *at, (to - *at) / unit * unit };
    *at += run->len;
    return run->len > 0;
}

/* The clusters of the file, if these owners were there before it. */
static bool skip_lay_out(struct skip *skip, uint64_t begin)
{
    const struct claim *claim = skip->claim;
    const uint64_t end = claim->area.offset + claim->area.len;
    uint64_t done = claim->unit, at = begin + claim->unit;
    bool wrapped = false;

    skip->owner_count = 0;
    skip->runs[0] =
        (struct io_range){ begin, claim->unit < claim->size ? claim->unit : claim->size };
    skip->count = 1;
    while (done < claim->size && skip->count < SKIP_PIECES) {
        struct io_range *last = &skip->runs[skip->count - 1], run;

        if (!skip_next(skip, &at, wrapped ? begin : end, &run, done)) {
            if (wrapped)
                return false;
            wrapped = true;
            at = claim->area.offset;
            continue;
        }
        if (run.len > claim->size - done)
            run.len = claim->size - done;
        done += run.len;
        if (last->offset + last->len == run.offset)
            last->len += run.len;
        else
            skip->runs[skip->count++] = run;
    }
    return done >= claim->size;
}

/* Leaves out the last owner that was skipped before the place where the validator stopped. */
static bool skip_fewer(struct skip *skip, uint64_t stopped)
{
    for (uint32_t i = skip->owner_count; i > 0; i--) {
        const struct skip_owner *owner = &skip->owners[i - 1];
        bool known = false;

        for (uint32_t k = 0; k < skip->except_count; k++)
            known = known || skip->except[k] == owner->id;
        if (owner->at <= stopped && !known && skip->except_count <= SKIP_TRIES) {
            skip->except[skip->except_count++] = owner->id;
            return true;
        }
    }
    return false;
}

static enum err_code skip_start(struct skip *skip, const struct start *start, struct trial *trial,
                                struct whole *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    const uint64_t before = trial->work;

    skip->except[0] = start->hit_id;
    skip->except_count = 1;
    for (uint32_t tries = 1;
         rc == ERR_OK && tries <= SKIP_TRIES && trial->work - before < SKIP_WORK; tries++) {
        struct sig_result result;

        if (!skip_lay_out(skip, start->offset))
            break;
        rc = trial_all(trial, start->sig, skip->runs, skip->count, &result, err);
        if (rc != ERR_OK)
            break;
        const bool proven = skip->claim->mapped || trial_proves(trial, &result) ||
                            (result.proven && start->sig->seam == SIG_SEAM_PLACES);
        if (result.verdict == SIG_COMPLETE && result.len == skip->claim->size &&
            (proven || skip->likely)) {
            out->start = start;
            out->type = trial_type(trial);
            out->proven = result.proven;
            out->kind = "skip-owned";
            out->why = result.why;
            out->tried = tries;
            out->wrong = proven ? 0 : SKIP_WRONG;
            out->bits = result.proven && start->sig->seam >= SIG_SEAM_UNIT ? WHOLE_EXACT_BITS : 20;
            snprintf(out->text, sizeof out->text,
                     "%s gives cluster and length; the free clusters behind it, in order",
                     skip->claim->text);
            return whole_keep(out, skip->runs, skip->count, result.len, err);
        }
        if (!skip_fewer(skip, trial->in.reached))
            break;
    }
    return rc;
}

/* Whether the file lies in one piece, as far as the scan can tell. */
static bool skip_is_whole(const struct claim *claim, uint64_t begin, const struct ground *ground)
{
    const struct ground_owned *owned = ground_owner(ground, begin, begin + 1, NULL, 0);

    return owned != NULL && owned->begin == begin && owned->end - begin == claim->size;
}

enum err_code skip_try(const struct claim *claim, const struct io_range *first,
                       const struct starts *starts, const struct ground *ground, bool likely,
                       struct trial *trial, struct whole *out, struct err *err)
{
    struct skip *skip;
    size_t count;
    const size_t at = starts_at(starts, first->offset, &count);
    enum err_code rc = ERR_OK;

    if (!claim->mapped && skip_is_whole(claim, first->offset, ground))
        return ERR_OK;
    if (!claim->open_end || claim->size == 0 || claim->size > SKIP_LEN_MAX || claim->unit == 0)
        return ERR_OK;
    skip = malloc(sizeof *skip);
    if (skip == NULL)
        return ERR_NO_MEMORY(err, sizeof *skip);
    skip->claim = claim;
    skip->ground = ground;
    skip->likely = likely;
    for (size_t i = at; rc == ERR_OK && out->start == NULL && i < at + count; i++) {
        uint32_t fixed;
        bool found;

        rc = trial_header(trial, starts->items[i].sig, first, 1, &found, &fixed, err);
        if (rc == ERR_OK && found)
            rc = skip_start(skip, &starts->items[i], trial, out, err);
    }
    free(skip);
    return rc;
}
