/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_case.c - a case file, and the images it is about: see verify.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/carve_images.h"
#include "carver/case/confine.h"
#include "carver/case/sample.h"
#include "carver/verify/verify.h"

static enum err_code verify_pages(struct verify *verify, struct db_case *db, struct err *err)
{
    struct db_check pages;
    const enum err_code rc = db_check_pages(db, &pages, err);

    if (rc != ERR_OK)
        return rc;
    if (pages.whole)
        verify_say(verify, "%s: its pages and tables are whole", verify->path);
    else
        verify_say(verify, "%s: damaged: %s", verify->path, pages.text);
    if (verify->as_json) {
        json_string(&verify->json, "case", verify->path);
        json_string(&verify->json, "pages", pages.whole ? "whole" : pages.text);
    }
    verify->failed = verify->failed || !pages.whole;
    return ERR_OK;
}

static enum err_code verify_log(struct verify *verify, struct db_case *db, struct err *err)
{
    char hash[DB_SHA256_HEX + 1];
    int64_t broken = 0, last = 0;
    enum err_code rc = db_log_verify(db, &broken, err);

    if (rc == ERR_OK)
        rc = db_log_last(db, &last, hash, err);
    if (rc != ERR_OK)
        return rc;
    if (broken == 0)
        verify_say(verify,
                   "log: the chain of %" PRId64 " entries holds; the hash of the last one is %s",
                   last, hash);
    else
        verify_say(verify,
                   "log: the chain is broken at entry %" PRId64 " of %" PRId64
                   ": this entry or one before it was changed or removed",
                   broken, last);
    if (verify->as_json) {
        json_bool(&verify->json, "log_holds", broken == 0);
        if (broken != 0)
            json_int(&verify->json, "log_broken_at", broken);
        json_int(&verify->json, "log_last", last);
        json_string(&verify->json, "log_last_hash", hash);
    }
    verify->failed = verify->failed || broken != 0;
    return ERR_OK;
}

/* One that is there: it must be the one that was scanned. */
static enum err_code verify_bytes(struct verify *verify, struct db_case *db,
                                  const struct db_image *row, struct io_image *image,
                                  const char *path, struct err *err)
{
    struct sample_answer answer;
    const bool other = io_image_size(image) != row->size;
    enum err_code rc = other ? ERR_OK : sample_compare(db, row->id, image, &answer, err);

    if (rc != ERR_OK)
        return rc;
    if (other) {
        verify->failed = true;
        verify_say(verify,
                   "image %" PRId64 ": %s: has %" PRIu64 " bytes, and had %" PRIu64
                   " when it was scanned",
                   row->id, path, io_image_size(image), row->size);
    } else if (answer.changed > 0) {
        verify->failed = true;
        verify_say(verify,
                   "image %" PRId64 ": %s: %" PRIu32 " of %" PRIu32
                   " blocks of its fingerprint changed, the first at offset %" PRIu64,
                   row->id, path, answer.changed, answer.blocks, answer.first);
    } else {
        verify_say(verify,
                   "image %" PRId64 ": %s: the %" PRIu32 " blocks of its fingerprint are the same",
                   row->id, path, answer.blocks);
    }
    if (verify->as_json) {
        json_bool(&verify->json, "size_same", !other);
        json_uint(&verify->json, "fingerprint_blocks", other ? 0 : answer.blocks);
        json_uint(&verify->json, "fingerprint_changed", other ? 0 : answer.changed);
    }
    if (!other)
        rc = verify_objects(verify, db, row->id, image, path, err);
    return rc == ERR_OK && !other && verify->tree
               ? verify_tree(verify, db, row->id, image, path, err)
               : rc;
}

/* The hashes of the scan, and those of the container, of one image. */
struct verify_hashes {
    struct verify *verify;
    int64_t image_id;
    struct {
        char name[8], digest[DB_SHA256_HEX + 1];
    } stored[3];
    uint32_t stored_count;
};

static enum err_code verify_take_fact(void *arg, const char *name, const char *value,
                                      struct err *err)
{
    struct verify_hashes *hashes = arg;
    const uint32_t at = hashes->stored_count;

    (void)err;
    if ((strcmp(name, "md5") != 0 && strcmp(name, "sha1") != 0 && strcmp(name, "sha256") != 0) ||
        at == 3)
        return ERR_OK;
    snprintf(hashes->stored[at].name, sizeof hashes->stored[at].name, "%s", name);
    snprintf(hashes->stored[at].digest, sizeof hashes->stored[at].digest, "%.64s", value);
    hashes->stored_count++;
    return ERR_OK;
}

static enum err_code verify_take_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    struct verify_hashes *hashes = arg;
    struct verify *verify = hashes->verify;
    const char *stored = NULL;

    (void)err;
    for (uint32_t i = 0; i < hashes->stored_count; i++)
        if (strcmp(hashes->stored[i].name, hash->kind) == 0)
            stored = hashes->stored[i].digest;
    const bool same = stored != NULL && strcmp(stored, hash->digest) == 0;
    verify_say(verify, "image %" PRId64 ": %s %s%s%s", hashes->image_id, hash->kind, hash->digest,
               hash->filled > 0 ? " (zeros stand for bytes that could not be read)" : "",
               stored == NULL ? ""
               : same         ? ", the one that its container has"
                              : ", and its container has another one");
    verify->failed = verify->failed || (stored != NULL && !same);
    if (verify->as_json) {
        json_open_object(&verify->json, NULL);
        json_string(&verify->json, "kind", hash->kind);
        json_string(&verify->json, "digest", hash->digest);
        json_uint(&verify->json, "filled", hash->filled);
        json_string(&verify->json, "stored", stored);
        json_close_object(&verify->json);
    }
    return ERR_OK;
}

