/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_objects.c - see known_objects.h. */
#include <string.h>

#include "carver/cli/interrupt.h"
#include "carver/known/known_crew.h"
#include "carver/known/known_objects.h"

#define OBJECTS_STOPPED "what was found so far is in the case file"

struct hash_objects {
    const struct known_scan *scan;
    const struct known_objects_options *options;
    struct known_totals *totals;
    struct db_case *db;
    uint32_t kinds; /* of hashes that the sets have */
    struct known_crew *crew;
    uint64_t bytes, budget, done;
};

static enum db_known hash_verdict(enum known_verdict verdict)
{
    return verdict == KNOWN_BAD    ? DB_KNOWN_BAD
           : verdict == KNOWN_GOOD ? DB_KNOWN_GOOD
                                   : DB_KNOWN_LISTED;
}

/* Writes what the sets say about one object. */
static enum err_code hash_settle(struct hash_objects *hash, const struct known_task *task,
                                 struct err *err)
{
    enum db_known known = DB_KNOWN_UNKNOWN;
    char hex[2 * DIGEST_MAX + 1] = "";
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < hash->scan->count; i++) {
        const struct known_set *set = &hash->scan->sets[i];
        const uint8_t *digest = task->digests[set->about.hash];
        struct known_found found;

        if (set->about.block_len != 0 || !known_set_find(set, digest, &found))
            continue;
        known_hex(digest, set->digest_len, hex);
        rc = db_known_object_add(hash->db, task->id, hash->scan->ids[i], hex, found.name, err);
        if (hash_verdict(set->about.verdict) > known)
            known = hash_verdict(set->about.verdict);
    }
    uint64_t *const counts[] = { NULL, &hash->totals->unknown, &hash->totals->listed,
                                 &hash->totals->good, &hash->totals->bad };
    const bool sha256 = (hash->kinds >> DIGEST_SHA256 & 1) != 0;
    if (sha256)
        known_hex(task->digests[DIGEST_SHA256], KNOWN_SHA256, hex);
    if (rc == ERR_OK && !known_scan_wants(hash->scan, false))
        return db_object_set_sha256(hash->db, task->id, hex, err);
    ++*counts[known];
    return rc == ERR_OK ? db_object_set_known(hash->db, task->id, known, sha256 ? hex : NULL, err)
                        : rc;
}

/* Hashes the objects that were gathered, and writes down what is known of them. */
static enum err_code hash_flush(struct hash_objects *hash, struct err *err)
{
    uint32_t count = 0;
    enum err_code rc = known_crew_run(hash->crew, err);
    const struct known_task *tasks = known_crew_tasks(hash->crew, &count);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = hash_settle(hash, &tasks[i], err);
    hash->done += count;
    known_crew_clear(hash->crew);
    hash->options->tick(hash->options->tick_arg, hash->bytes, hash->done);
    return rc;
}

/* The hashes of an object in one piece may be known already. */
static enum err_code hash_find(struct hash_objects *hash, const struct db_object *object,
                               struct known_task *task, struct err *err)
{
    const struct db_extent *extent = object->extents;
    enum err_code rc = ERR_OK;

    if (hash->options->find == NULL || object->extent_count != 1)
        return ERR_OK;
    rc = hash->options->find(hash->options->find_arg, extent->offset, extent->len, hash->kinds,
                             task->digests, &task->had, err);
    hash->totals->had += task->had;
    return rc;
}

static enum err_code hash_take(struct hash_objects *hash, const struct db_object *object,
                               struct err *err)
{
    struct known_task *task = NULL;

    if (object->len > hash->budget - hash->bytes) {
        hash->totals->skipped++;
        return ERR_OK;
    }
    enum err_code rc =
        known_crew_add(hash->crew, object->id, object->extents, object->extent_count, &task, err);
    if (rc == ERR_OK)
        rc = hash_find(hash, object, task, err);
    hash->bytes += object->len;
    return rc == ERR_OK && known_crew_full(hash->crew) ? hash_flush(hash, err) : rc;
}

enum err_code known_objects_look_up(const struct known_scan *scan, struct db_case *db,
                                    const struct known_objects_options *options,
                                    struct known_totals *totals, struct err *err)
{
    const uint64_t size = io_image_size(options->image);
    struct hash_objects hash = { .scan = scan,
                                 .options = options,
                                 .totals = totals,
                                 .db = db,
                                 .kinds = known_scan_kinds(scan),
                                 .budget = size < UINT64_MAX / KNOWN_READ_SHARE
                                               ? size * KNOWN_READ_SHARE
                                               : UINT64_MAX };
    struct db_object_cursor *cursor = NULL;
    struct db_object object;
    bool found = true;

    if (options->sha256)
        hash.kinds |= 1u << DIGEST_SHA256;
    const struct known_crew_options crew = { .image = options->image,
                                             .kinds = hash.kinds,
                                             .threads = options->threads,
                                             .stopped = OBJECTS_STOPPED };
    enum err_code rc = known_crew_open(&crew, &hash.crew, err);
    if (rc == ERR_OK)
        rc = db_objects_open(db, options->image_id, &cursor, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK && found)
        rc = interrupt_requested()
                 ? ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request; " OBJECTS_STOPPED)
                 : hash_take(&hash, &object, err);
    if (rc == ERR_OK)
        rc = hash_flush(&hash, err);
    db_objects_close(cursor);
    known_crew_close(hash.crew);
    return rc;
}
