/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/part_hashes.c - see part_hashes.h. */
#include "carver/scan/part_hashes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "carver/known/known_crew.h"
#include "carver/known/known_objects.h"

struct part_hasher {
    struct known_crew *crew;
    uint32_t kinds;
    uint64_t longest, left; /* bytes of an object, and of all that is still read, at most */
};

void part_hashes_release(struct part_hashes *hashes)
{
    free(hashes->items);
    *hashes = (struct part_hashes){ 0 };
}

static enum err_code hashes_add(struct part_hashes *hashes, const struct part_hash *item,
                                struct err *err)
{
    const enum err_code rc =
        grow_items(&hashes->items, hashes->count, &hashes->room, sizeof *hashes->items, err);

    if (rc == ERR_OK)
        hashes->items[hashes->count++] = *item;
    return rc;
}

void part_hashes_save(const struct part_hashes *hashes, struct pack *out)
{
    uint64_t last = 0;

    pack_number(out, hashes->kinds);
    pack_number(out, hashes->count);
    for (uint32_t i = 0; i < hashes->count; i++) {
        const struct part_hash *item = &hashes->items[i];

        pack_number(out, item->offset - last);
        pack_number(out, item->len);
        last = item->offset;
        for (uint32_t kind = 0; kind < DIGEST_KINDS; kind++)
            if ((hashes->kinds >> kind & 1) != 0)
                pack_bytes(out, item->digests[kind], digest_len((enum digest_kind)kind));
    }
}

enum err_code part_hashes_restore(struct unpack *in, uint64_t end, struct part_hashes *out,
                                  struct err *err)
{
    out->kinds = (uint32_t)unpack_number(in, (1u << DIGEST_KINDS) - 1);
    out->count = 0;
    const uint32_t count = unpack_count(in);
    struct part_hash item = { 0 };
    enum err_code rc = ERR_OK;

    in->failed = in->failed || (count > 0 && out->kinds == 0);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        const uint64_t more = unpack_number(in, end - item.offset);
        const uint64_t before = item.len;

        item.offset += more;
        item.len = unpack_number(in, end - item.offset);
        in->failed = in->failed || (i > 0 && more == 0 && item.len <= before);
        for (uint32_t kind = 0; kind < DIGEST_KINDS; kind++)
            if ((out->kinds >> kind & 1) != 0)
                unpack_bytes(in, item.digests[kind], digest_len((enum digest_kind)kind));
        if (!in->failed)
            rc = hashes_add(out, &item, err);
    }
    return rc;
}

static bool hashes_before(const void *item, uint64_t at)
{
    return ((const struct part_hash *)item)->offset < at;
}

const struct part_hash *part_hashes_find(const struct part_hashes *hashes, uint64_t offset,
                                         uint64_t len, uint32_t kinds)
{
    size_t at = bisect(hashes->items, hashes->count, sizeof *hashes->items, hashes_before, offset);

    if ((kinds & ~hashes->kinds) != 0)
        return NULL;
    while (at < hashes->count && hashes->items[at].offset == offset && hashes->items[at].len < len)
        at++;
    return at < hashes->count && hashes->items[at].offset == offset && hashes->items[at].len == len
               ? &hashes->items[at]
               : NULL;
}

enum err_code part_hasher_open(const struct known_scan *known, struct io_image *image,
                               uint32_t threads, uint64_t bytes, struct part_hasher **out,
                               struct err *err)
{
    const struct known_crew_options options = {
        .image = image,
        .kinds = known_scan_kinds(known),
        .threads = threads,
        .stopped = "nothing of the part is kept, and the same command scans it again",
    };

    *out = NULL;
    if (options.kinds == 0)
        return ERR_OK;
    struct part_hasher *hasher = calloc(1, sizeof *hasher);
    if (hasher == NULL)
        return ERR_NO_MEMORY(err, sizeof *hasher);
    hasher->kinds = options.kinds;
    hasher->longest = bytes;
    hasher->left = bytes < UINT64_MAX / KNOWN_READ_SHARE ? bytes * KNOWN_READ_SHARE : UINT64_MAX;
    *out = hasher;
    return known_crew_open(&options, &hasher->crew, err);
}

void part_hasher_close(struct part_hasher *hasher)
{
    if (hasher == NULL)
        return;
    known_crew_close(hasher->crew);
    free(hasher);
}

static int hashes_by_place(const void *a, const void *b)
{
    const struct part_hash *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

/* What is to be hashed, once each, as far as it may be read. */
static enum err_code hasher_choose(struct part_hasher *hasher, const struct found *found,
                                   struct part_hashes *out, struct err *err)
{
    uint32_t kept = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < found->object_count; i++)
        rc = hashes_add(
            out, &(struct part_hash){ found->objects[i].offset, found->objects[i].len, { { 0 } } },
            err);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, hashes_by_place);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct part_hash *item = &out->items[i];

        if ((kept > 0 && hashes_by_place(item, &out->items[kept - 1]) == 0) ||
            item->len > hasher->longest || item->len > hasher->left)
            continue;
        hasher->left -= item->len;
        out->items[kept++] = *item;
    }
    out->count = kept;
    return rc;
}

/* Hashes as many as the crew takes, from *at on. What could not be read is left out: another host
 * may be able to. */
static enum err_code hasher_batch(struct part_hasher *hasher, struct part_hashes *out, uint32_t *at,
                                  uint32_t *kept, struct err *err)
{
    struct known_task *task = NULL;
    uint32_t count = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = *at; rc == ERR_OK && i < out->count && !known_crew_full(hasher->crew); i++) {
        const struct db_extent extent = { out->items[i].offset, out->items[i].len };

        rc = known_crew_add(hasher->crew, i, &extent, 1, &task, err);
    }
    if (rc == ERR_OK)
        rc = known_crew_run(hasher->crew, err);
    task = known_crew_tasks(hasher->crew, &count);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        if (task[i].bad)
            continue;
        out->items[*kept] = out->items[*at + i];
        memcpy(out->items[*kept].digests, task[i].digests, sizeof task[i].digests);
        ++*kept;
    }
    *at += count;
    known_crew_clear(hasher->crew);
    return rc;
}

enum err_code part_hasher_take(struct part_hasher *hasher, const struct found *found,
                               struct part_hashes *out, struct err *err)
{
    uint32_t at = 0, kept = 0;

    out->kinds = hasher->kinds;
    out->count = 0;
    enum err_code rc = hasher_choose(hasher, found, out, err);
    while (rc == ERR_OK && at < out->count)
        rc = hasher_batch(hasher, out, &at, &kept, err);
    out->count = kept;
    return rc;
}