static enum err_code verify_hashes(struct verify *verify, struct db_case *db, int64_t image_id,
                                   struct err *err)
{
    struct verify_hashes hashes = { .verify = verify, .image_id = image_id };
    enum err_code rc = db_image_facts(db, image_id, verify_take_fact, &hashes, err);

    if (verify->as_json)
        json_open_array(&verify->json, "hashes");
    if (rc == ERR_OK)
        rc = db_image_hashes(db, image_id, verify_take_hash, &hashes, err);
    if (verify->as_json)
        json_close_array(&verify->json);
    return rc;
}

static enum err_code verify_one(struct verify *verify, struct db_case *db, int64_t id,
                                struct err *err)
{
    struct db_image row;
    struct io_image *image = NULL;
    char *path = NULL;
    enum err_code rc = db_image_get(db, id, &row, err);

    if (rc != ERR_OK)
        return rc;
    const bool elsewhere = verify->image_count != 0;
    path = strdup(elsewhere ? verify->images[id - 1] : row.path);
    if (path == NULL)
        return ERR_NO_MEMORY(err, strlen(row.path));
    const bool there = io_image_is_address(path) || access(path, F_OK) == 0;
    if (verify->as_json) {
        json_open_object(&verify->json, NULL);
        json_string(&verify->json, "path", path);
        json_bool(&verify->json, "there", there);
    }
    if (!there && !elsewhere)
        verify_say(verify,
                   "image %" PRId64
                   ": %s: not there, and not compared; --image PATH says where it is now",
                   id, path);
    else
        rc = carve_images_open_as(&row, path, elsewhere, &image, err);
    if (rc == ERR_OK && image != NULL)
        rc = verify_bytes(verify, db, &row, image, path, err);
    if (rc == ERR_OK)
        rc = verify_hashes(verify, db, id, err);
    if (verify->as_json)
        json_close_object(&verify->json);
    io_image_close(image);
    free(path);
    return rc;
}

/* What is read: the case file names its images. */
static enum err_code verify_confine(struct verify *verify, struct confine *confine,
                                    struct db_case *db, struct err *err)
{
    confine_open(confine, verify->no_jail, CONFINE_ALL);
    enum err_code rc = carve_images_confine(db, verify->images, verify->image_count, confine, err);
    confine_case(confine, verify->path);
    if (rc == ERR_OK)
        rc = confine_enter(confine, err);
    jail_rules_close(&confine->rules);
    return rc;
}

static enum err_code verify_images(struct verify *verify, struct db_case *db, uint32_t count,
                                   struct err *err)
{
    enum err_code rc = ERR_OK;

    if (verify->as_json)
        json_open_array(&verify->json, "images");
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = verify_one(verify, db, (int64_t)i + 1, err);
    if (verify->as_json)
        json_close_array(&verify->json);
    return rc;
}

/* Hits and objects that stay in shards: these must be there, and be what they were. */
static enum err_code verify_shards(struct verify *verify, struct db_case *db, struct err *err)
{
    const char *folder = NULL;
    uint64_t count = 0;

    db_link_folder(db, &folder);
    if (folder == NULL)
        return ERR_OK;
    const enum err_code rc = db_linked_check(db, &count, err);
    if (rc == ERR_OK)
        verify_say(verify,
                   "shards: the %" PRIu64
                   " hits, and the objects, that stay in %s are those of the merge",
                   count, folder);
    if (rc == ERR_OK && verify->as_json)
        json_uint(&verify->json, "hits_in_shards", count);
    return rc;
}

enum err_code verify_case(struct verify *verify, struct err *err)
{
    struct confine confine = { 0 };
    struct db_case *db = NULL;
    uint32_t count = 0;

    confine_open(&confine, verify->no_jail, CONFINE_WRITING);
    confine_reach(&confine, verify->images, verify->image_count);
    confine_case(&confine, verify->path);
    enum err_code rc = confine_enter(&confine, err);
    if (rc == ERR_OK)
        rc = db_case_open(verify->path, DB_READ, &db, err);
    if (rc == ERR_OK)
        rc = db_image_count(db, &count, err);
    if (rc == ERR_OK && verify->image_count != 0 && verify->image_count != count)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "--image is given %" PRIu32 " times, but the case has %" PRIu32
                       " images: name all, in order",
                       verify->image_count, count);
    if (rc == ERR_OK)
        rc = verify_confine(verify, &confine, db, err);
    if (rc == ERR_OK)
        rc = verify_pages(verify, db, err);
    if (rc == ERR_OK)
        rc = verify_log(verify, db, err);
    if (rc == ERR_OK)
        rc = verify_seal(verify, db, err);
    if (rc == ERR_OK)
        rc = verify_images(verify, db, count, err);
    if (rc == ERR_OK)
        rc = verify_shards(verify, db, err);
    db_case_close(db);
    return rc;
}
