/* SPDX-License-Identifier: Apache-2.0
 * db/linked.c - the tables link and linked: see linked.h. */
#include "db/linked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/pack.h"
#include "db/bind.h"
#include "db/files.h"
#include "db/references.h"
#include "db/row.h"

enum { LINKED_SIGNATURES_MAX = 1 << 20 };

/* What is read of the table link and of the signatures of its run. */
struct linked_reading {
    struct linked *linked;
    int64_t *ids; /* [count]: of signatures, by number */
    uint32_t count, room;
    uint8_t *patterns;
    size_t len;
};

static enum err_code linked_take_signature(void *arg, struct row *row)
{
    struct linked_reading *reading = arg;
    const int64_t number = row_int(row, "number", 0, LINKED_SIGNATURES_MAX - 1);
    const int64_t id = row_id(row, "id");

    if (row->rc != ERR_OK)
        return row->rc;
    if (number >= reading->room) {
        const uint32_t room = 2 * (uint32_t)number + 64;
        int64_t *grown = realloc(reading->ids, room * sizeof *grown);

        if (grown == NULL)
            return ERR_NO_MEMORY(row->err, room * sizeof *grown);
        memset(grown + reading->room, 0, (room - reading->room) * sizeof *grown);
        reading->ids = grown;
        reading->room = room;
    }
    reading->ids[number] = id;
    return ERR_OK;
}

static enum err_code linked_signatures(struct linked_reading *reading, struct err *err)
{
    struct db_case *db = reading->linked->db;
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, DB_SIGNATURE_NUMBERS, "SELECT number, id FROM signatures WHERE run_id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, reading->linked->run_id);
    return row_each(&bind, "signatures", "reading what was linked", linked_take_signature, reading);
}

/* The signatures that the patterns belong to. */
static enum err_code linked_uses(struct linked_reading *reading, struct err *err)
{
    struct linked *linked = reading->linked;
    struct unpack in = { .at = reading->patterns, .end = reading->patterns + reading->len };
    const uint32_t count = unpack_count(&in);
    enum err_code rc = linked_signatures(reading, err);

    if (rc != ERR_OK)
        return rc;
    in.failed = in.failed || count > DB_LINK_PATTERNS_MAX;
    linked->uses = in.failed ? NULL : calloc(count + 1u, sizeof *linked->uses);
    if (!in.failed && linked->uses == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *linked->uses);
    for (uint32_t i = 0; i < count && !in.failed; i++) {
        const uint64_t use = unpack_number(&in, 2 * (uint64_t)LINKED_SIGNATURES_MAX);
        const uint32_t number = (uint32_t)(use / 2);

        in.failed = in.failed || number >= reading->room || reading->ids[number] == 0;
        if (!in.failed)
            linked->uses[i] = (struct linked_use){ reading->ids[number], use % 2 != 0 };
    }
    linked->use_count = count;
    return unpack_whole(&in)
               ? ERR_OK
               : db_damaged(linked->db, err, "its table link says what cannot be of patterns");
}

static enum err_code linked_take_link(void *arg, struct row *row)
{
    struct linked_reading *reading = arg;
    struct linked *linked = reading->linked;

    if (linked->run_id != 0)
        row_damaged(row, "run_id", "a second row");
    linked->run_id = row_id(row, "run_id");
    linked->image_id = row_id(row, "image_id");
    if (row->rc != ERR_OK)
        return row->rc;
    const void *bytes = sqlite3_column_blob(row->stmt, row->at);
    const int len = sqlite3_column_bytes(row->stmt, row->at);

    reading->patterns = malloc((size_t)len + 1);
    if (reading->patterns == NULL)
        return ERR_NO_MEMORY(row->err, (size_t)len);
    if (len > 0 && bytes != NULL)
        memcpy(reading->patterns, bytes, (size_t)len);
    reading->len = bytes != NULL ? (size_t)len : 0;
    return ERR_OK;
}

static enum err_code linked_load(struct linked *linked, struct err *err)
{
    struct linked_reading reading = { .linked = linked };
    struct db_case *db = linked->db;
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_LINK_GET, "SELECT run_id, image_id, patterns FROM link", &stmt, err);

    if (rc == ERR_OK) {
        const struct bind bind = bind_init(db, stmt, err);

        rc = row_each(&bind, "link", "reading what was linked", linked_take_link, &reading);
    }
    if (rc == ERR_OK && linked->run_id != 0)
        rc = linked_uses(&reading, err);
    free(reading.patterns);
    free(reading.ids);
    return rc;
}

enum err_code linked_open(struct db_case *db, struct err *err)
{
    struct linked *linked = calloc(1, sizeof *linked);

    if (linked == NULL)
        return ERR_NO_MEMORY(err, sizeof *linked);
    linked->db = db;
    linked->stale = true;
    enum err_code rc = linked_load(linked, err);
    if (rc != ERR_OK || linked->run_id == 0) {
        linked_close(linked);
        return rc;
    }
    db_files_shards(db->path, linked->folder);
    db->linked = linked;
    return linked_table_make(linked, err);
}

void linked_close(struct linked *linked)
{
    if (linked == NULL)
        return;
    free(linked->uses);
    free(linked->spans);
    free(linked);
}

