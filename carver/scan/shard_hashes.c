/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_hashes.c - see shard_hashes.h. */
#include "carver/scan/shard_hashes.h"

#include <stdlib.h>
#include <string.h>

#include "carver/scan/part_saved.h"
#include "carver/scan/shard_file.h"

struct shard_hashes {
    const struct shards *shards;
    uint64_t size;
    uint32_t number; /* of the shard that is open, or the next one */
    bool open;
    struct shard_file file; /* with open */
    char path[LIMIT_PATH];
    struct part_hashes last, now; /* of the two parts that were read last */
    uint64_t from;                /* image offset: where the second one begins */
};

enum err_code shard_hashes_open(const struct shards *shards, uint64_t size,
                                struct shard_hashes **out, struct err *err)
{
    struct shard_hashes *h = calloc(1, sizeof *h);

    *out = h;
    if (h == NULL)
        return ERR_NO_MEMORY(err, sizeof *h);
    h->shards = shards;
    h->size = size;
    return ERR_OK;
}

void shard_hashes_close(struct shard_hashes *h)
{
    if (h == NULL)
        return;
    if (h->open)
        shard_file_close(&h->file);
    part_hashes_release(&h->last);
    part_hashes_release(&h->now);
    free(h);
}

/* Opens the next shard that is there. */
static enum err_code hashes_enter(struct shard_hashes *h, struct err *err)
{
    const uint32_t count = shards_count(h->shards);

    while (h->number < count && shards_state(h->shards, h->number) != SHARD_WHOLE)
        h->number++;
    if (h->number == count)
        return ERR_OK;
    if (!shard_path(shards_folder(h->shards), h->number, h->path))
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", shards_folder(h->shards));
    h->open = true;
    const enum err_code rc = shard_file_open(h->path, &h->file, err);
    const char *differs =
        rc == ERR_OK ? shard_about_differs(&h->file.about, shards_about(h->shards)) : NULL;
    return differs == NULL
               ? rc
               : ERR_RAISE(err, ERR_INPUT, "%s: %s than it was before", h->path, differs);
}

/* Reads on by a part. */
static enum err_code hashes_next(struct shard_hashes *h, struct err *err)
{
    const struct part_hashes spare = h->last;
    size_t len = 0;
    bool right = false;
    enum err_code rc = h->open ? ERR_OK : hashes_enter(h, err);

    if (rc == ERR_OK && h->open)
        rc = shard_file_next(&h->file, &len, err);
    if (rc == ERR_OK && h->open && len == 0) {
        shard_file_close(&h->file);
        h->open = false;
        h->number++;
    }
    if (rc != ERR_OK || len == 0)
        return rc;
    h->last = h->now;
    h->now = spare;
    rc = part_restore_hashes(h->file.bytes, len, h->size, &h->from, &h->now, &right, err);
    return rc != ERR_OK || right
               ? rc
               : ERR_RAISE(err, ERR_INPUT, "%s: has changed: its hashes cannot be read", h->path);
}

enum err_code shard_hashes_find(void *arg, uint64_t offset, uint64_t len, uint32_t kinds,
                                uint8_t digests[DIGEST_KINDS][DIGEST_MAX], bool *found,
                                struct err *err)
{
    struct shard_hashes *h = arg;
    enum err_code rc = ERR_OK;

    /* The header of what begins near the end of a part may lie in the next one. */
    while (rc == ERR_OK && h->from <= offset && h->number < shards_count(h->shards))
        rc = hashes_next(h, err);
    const struct part_hash *hash = part_hashes_find(&h->now, offset, len, kinds);
    if (hash == NULL)
        hash = part_hashes_find(&h->last, offset, len, kinds);
    *found = rc == ERR_OK && hash != NULL;
    if (*found)
        memcpy(digests, hash->digests, sizeof hash->digests);
    return rc;
}
