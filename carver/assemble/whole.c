/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/whole.c - see whole.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/assemble/whole.h"
#include "carver/case/fact_pack.h"
#include "carver/case/record.h"
#include "carver/select/ids.h"
#include "signatures/crc64.h"

void whole_release(struct whole *whole)
{
    free(whole->runs);
    *whole = (struct whole){ 0 };
}

enum err_code whole_keep(struct whole *whole, const struct io_range *runs, uint32_t count,
                         uint64_t len, struct err *err)
{
    struct io_range *kept = malloc(count * sizeof *kept);
    uint32_t n = 0;

    if (kept == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *kept);
    for (uint32_t i = 0; i < count && len > 0; i++) {
        const uint64_t step = runs[i].len < len ? runs[i].len : len;

        if (n > 0 && kept[n - 1].offset + kept[n - 1].len == runs[i].offset)
            kept[n - 1].len += step;
        else
            kept[n++] = (struct io_range){ runs[i].offset, step };
        len -= step;
    }
    free(whole->runs);
    whole->runs = kept;
    whole->run_count = n;
    return ERR_OK;
}

static bool whole_exact(const struct whole *whole)
{
    return whole->proven && whole->start->sig->seam == SIG_SEAM_EXACT;
}

/*
 * Whether the object may have these bytes, of which an owner has some. What a living file has, is
 * its own. Else the file system's bytes go to nobody but a file whose every byte is proven: it may
 * have been deleted a moment ago, or the file system is wrong. A whole object may lie inside of one
 * piece of it, when it can be a part: the object is one that holds others, or is proven itself.
 */
static bool whole_may_have(const struct whole *whole, const struct io_range *run,
                           const struct ground_owned *owned, const struct owner *owner)
{
    if (owned->owner < 0) /* it was put together before */
        return false;
    if (whole->living)
        return true;
    if (owned->owner == GROUND_FILE_SYSTEM)
        return whole_exact(whole);
    if (owned->begin < run->offset || owned->end > run->offset + run->len)
        return owner != NULL && !owner->proven && whole->proven;
    return whole_exact(whole) || (whole->start->sig->flags & SIG_CONTAINER) != 0 ||
           (owner != NULL && !owner->proven && whole->proven);
}

static bool whole_may_have_run(const struct whole_tell *tell, const struct whole *whole,
                               const struct io_range *run)
{
    const struct ground *ground = tell->ground;
    const uint64_t end = run->offset + run->len;
    bool may = true;

    for (size_t i = ground_from(ground, run->offset);
         may && i < ground->count && ground->items[i].begin < end; i++) {
        const struct ground_owned *owned = &ground->items[i];

        if (owned->end > run->offset && owned->owner != whole->start->hit_id)
            may = whole_may_have(whole, run, owned,
                                 owners_find(tell->owners, owned->begin, owned->owner));
    }
    return may;
}

static bool whole_overlaps_told(const struct whole_tell *tell, const struct io_range *run)
{
    for (size_t i = 0; i < tell->told.count; i++)
        if (tell->told.items[i].begin < run->offset + run->len &&
            tell->told.items[i].end > run->offset)
            return true;
    return false;
}

bool whole_may(const struct whole_tell *tell, const struct whole *whole)
{
    const struct owner *before =
        owners_find(tell->owners, whole->start->offset, whole->start->hit_id);

    if (before != NULL && before->in_pieces) /* by an earlier run */
        return false;
    for (uint32_t i = 0; i < whole->run_count; i++) {
        const struct io_range *run = &whole->runs[i];

        if (unread_bytes(tell->unread, run->offset, run->len) > 0 ||
            whole_overlaps_told(tell, run) || !whole_may_have_run(tell, whole, run))
            return false;
    }
    return true;
}

enum err_code whole_sum(struct splice *splice, const struct whole *whole, uint64_t *sum,
                        struct err *err)
{
    enum err_code rc = splice_set(splice, whole->runs, whole->run_count, err);
    const uint64_t len = rc == ERR_OK ? splice_len(splice) : 0;

    *sum = 0;
    for (uint64_t at = 0; rc == ERR_OK && at < len;) {
        uint32_t have = 0;
        const uint8_t *bytes = splice->source.view(&splice->source, splice->start + at, 1, &have);

        if (bytes == NULL)
            return splice_error(splice, err);
        *sum = crc64_add(*sum, bytes, have);
        at += have;
    }
    return rc;
}

/* Whether the owner, which begins before `end` in a piece, is a whole file in it. */
static bool whole_is_inside(const struct owner *owner, uint64_t end)
{
    return owner->complete && !owner->in_pieces && owner->offset + owner->len <= end;
}

/* Owners that are themselves bytes of the piece: that begin in it, and are not inside. */
static enum err_code whole_find_parts(const struct whole_tell *tell, const struct whole *whole,
                                      const struct io_range *run, struct ids *parts,
                                      struct err *err)
{
    const uint64_t end = run->offset + run->len;
    const struct owners *owners = tell->owners;
    enum err_code rc = ERR_OK;

    for (size_t i = owners_from(owners, run->offset);
         rc == ERR_OK && i < owners->count && owners->items[i].offset < end; i++) {
        const struct owner *owner = &owners->items[i];

        if (owner->id != whole->start->hit_id && !owner->in_pieces && !whole_is_inside(owner, end))
            rc = ids_add(parts, owner->id, err);
    }
    ids_settle(parts);
    return rc;
}

