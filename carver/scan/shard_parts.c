/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_parts.c - see shard_parts.h. */
#include "carver/scan/shard_parts.h"

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

enum err_code shard_parts_add(struct shard_parts *s, struct shard_new *shard, struct part *part,
                              const struct plan_options *options, struct err *err)
{
    pack_clear(&s->bytes);
    enum err_code rc = part_save(part, options, &s->bytes, err);
    if (rc == ERR_OK)
        rc = shard_new_add(shard, &s->bytes, err);
    parts_count(s, part);
    return rc;
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
    *s = (struct shard_parts){ 0 };
}
