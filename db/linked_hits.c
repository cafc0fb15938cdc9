/* SPDX-License-Identifier: Apache-2.0
 * db/linked_hits.c - reads hits and objects from a shard: see linked.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hit_saved.h"
#include "db/bind.h"
#include "db/files.h"
#include "db/linked.h"
#include "db/row.h"
#include "db/sha256.h"

enum { LINKED_PATH = PATH_MAX + 32 };

/* Where hits stand. */
struct linked_place {
    uint32_t shard;
    uint64_t at, len;
    char sha256[DB_SHA256_HEX + 1];
    char path[LINKED_PATH];
};

/* Room for so many bytes. */
static enum err_code hits_room(uint8_t **bytes, size_t *room, size_t len, struct err *err)
{
    if (len <= *room)
        return ERR_OK;
    uint8_t *grown = realloc(*bytes, len);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, len);
    *bytes = grown;
    *room = len;
    return ERR_OK;
}

/* What is to be done about a shard that is not what it was. */
static enum err_code hits_refuse(const struct linked *linked, const struct linked_place *place,
                                 const char *why, struct err *err)
{
    char name[DB_FILE_NAME_MAX];

    db_file_name(linked->db->path, DB_FILE_SHARDS, name);
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: %s; hits and objects of part %" PRIu32
                     " are in it: put the shard there that was linked, write the path of the "
                     "folder that has it into %s, or merge again with --force",
                     place->path, why, place->shard, name);
}

static enum err_code hits_place(struct linked *linked, const struct linked_span *span,
                                struct linked_place *place, struct linked_hits *out,
                                struct err *err)
{
    struct db_case *db = linked->db;
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_LINKED_GET,
                                  "SELECT first_id, shard, at, len, sha256, left_out FROM linked "
                                  "WHERE first_id = ?",
                                  &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, span->first_id);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading where hits are", err) : bind.rc;
    if (rc != ERR_OK || !found)
        return rc == ERR_OK ? db_damaged(db, err, "a row of the table linked is gone") : rc;
    struct row row = row_init(db, stmt, "linked", err);
    (void)row_id(&row, "first_id");
    place->shard = (uint32_t)row_int(&row, "shard", 0, UINT32_MAX);
    place->at = row_size(&row, "at");
    place->len = (uint64_t)row_int(&row, "len", 1, LINKED_LEN_MAX);
    snprintf(place->sha256, sizeof place->sha256, "%s", row_text(&row, "sha256", DB_SHA256_HEX));
    rc = row.rc;
    const void *bytes = rc == ERR_OK ? sqlite3_column_blob(stmt, row.at) : NULL;
    out->left_out_len = bytes != NULL ? (size_t)sqlite3_column_bytes(stmt, row.at) : 0;
    if (rc == ERR_OK)
        rc = hits_room(&out->left_out, &out->left_out_room, out->left_out_len, err);
    if (rc == ERR_OK && out->left_out_len > 0)
        memcpy(out->left_out, bytes, out->left_out_len);
    sqlite3_reset(stmt);
    return rc;
}

/* The bytes of the shard, as they were when it was linked. */
static enum err_code hits_bytes(const struct linked *linked, const struct linked_place *place,
                                int fd, struct linked_hits *out, struct err *err)
{
    char sha256[DB_SHA256_HEX + 1];
    struct stat st;
    uint64_t done = 0;
    ssize_t got = 1;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < place->len ||
        (uint64_t)st.st_size - place->len < place->at)
        return hits_refuse(linked, place, "is another file than the shard that was linked", err);
    enum err_code rc = hits_room(&out->bytes, &out->bytes_room, place->len, err);
    while (rc == ERR_OK && done < place->len && got > 0) {
        got = pread(fd, out->bytes + done, place->len - done, (off_t)(place->at + done));
        done += got > 0 ? (uint64_t)got : 0;
    }
    if (rc == ERR_OK && done < place->len)
        rc = ERR_RAISE(err, ERR_ENV, "%s: cannot be read: %s; look at the disk that it is on",
                       place->path, got < 0 ? strerror(errno) : "it became shorter");
    if (rc == ERR_OK)
        rc = db_sha256(out->bytes, place->len, sha256, err);
    return rc != ERR_OK || strcmp(sha256, place->sha256) == 0
               ? rc
               : hits_refuse(linked, place, "was changed, or is another shard", err);
}

/* A hit, which may be the header of an object. id 0: it is left out. */
static enum err_code hits_head(const struct hit *hit, int64_t id, struct linked_hits *out,
                               struct err *err)
{
    const enum err_code rc =
        grow_items(&out->heads, out->head_count, &out->head_room, sizeof *out->heads, err);

    if (rc == ERR_OK)
        out->heads[out->head_count++] = (struct linked_head){ id, hit->offset, hit->pattern };
    return rc;
}

/* A hit of the case. False: there are too many. */
static bool hits_add(const struct linked *linked, const struct hit *hit, uint32_t *made,
                     struct linked_hits *out)
{
    const struct linked_use *use = &linked->uses[hit->pattern];