/* What lies in a piece is the object's: whole files in it are its children, or those of its
 * children; all else is itself. */
static enum err_code whole_tell_inside(struct whole_tell *tell, const struct whole *whole,
                                       const struct io_range *run, struct err *err)
{
    const uint64_t end = run->offset + run->len;
    const struct owners *owners = tell->owners;
    struct ids parts = { 0 };
    enum err_code rc = whole_find_parts(tell, whole, run, &parts, err);

    for (size_t i = owners_from(owners, run->offset);
         rc == ERR_OK && i < owners->count && owners->items[i].offset < end; i++) {
        const struct owner *owner = &owners->items[i];
        const bool inside = whole_is_inside(owner, end);

        if (owner->id == whole->start->hit_id || owner->in_pieces ||
            (inside && owner->parent_id != 0 && !ids_has(&parts, owner->parent_id)))
            continue;
        rc = told_assembled(tell->rows,
                            &(struct db_assembled){ .object_id = owner->id,
                                                    .parent_id = whole->start->hit_id,
                                                    .part = !inside },
                            err);
    }
    ids_close(&parts);
    return rc;
}

static enum err_code whole_note_seams(struct whole_tell *tell, const struct whole *whole,
                                      struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 1; rc == ERR_OK && i < whole->run_count; i++)
        rc = seams_add(&tell->seams,
                       &(struct seam){ .first = whole->runs[0].offset,
                                       .end = whole->runs[i - 1].offset + whole->runs[i - 1].len,
                                       .begin = whole->runs[i].offset },
                       err);
    return rc;
}

/* The facts of all of it, as rows: out[SIG_FACTS_MAX]. The splice shows the object. */
static enum err_code whole_facts(struct whole_tell *tell, const struct whole *whole,
                                 struct db_fact *out, uint32_t *count, struct err *err)
{
    const uint64_t len = splice_len(tell->splice);

    sig_facts_read(whole->start->sig, whole->type, &tell->splice->source, tell->splice->start, len,
                   tell->facts);
    *count = fact_rows(tell->facts, len, out);
    return splice_error(tell->splice, err);
}

static enum err_code whole_store(struct whole_tell *tell, const struct whole *whole,
                                 struct err *err)
{
    struct db_extent *extents = calloc(whole->run_count, sizeof *extents);
    struct db_join *joins = calloc(whole->run_count, sizeof *joins);
    struct db_fact facts[SIG_FACTS_MAX];
    char name[RECORD_NAME_MAX];
    uint64_t at = 0, sum = 0;
    uint32_t fact_count = 0;

    if (extents == NULL || joins == NULL) {
        free(extents);
        free(joins);
        return ERR_NO_MEMORY(err, whole->run_count * sizeof *joins);
    }
    for (uint32_t i = 0; i < whole->run_count; i++) {
        extents[i] = (struct db_extent){ whole->runs[i].offset, whole->runs[i].len };
        if (i > 0)
            joins[i - 1] = (struct db_join){ .at = at,
                                             .kind = whole->kind,
                                             .bits = whole->bits,
                                             .tried = whole->tried,
                                             .text = whole->text };
        at += whole->runs[i].len;
    }
    enum err_code rc = whole_sum(tell->splice, whole, &sum, err);
    if (rc == ERR_OK)
        rc = whole_facts(tell, whole, facts, &fact_count, err);
    record_name(name, whole->type, whole->runs[0].offset);
    const struct db_assembled row = { .object_id = whole->start->hit_id,
                                      .pieces = true,
                                      .added = !whole->start->object,
                                      .image_id = tell->image_id,
                                      .signature_id = whole->start->signature_id,
                                      .container = (whole->start->sig->flags & SIG_CONTAINER) != 0,
                                      .name = name,
                                      .type = whole->type->name,
                                      .extension = whole->type->extension,
                                      .state = "fragmented",
                                      .reason = whole->why,
                                      .proven = whole->proven,
                                      .has_crc64 = true,
                                      .crc64 = sum,
                                      .extents = extents,
                                      .extent_count = whole->run_count,
                                      .joins = joins,
                                      .facts = facts,
                                      .fact_count = fact_count };
    if (rc == ERR_OK)
        rc = told_assembled(tell->rows, &row, err);
    free(extents);
    free(joins);
    return rc;
}

enum err_code whole_tell(struct whole_tell *tell, const struct whole *whole, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (whole->start == NULL || whole->run_count < 2 || !whole_may(tell, whole))
        return ERR_OK;
    rc = whole_store(tell, whole, err);
    if (rc == ERR_OK)
        rc = whole_note_seams(tell, whole, err);
    for (uint32_t i = 0; rc == ERR_OK && i < whole->run_count; i++) {
        const struct io_range *run = &whole->runs[i];

        rc = whole_tell_inside(tell, whole, run, err);
        if (rc == ERR_OK)
            rc = ground_add_piece(&tell->told, run->offset, run->offset + run->len,
                                  whole->runs[0].offset, -whole->start->hit_id, err);
    }
    tell->count += rc == ERR_OK;
    return rc;
}
