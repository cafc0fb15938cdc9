/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_parts.c - see shard_parts.h. */
#include "carver/scan/shard_parts.h"

#include <stdlib.h>

#include "base/grow.h"
#include "carver/cli/about.h"
#include "carver/scan/part_saved.h"
#include "db/sha256.h"

/* Reads of the image that failed, however they were cut. */
static void parts_note_bad(struct shard_parts *s, const struct part *part)
{
    for (uint32_t i = 0; i < part->bad_count; i++) {
        const struct io_bad_range *bad = &part->bad[i];
        const uint64_t to = part->place.to;
        const uint64_t end = bad->offset + bad->len < to ? bad->offset + bad->len : to;

        if (bad->source != IO_BAD_READ || bad->offset >= to)
            continue;
        s->end.bad_bytes += end - bad->offset;
        if (bad->offset != s->bad_to || s->bad.len == 0) {
            pack_number(&s->bad, s->bad_to);
            pack_number(&s->bad, bad->offset);
        }
        s->bad_to = end;
    }
}

static void parts_count(struct shard_parts *s, const struct part *part)
{
    s->end.parts++;
    s->end.bytes += part->place.to - part->place.from;
    s->end.hits += part->found.hit_count;
    s->end.objects += part->found.object_count;
    parts_note_bad(s, part);
}

/* The part gets the CRCs at the ends that lie in it. */
static enum err_code parts_sums(const struct shard_parts *s, struct part *part, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < s->end_count; i++) {
        struct found_sum sum = { .at = s->ends[i] };

        if (sum.at <= part->place.from || sum.at >= part->place.to)
            continue;
        rc = sums_at(part->sums, sum.at, &sum.value, err);
        if (rc == ERR_OK)
            rc = found_add_sum(&part->found, &sum, err);
    }
    return rc;
}

/* Where objects end that go on behind the part, or behind an earlier one and still here. */
static enum err_code parts_ends(struct shard_parts *s, const struct part *part, struct err *err)
{
    size_t kept = 0;
    enum err_code rc = ERR_OK;

    for (size_t i = 0; i < s->end_count; i++)
        if (s->ends[i] > part->place.to)
            s->ends[kept++] = s->ends[i];
    s->end_count = kept;
    for (uint32_t i = part->own_count; rc == ERR_OK && i < part->found.object_count; i++) {
        const struct found_object *object = &part->found.objects[i];

        if (object->offset + object->len <= part->place.to)
            continue;
        rc = grow_items(&s->ends, s->end_count, &s->end_room, sizeof *s->ends, err);
        if (rc == ERR_OK)
            s->ends[s->end_count++] = object->offset + object->len;
    }
    return rc;
}

enum err_code shard_parts_add(struct shard_parts *s, struct shard_new *shard, struct part *part,
                              const struct plan_options *options, struct err *err)
{
    enum err_code rc = ERR_OK;

    pack_clear(&s->bytes);
    if (!options->hits_only)
        rc = parts_sums(s, part, err);
    if (rc == ERR_OK)
        rc = part_save(part, options, &s->bytes, err);
    if (rc == ERR_OK)
        rc = shard_new_add(shard, &s->bytes, err);
    parts_count(s, part);
    return rc == ERR_OK ? parts_ends(s, part, err) : rc;
}

enum err_code shard_parts_copy(struct shard_parts *s, struct shard_new *shard,
                               const struct part *part, const uint8_t *bytes, size_t len,
                               struct err *err)
{
    pack_clear(&s->bytes);
    pack_bytes(&s->bytes, bytes, len);
    parts_count(s, part);
    return shard_new_add(shard, &s->bytes, err);
}

static enum err_code parts_digest(struct shard_parts *s, struct err *err)
{
    if (s->bad.len == 0)
        return ERR_OK;
    pack_number(&s->bad, s->bad_to);
    if (s->bad.failed)
        return ERR_NO_MEMORY(err, s->bad.len);
    return db_sha256(s->bad.bytes, s->bad.len, s->end.bad_sha256, err);
}

enum err_code shard_parts_end(struct shard_parts *s, struct err *err)
{
    about_now(s->end.finished);
    return parts_digest(s, err);
}

void shard_parts_release(struct shard_parts *s)
{
    pack_release(&s->bytes);
    pack_release(&s->bad);
    free(s->ends);
    *s = (struct shard_parts){ 0 };
}
