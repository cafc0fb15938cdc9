/* SPDX-License-Identifier: Apache-2.0
 * db/resume.c - the tables parts and resume: how far a scan came, and what it needs to go on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

enum { RESUME_STATE_MAX = 1 << 29 /* bytes; twice what rules may keep open, and more */ };

static enum err_code resume_add_part(struct db_case *db, int64_t run_id, const struct db_part *part,
                                     struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_prepare(db, DB_PART_ADD,
                        "INSERT INTO parts (run_id, offset, len, crc64) VALUES (?, ?, ?, ?)", &stmt,
                        err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_size(&bind, "the offset of a part", part->offset);
    bind_size(&bind, "the length of a part", part->len);
    bind_crc64(&bind, part->has_crc64, part->crc64);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a part", err) : bind.rc;
}

enum err_code db_part_add(struct db_case *db, int64_t run_id, const struct db_part *part,
                          struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, resume_add_part(db, run_id, part, err), err) : rc;
}

struct resume_parts {
    db_part_fn each;
    void *arg;
};

static enum err_code resume_read_part(void *arg, struct row *row)
{
    const struct resume_parts *walk = arg;
    struct db_part part = { 0 };

    part.offset = row_size(row, "offset");
    part.len = row_size(row, "len");
    part.has_crc64 = row_crc64_or_null(row, "crc64", &part.crc64);
    return row->rc == ERR_OK ? walk->each(walk->arg, &part, row->err) : row->rc;
}

enum err_code db_parts_walk(struct db_case *db, int64_t scan_id, uint64_t from, db_part_fn each,
                            void *arg, struct err *err)
{
    static const char sql[] =
        "SELECT offset, len, crc64 FROM parts WHERE run_id IN (SELECT id FROM runs WHERE id = ?1 "
        "OR resumes = ?1) AND offset >= ?2 ORDER BY offset";
    struct resume_parts walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_PARTS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    bind_size(&bind, "the offset of a part", from);
    return row_each(&bind, "parts", "reading the parts of a scan", resume_read_part, &walk);
}

static enum err_code resume_put(struct db_case *db, int64_t scan_id, uint64_t position,
                                const uint8_t *bytes, size_t len, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, scan_id, err);

    if (rc == ERR_OK && len > RESUME_STATE_MAX)
        rc = ERR_RAISE(err, ERR_FULL,
                       "%s: the scan would need %zu bytes to go on later, and a case file stores "
                       "at most %d",
                       db->path, len, RESUME_STATE_MAX);
    if (rc == ERR_OK)
        rc = db_prepare(db, DB_STATE_PUT,
                        "INSERT OR REPLACE INTO resume (run_id, position, state) VALUES (?, ?, ?)",
                        &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    bind_size(&bind, "the position of a scan", position);
    if (bind.rc == ERR_OK &&
        sqlite3_bind_blob64(stmt, ++bind.at, bytes, len, SQLITE_STATIC) != SQLITE_OK)
        return ERR_NO_MEMORY(err, len);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "keeping the state of a scan", err)
                             : bind.rc;
}

enum err_code db_state_put(struct db_case *db, int64_t scan_id, uint64_t position,
                           const uint8_t *bytes, size_t len, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK
               ? db_atom_end(db, own, resume_put(db, scan_id, position, bytes, len, err), err)
               : rc;
}

enum err_code db_state_get(struct db_case *db, int64_t scan_id, uint64_t *position, uint8_t **bytes,
                           size_t *len, struct err *err)
{
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc =
        db_prepare(db, DB_STATE_GET, "SELECT run_id, position, state FROM resume WHERE run_id = ?",
                   &stmt, err);

    *bytes = NULL;
    *len = 0;
    *position = 0;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    rc =
        bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading the state of a scan", err) : bind.rc;
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "resume", err);

        row_id(&row, "run_id");
        *position = row_size(&row, "position");
        const void *blob = sqlite3_column_blob(stmt, 2);
        *len = (size_t)sqlite3_column_bytes(stmt, 2);
        *bytes = malloc(*len + 1);
        rc = row.rc;
        if (*bytes == NULL)
            rc = ERR_NO_MEMORY(err, *len);
        else if (*len > 0 && blob != NULL)
            memcpy(*bytes, blob, *len);
    }
    sqlite3_reset(stmt);
    return rc;
}

static enum err_code resume_drop(struct db_case *db, int64_t scan_id, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_STATE_DROP, "DELETE FROM resume WHERE run_id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "removing the state of a scan", err)
                             : bind.rc;
}

enum err_code db_state_drop(struct db_case *db, int64_t scan_id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, resume_drop(db, scan_id, err), err) : rc;
}

enum err_code db_run_compare(struct db_case *db, int64_t run_id, const char *options,
                             const char *but, bool *found, char out[3][DB_SETTING_MAX],
                             struct err *err)
{
    static const char sql[] =
        "SELECT coalesce(a.key, b.key), coalesce(a.value, 'null'), coalesce(b.value, 'null') "
        "FROM json_each((SELECT options FROM runs WHERE id = ?1)) a FULL OUTER JOIN json_each(?2) "
        "b ON a.key = b.key WHERE a.value IS NOT b.value AND coalesce(a.key, b.key) NOT IN (SELECT "
        "value FROM json_each(?3)) ORDER BY 1 LIMIT 1";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_RUN_COMPARE, sql, &stmt, err);

    *found = false;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_text(&bind, "the options of a run", options, DB_TEXT_MAX);
    bind_text(&bind, "names of options", but, DB_REASON_MAX);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, found, "comparing the options of runs", err)
                           : bind.rc;
    for (int i = 0; rc == ERR_OK && *found && i < 3; i++) {
        const unsigned char *text = sqlite3_column_text(stmt, i);

        snprintf(out[i], DB_SETTING_MAX, "%s", text != NULL ? (const char *)text : "null");
    }
    sqlite3_reset(stmt);
    return rc;
}

struct resume_ids {
    int64_t *ids;
    uint32_t count, found;
};

static enum err_code resume_read_id(void *arg, struct row *row)
{
    struct resume_ids *ids = arg;
    const int64_t id = row_id(row, "id");

    if (row_int(row, "number", 0, UINT32_MAX) != ids->found)
        row_damaged(row, "number", "a number is missing before it");
    if (row->rc == ERR_OK && ids->found < ids->count)
        ids->ids[ids->found] = id;
    ids->found++;
    return row->rc;
}

enum err_code db_signature_ids(struct db_case *db, int64_t run_id, int64_t *ids, uint32_t count,
                               struct err *err)
{
    struct resume_ids read = { .ids = ids, .count = count };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_SIGNATURE_IDS, "SELECT id, number FROM signatures WHERE run_id = ? ORDER BY number",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    rc = row_each(&bind, "signatures", "reading the signatures of a run", resume_read_id, &read);
    if (rc == ERR_OK && read.found != count)
        rc = db_damaged(
            db, err, "run %" PRId64 " has %" PRIu32 " signatures, and %" PRIu32 " are looked for",
            run_id, read.found, count);
    return rc;
}

enum err_code db_scan_has_rows(struct db_case *db, int64_t scan_id, bool *has, struct err *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM hits WHERE signature_id IN (SELECT id FROM signatures WHERE "
        "run_id = ?1)) OR EXISTS (SELECT 1 FROM bad_ranges WHERE run_id = ?1)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_SCAN_ROWS, sql, &stmt, err);

    *has = false;
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, scan_id);
    return row_exists(&bind, "hits", "looking for hits of a scan", has);
}