void db_link_folder(const struct db_case *db, const char **folder)
{
    *folder = db->linked != NULL ? db->linked->folder : NULL;
}

/* ---- the spans ---- */

static enum err_code linked_take_span(void *arg, struct row *row)
{
    struct linked *linked = arg;
    struct linked_span span = { .first_id = row_id(row, "first_id") };
    const struct linked_span *last =
        linked->span_count > 0 ? &linked->spans[linked->span_count - 1] : NULL;

    span.hits = (uint32_t)row_int(row, "hits", 1, LINKED_HITS_MAX);
    if (row->rc == ERR_OK &&
        (span.first_id > INT64_MAX - span.hits ||
         (last != NULL && span.first_id < last->first_id + (int64_t)last->hits)))
        row_damaged(row, "first_id", "of hits that stand in two places");
    if (row->rc != ERR_OK)
        return row->rc;
    const enum err_code rc = grow_items(&linked->spans, linked->span_count, &linked->span_room,
                                        sizeof *linked->spans, row->err);
    if (rc == ERR_OK)
        linked->spans[linked->span_count++] = span;
    return rc;
}

enum err_code linked_refresh(struct linked *linked, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc;

    if (!linked->stale)
        return ERR_OK;
    linked->span_count = 0;
    rc = db_prepare(linked->db, DB_LINKED_SPANS,
                    "SELECT first_id, hits FROM linked ORDER BY first_id", &stmt, err);
    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(linked->db, stmt, err);
    rc = row_each(&bind, "linked", "reading where hits are", linked_take_span, linked);
    linked->stale = rc != ERR_OK;
    return rc;
}

/* ---- writing ---- */

static enum err_code linked_write_folder(const struct db_case *db, const char *folder,
                                         struct err *err)
{
    char name[DB_FILE_NAME_MAX];

    db_file_name(db->path, DB_FILE_SHARDS, name);
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && dprintf(fd, "%s\n", folder) == (int)strlen(folder) + 1 && fsync(fd) == 0;
    const int cause = errno;

    if (fd >= 0 && close(fd) != 0)
        ok = false;
    return ok ? ERR_OK
              : ERR_RAISE(err, ERR_ENV,
                          "%s: cannot be written: %s; make room, or name another "
                          "case file with --case",
                          name, strerror(cause));
}

static enum err_code linked_put_link(struct db_case *db, const struct db_link *link,
                                     struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, DB_LINK_ADD,
        "INSERT INTO link (run_id, image_id, folder, patterns) VALUES (?, ?, ?, ?)", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, link->run_id);
    bind_int(&bind, link->image_id);
    bind_text(&bind, "the folder of shards", link->folder, DB_NAME_MAX);
    if (bind.rc == ERR_OK &&
        sqlite3_bind_blob64(stmt, ++bind.at, link->patterns, link->len, SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, link->len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "linking shards", err) : bind.rc;
}

enum err_code db_link_begin(struct db_case *db, const struct db_link *link, struct err *err)
{
    bool own;

    if (db->linked != NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: has hits that stay in shards already; name another case file with "
                         "--case, or merge without --link",
                         db->path);
    enum err_code rc = linked_write_folder(db, link->folder, err);
    if (rc == ERR_OK)
        rc = db_atom_begin(db, &own, err);
    if (rc == ERR_OK)
        rc = db_atom_end(db, own, linked_put_link(db, link, err), err);
    return rc == ERR_OK ? linked_open(db, err) : rc;
}

static enum err_code linked_put(struct db_case *db, const struct db_linked *linked, struct err *err)
{
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_LINKED_ADD,
                   "INSERT INTO linked (run_id, first_id, hits, shard, at, len, sha256, left_out) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, linked->run_id);
    bind_int(&bind, linked->first_id);
    bind_int(&bind, linked->hits);
    bind_int(&bind, linked->shard);
    bind_size(&bind, "the place of hits in a shard", linked->at);
    bind_size(&bind, "the length of hits in a shard", linked->len);
    bind_sha256(&bind, "the hash of hits in a shard", linked->sha256);
    if (bind.rc == ERR_OK && linked->left_out_len > 0 &&
        sqlite3_bind_blob64(stmt, ++bind.at, linked->left_out, linked->left_out_len,
                            SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, linked->left_out_len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "linking hits", err) : bind.rc;
}

enum err_code db_linked_add(struct db_case *db, const struct db_linked *linked, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    if (rc == ERR_OK)
        rc = db_atom_end(db, own, linked_put(db, linked, err), err);
    if (db->linked != NULL)
        db->linked->stale = true;
    return rc;
}

void db_linked_expect(struct db_case *db, int64_t first_id, int64_t last_id)
{
    db_refer_to_hits(db, first_id, last_id);
}

enum err_code db_linked_check(struct db_case *db, uint64_t *count, struct err *err)
{
    struct linked *linked = db->linked;
    struct linked_hits hits = { 0 };
    enum err_code rc = linked != NULL ? linked_refresh(linked, err) : ERR_OK;

    *count = 0;
    for (size_t i = 0; rc == ERR_OK && linked != NULL && i < linked->span_count; i++) {
        rc = linked_read(linked, &linked->spans[i], &hits, err);
        *count += linked->spans[i].hits;
    }
    linked_hits_release(&hits);
    return rc;
}
