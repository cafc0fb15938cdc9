/* SPDX-License-Identifier: Apache-2.0
 * db/linked.c - the tables link and linked: see linked.h. */
#include "db/linked_nested.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "db/bind.h"
#include "db/files.h"
#include "db/references.h"
#include "db/row.h"

/* What is read of the table link and of the signatures of its run. */
struct linked_reading {
    struct linked *linked;
    int64_t *ids; /* [room]: of signatures, by number */
    uint32_t room;
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
        rc = linked_signatures(&reading, err);
    if (rc == ERR_OK && linked->run_id != 0)
        rc = linked_kinds_read(linked, reading.patterns, reading.len, reading.ids, reading.room,
                               err);
    free(reading.patterns);
    free(reading.ids);
    return rc;
}

/* Makes the TEMP tables, and has all statements mean them. */
static enum err_code linked_show(struct linked *linked, struct err *err)
{
    struct db_case *db = linked->db;

    /* What refers to hits or objects would be looked for in the file's own tables. */
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    for (int i = 0; i < DB_STATEMENT_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    enum err_code rc = db_let_make(db, true, err);
    if (rc == ERR_OK)
        rc = linked_table_make(linked, err);
    if (rc == ERR_OK && linked->objects)
        rc = linked_objects_make(linked, err);
    if (rc == ERR_OK && linked->objects)
        rc = linked_nested_make(linked, err);
    return rc == ERR_OK ? db_let_make(db, false, err) : rc;
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
    return linked_show(linked, err);
}

void linked_close(struct linked *linked)
{
    if (linked == NULL)
        return;
    linked_forget(linked);
    free(linked->uses);
    free(linked->kinds);
    free(linked->types);
    free(linked->keys);
    free(linked->spans);
    free(linked);
}

void db_link_folder(const struct db_case *db, const char **folder)
{
    *folder = db->linked != NULL ? db->linked->folder : NULL;
}

/* ---- the spans ---- */

struct linked_taking {
    struct linked *linked;
    int64_t shard; /* of the span before; -1: there is none */
    uint64_t size; /* bytes of it; 0: it cannot be looked at */
};

/* A walk over rows may take as long as the bytes are many that they stand in. */
static uint64_t linked_size(struct linked_taking *taking, int64_t shard)
{
    char path[PATH_MAX + 32];
    struct stat st;

    if (shard == taking->shard)
        return taking->size;
    snprintf(path, sizeof path, "%s/%" PRId64 ".part", taking->linked->folder, shard);
    taking->shard = shard;
    taking->size = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    return taking->size;
}

static enum err_code linked_take_span(void *arg, struct row *row)
{
    struct linked_taking *taking = arg;
    struct linked *linked = taking->linked;
    struct linked_span span = { .first_id = row_id(row, "first_id") };
    const struct linked_span *last =
        linked->span_count > 0 ? &linked->spans[linked->span_count - 1] : NULL;

    span.hits = (uint32_t)row_int(row, "hits", 1, LINKED_HITS_MAX);
    const int64_t shard = row_int(row, "shard", 0, UINT32_MAX);
    const uint64_t len = (uint64_t)row_int(row, "len", 1, LINKED_LEN_MAX);
    if (row->rc == ERR_OK &&
        (span.first_id > INT64_MAX - span.hits ||
         (last != NULL && span.first_id < last->first_id + (int64_t)last->hits)))
        row_damaged(row, "first_id", "of hits that stand in two places");
    if (row->rc != ERR_OK)
        return row->rc;
    const enum err_code rc = grow_items(&linked->spans, linked->span_count, &linked->span_room,
                                        sizeof *linked->spans, row->err);
    if (rc != ERR_OK)
        return rc;
    linked->spans[linked->span_count++] = span;
    const uint64_t size = linked_size(taking, shard);
    linked->bytes += len < size ? len : size;
    return ERR_OK;
}

enum err_code linked_refresh(struct linked *linked, struct err *err)
{
    struct linked_taking taking = { .linked = linked, .shard = -1 };
    sqlite3_stmt *stmt;
    enum err_code rc;

    if (!linked->stale)
        return ERR_OK;
    linked_forget(linked);
    linked->span_count = 0;
    linked->bytes = 0;
    rc = db_prepare(linked->db, DB_LINKED_SPANS,
                    "SELECT first_id, hits, shard, len FROM linked ORDER BY first_id", &stmt, err);
    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(linked->db, stmt, err);
    rc = row_each(&bind, "linked", "reading where hits are", linked_take_span, &taking);
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
                         "%s: has hits and objects in shards already; name another case file with "
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
    struct linked_hits *hits = NULL;
    enum err_code rc = linked != NULL ? linked_refresh(linked, err) : ERR_OK;

    *count = 0;
    for (size_t i = 0; rc == ERR_OK && linked != NULL && i < linked->span_count; i++) {
        rc = linked_hold(linked, &linked->spans[i], &hits, err);
        linked_let_go(hits);
        *count += linked->spans[i].hits;
    }
    return rc;
}
