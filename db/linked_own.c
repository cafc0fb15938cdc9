/* SPDX-License-Identifier: Apache-2.0
 * db/linked_own.c - an object that stays in a shard becomes one of the case file: see linked.h. */
#include <stdlib.h>

#include "base/pack.h"
#include "db/bind.h"
#include "db/linked.h"

/* Appends the numbers that are left out, which are as their distances, with one more (below 0:
 * none) in its place. */
static void own_list(struct unpack *in, int64_t more, struct pack *out)
{
    const uint32_t count = in->at < in->end ? unpack_count(in) : 0;
    int64_t from = 0, next = 0; /* the last number that was read, or written, and 1 */

    pack_number(out, count + (more >= 0 ? 1u : 0u));
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        const int64_t number = from + (int64_t)unpack_number(in, UINT32_MAX);

        from = number + 1;
        if (more >= 0 && more < number) {
            pack_number(out, (uint64_t)(more - next));
            next = more + 1;
            more = -1;
        }
        pack_number(out, (uint64_t)(number - next));
        next = number + 1;
    }
    if (more >= 0)
        pack_number(out, (uint64_t)(more - next));
}

/* The span shows the object no more. */
static enum err_code own_leave_out(struct db_case *db, const struct linked_hits *hits,
                                   const struct linked_object *object, struct err *err)
{
    struct unpack in = { .at = hits->left_out, .end = hits->left_out + hits->left_out_len };
    struct pack left_out = { 0 };
    sqlite3_stmt *stmt = NULL;
    enum err_code rc = ERR_OK;

    own_list(&in, -1, &left_out);
    own_list(&in, object->index, &left_out);
    if (left_out.failed)
        rc = ERR_NO_MEMORY(err, left_out.len);
    if (rc == ERR_OK)
        rc = db_prepare_once(db, "UPDATE linked SET left_out = ? WHERE first_id = ?", &stmt, err);
    if (rc == ERR_OK &&
        sqlite3_bind_blob64(stmt, 1, left_out.bytes, left_out.len, SQLITE_TRANSIENT) != SQLITE_OK)
        rc = ERR_NO_MEMORY(err, left_out.len);
    if (rc == ERR_OK) {
        struct bind bind = bind_init(db, stmt, err);

        bind.at = 1;
        bind_int(&bind, hits->span.first_id);
        rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "linking objects", err) : bind.rc;
    }
    sqlite3_finalize(stmt);
    pack_release(&left_out);
    return rc;
}

static enum err_code own_copy(struct db_case *db, int64_t id, struct err *err)
{
    static const char *const copies[] = {
        "INSERT INTO main.objects SELECT * FROM temp.objects WHERE id = ?",
        "INSERT INTO main.extents SELECT * FROM temp.extents WHERE object_id = ?",
        "INSERT INTO main.facts SELECT * FROM temp.facts WHERE object_id = ?",
    };
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < sizeof copies / sizeof copies[0]; i++) {
        sqlite3_stmt *stmt = NULL;

        rc = db_prepare_once(db, copies[i], &stmt, err);
        if (rc == ERR_OK) {
            struct bind bind = bind_init(db, stmt, err);

            bind_int(&bind, id);
            rc = bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding an object", err) : bind.rc;
        }
        sqlite3_finalize(stmt);
    }
    return rc;
}

enum err_code linked_own(struct db_case *db, int64_t id, bool *took, struct err *err)
{
    struct linked *linked = db->linked;
    struct linked_hits *hits = NULL;

    *took = false;
    if (linked == NULL || !linked->objects)
        return ERR_OK;
    enum err_code rc = linked_refresh(linked, err);
    const size_t at = rc == ERR_OK ? linked_span_at(linked, id) : 0;
    if (rc != ERR_OK || at == linked->span_count || linked->spans[at].first_id > id)
        return rc;
    rc = linked_hold(linked, &linked->spans[at], &hits, err);
    if (rc != ERR_OK)
        return rc;
    const uint32_t number = linked_object_at(hits, id);
    *took = number < hits->object_count && hits->objects[number].id == id;
    if (*took)
        rc = own_copy(db, id, err);
    if (rc == ERR_OK && *took)
        rc = own_leave_out(db, hits, &hits->objects[number], err);
    if (*took)
        linked_forget(linked);
    linked_let_go(hits);
    return rc;
}