    if (*made == out->span.hits)
        return false;
    out->items[*made] = (struct db_hit){ .id = out->span.first_id + *made,
                                         .image_id = linked->image_id,
                                         .signature_id = use->signature_id,
                                         .offset = hit->offset,
                                         .len = hit->len,
                                         .footer = use->footer };
    ++*made;
    return true;
}

/* The hits that the bytes are, but for those that are left out; left_out stands behind those. */
static enum err_code hits_unpack_hits(const struct linked *linked, struct unpack *in,
                                      struct unpack *left_out, struct linked_hits *out,
                                      struct err *err)
{
    const uint32_t count = unpack_count(in);
    const bool some = left_out->at < left_out->end;
    uint32_t gone = some ? linked->objects ? unpack_count(left_out) : UINT32_MAX : 0;
    uint32_t made = 0, skip = gone > 0 ? (uint32_t)unpack_number(left_out, count) : UINT32_MAX;
    struct hit_saved last = { 0 };
    enum err_code rc = ERR_OK;

    out->head_count = 0;
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        hit_saved_next(&last, INT64_MAX, linked->use_count, in);
        const bool skipped = i == skip;

        if (in->failed)
            break;
        if (linked->objects)
            rc = hits_head(&last.hit, skipped ? 0 : out->span.first_id + made, out, err);
        if (!skipped) {
            in->failed = !hits_add(linked, &last.hit, &made, out);
            continue;
        }
        /* Where objects do not stay in shards, only the end of the bytes ends the numbers. */
        const bool more = linked->objects ? --gone > 0 : left_out->at < left_out->end;
        skip = more ? i + 1 + (uint32_t)unpack_number(left_out, count) : UINT32_MAX;
    }
    out->last_offset = last.hit.offset;
    in->failed = in->failed || made != out->span.hits || (linked->objects && gone > 0);
    return rc;
}

/* *fits false: the bytes are something else. */
static enum err_code hits_unpack(const struct linked *linked, const struct linked_place *place,
                                 struct linked_hits *out, bool *fits, struct err *err)
{
    struct unpack in = { .at = out->bytes, .end = out->bytes + place->len };
    struct unpack left_out = { .at = out->left_out, .end = out->left_out + out->left_out_len };
    enum err_code rc = hits_unpack_hits(linked, &in, &left_out, out, err);

    if (rc == ERR_OK && linked->objects && !in.failed)
        rc = linked_objects_read(linked, &in, &left_out, out, err);
    *fits = unpack_whole(&in) && unpack_whole(&left_out);
    return rc;
}

static enum err_code linked_hits_read(const struct linked *linked, const struct linked_span *span,
                                      const struct linked_place *place, struct linked_hits *out,
                                      struct err *err)
{
    const int fd = open(place->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char why[128];
    bool fits = false;

    if (fd < 0) {
        snprintf(why, sizeof why, "cannot be opened: %s", strerror(errno));
        return hits_refuse(linked, place, why, err);
    }
    enum err_code rc = hits_bytes(linked, place, fd, out, err);
    close(fd);
    if (rc == ERR_OK && span->hits > out->room) {
        struct db_hit *grown = realloc(out->items, span->hits * sizeof *grown);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, span->hits * sizeof *grown);
        out->items = grown;
        out->room = span->hits;
    }
    if (rc != ERR_OK)
        return rc;
    out->span = *span;
    rc = hits_unpack(linked, place, out, &fits, err);
    if (rc == ERR_OK && fits)
        return ERR_OK;
    out->span.hits = 0;
    if (rc != ERR_OK)
        return rc;
    return db_damaged(linked->db, err, "row %" PRId64 " of the table linked and %s do not fit",
                      span->first_id, place->path);
}

enum err_code linked_read(struct linked *linked, const struct linked_span *span,
                          struct linked_hits *out, struct err *err)
{
    struct linked_place place = { 0 };
    char name[DB_FILE_NAME_MAX];

    out->span.hits = 0;
    db_file_name(linked->db->path, DB_FILE_SHARDS, name);
    if (linked->folder[0] == '\0')
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: does not say where the shards of the case file are: write the "
                         "absolute path of their folder into it",
                         name);
    enum err_code rc = hits_place(linked, span, &place, out, err);
    if (rc != ERR_OK)
        return rc;
    snprintf(place.path, sizeof place.path, "%s/%" PRIu32 ".part", linked->folder, place.shard);
    if (span->hits > place.len / HIT_SAVED_LEAST)
        return db_damaged(linked->db, err, "row %" PRId64 " of the table linked has too many hits",
                          span->first_id);
    return linked_hits_read(linked, span, &place, out, err);
}

void linked_hits_release(struct linked_hits *hits)
{
    free(hits->items);
    free(hits->heads);
    free(hits->objects);
    free(hits->by_place);
    free(hits->facts);
    free(hits->bytes);
    free(hits->left_out);
    *hits = (struct linked_hits){ 0 };
}
