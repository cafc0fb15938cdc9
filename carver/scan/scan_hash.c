/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_hash.c - see scan_hash.h. */
#include "carver/scan/scan_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/cli/print_safe.h"

enum { SCAN_HASH_TEXT = 300 };

#define SCAN_HASH_TREE "tree" /* the kind of a tree hash */

uint32_t scan_hash_kinds(const struct scan_job *job, const struct io_image *image)
{
    uint32_t kinds = job->hash_kinds & ~(uint32_t)IMAGE_HASH_STORED;

    for (int i = 0; (job->hash_kinds & IMAGE_HASH_STORED) != 0 && i < DIGEST_KINDS; i++)
        if (io_image_stored_hash(image, midstate_name((enum digest_kind)i)) != NULL)
            kinds |= 1u << i;
    const bool none = (kinds & ~(uint32_t)IMAGE_HASH_TREE) == 0;
    return none && (job->hash_kinds & IMAGE_HASH_STORED) != 0 ? kinds | 1u << DIGEST_SHA256 : kinds;
}

enum scan_hash_answer { SCAN_HASH_NONE, SCAN_HASH_VERIFIED, SCAN_HASH_MISMATCH };

/* Whether the container has the same hash, in a sentence. */
static enum scan_hash_answer scan_hash_compare(const struct io_image *image,
                                               const struct image_hash_result *result, int kind,
                                               char text[SCAN_HASH_TEXT])
{
    const char *name = midstate_name((enum digest_kind)kind);
    const char *stored = io_image_stored_hash(image, name);

    text[0] = '\0';
    if ((result->kinds >> kind & 1) == 0 || stored == NULL)
        return SCAN_HASH_NONE;
    const bool same = strcmp(stored, result->digests[kind]) == 0;

    if (same)
        snprintf(text, SCAN_HASH_TEXT, "the %s of the medium is the one that the image has: %s",
                 name, stored);
    else
        snprintf(text, SCAN_HASH_TEXT,
                 "the %s of the medium is %s, and the image says %s: its bytes are not those that "
                 "were acquired",
                 name, result->digests[kind], stored);
    return same ? SCAN_HASH_VERIFIED : SCAN_HASH_MISMATCH;
}

static enum err_code scan_hash_record_tree(struct db_case *db, const struct scan_ids *ids,
                                           const struct image_hash_result *result, struct err *err)
{
    const struct db_image_hash row = { .image_id = ids->image,
                                       .run_id = ids->run,
                                       .kind = SCAN_HASH_TREE,
                                       .digest = result->root,
                                       .bytes = result->bytes,
                                       .filled = result->filled };
    enum err_code rc = ERR_OK;

    if ((result->kinds & IMAGE_HASH_TREE) == 0)
        return ERR_OK;
    if (result->leaf_count > 0)
        rc = db_leaves_add(db, ids->image, ids->scan, result->leaf_first, result->leaves,
                           result->leaf_count, err);
    return rc == ERR_OK ? db_image_hash_add(db, &row, err) : rc;
}

enum err_code scan_hash_record(struct db_case *db, const struct io_image *image,
                               const struct scan_ids *ids, const struct image_hash_result *result,
                               struct err *err)
{
    char text[SCAN_HASH_TEXT];
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < DIGEST_KINDS; i++) {
        const struct db_image_hash row = { .image_id = ids->image,
                                           .run_id = ids->run,
                                           .kind = midstate_name((enum digest_kind)i),
                                           .digest = result->digests[i],
                                           .bytes = result->bytes,
                                           .filled = result->filled };

        if ((result->kinds >> i & 1) == 0)
            continue;
        rc = db_image_hash_add(db, &row, err);
        const enum scan_hash_answer answer = scan_hash_compare(image, result, i, text);
        if (rc == ERR_OK && answer != SCAN_HASH_NONE)
            rc = db_log(db, ids->run, answer == SCAN_HASH_VERIFIED ? "verified" : "mismatch", text,
                        err);
    }
    return rc == ERR_OK ? scan_hash_record_tree(db, ids, result, err) : rc;
}

void scan_hash_tell(const struct scan_job *job, const struct scan_done *done,
                    enum exit_status *status)
{
    const struct image_hash_result *result = &done->totals->hash;
    char text[SCAN_HASH_TEXT];

    for (int i = 0; i < DIGEST_KINDS; i++) {
        const enum scan_hash_answer answer = scan_hash_compare(done->image, result, i, text);

        if (answer == SCAN_HASH_MISMATCH)
            *status = EXIT_PARTLY;
        if (answer == SCAN_HASH_MISMATCH ||
            (answer == SCAN_HASH_VERIFIED && !job->how->quiet && !job->how->json))
            print_safe_line(stderr, "burin: %s: %s: %s", job->command, done->path, text);
    }
    if (result->kinds != 0 && result->filled > 0)
        print_safe_line(stderr,
                        "burin: %s: %s: the hash%s of the image %s not that of the medium: zeros "
                        "stand in it for %" PRIu64 " byte%s",
                        job->command, done->path,
                        __builtin_popcount(result->kinds) == 1 ? "" : "es",
                        __builtin_popcount(result->kinds) == 1 ? "is" : "are", result->filled,
                        plural_s(result->filled));
}

void scan_hash_print(const struct scan_done *done)
{
    const struct image_hash_result *result = &done->totals->hash;

    for (int i = 0; i < DIGEST_KINDS; i++)
        if ((result->kinds >> i & 1) != 0)
            print_safe_line(stderr, "%s: %s %s", done->path, midstate_name((enum digest_kind)i),
                            result->digests[i]);
    if ((result->kinds & IMAGE_HASH_TREE) != 0)
        print_safe_line(stderr, "%s: " SCAN_HASH_TREE " %s", done->path, result->root);
}

static void scan_hash_json_one(struct json *json, const char *kind, const char *digest,
                               uint64_t filled, const char *stored)
{
    json_open_object(json, NULL);
    json_string(json, "kind", kind);
    json_string(json, "digest", digest);
    json_uint(json, "filled", filled);
    json_string(json, "stored", stored);
    json_close_object(json);
}

void scan_hash_json(const struct scan_done *done, struct json *json)
{
    static const char *const words[] = { NULL, "verified", "mismatch" };
    const struct image_hash_result *result = &done->totals->hash;
    char text[SCAN_HASH_TEXT];

    if (result->kinds == 0)
        return;
    json_open_array(json, "hashes");
    for (int i = 0; i < DIGEST_KINDS; i++)
        if ((result->kinds >> i & 1) != 0)
            scan_hash_json_one(json, midstate_name((enum digest_kind)i), result->digests[i],
                               result->filled,
                               words[scan_hash_compare(done->image, result, i, text)]);
    if ((result->kinds & IMAGE_HASH_TREE) != 0)
        scan_hash_json_one(json, SCAN_HASH_TREE, result->root, result->filled, NULL);
    json_close_array(json);
}
