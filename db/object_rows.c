/* SPDX-License-Identifier: Apache-2.0
 * db/object_rows.c - writes the tables objects, extents and outputs. db/object_cursor.c reads them,
 * and db/nested.c writes what is said of objects later.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "db/bind.h"
#include "db/feed.h"
#include "db/linked.h"
#include "db/references.h"
#include "db/row.h"

/* The extents must be what the object says: at least one, and as long together as it is. */
static enum err_code objects_check_extents(const struct db_case *db, const struct db_object *object,
                                           struct err *err)
{
    uint64_t sum = 0;
    bool fits = object->extent_count > 0 && object->extent_count <= DB_EXTENTS_MAX;

    for (uint32_t i = 0; fits && i < object->extent_count; i++) {
        const struct db_extent *extent = &object->extents[i];

        fits = extent->offset <= INT64_MAX && extent->len <= INT64_MAX - extent->offset &&
               extent->len <= INT64_MAX - sum;
        sum += extent->len;
    }
    return fits && sum == object->len
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT,
                           "%s: object %" PRId64 " at offset %" PRIu64 ": its %" PRIu32
                           " extents do not make its length %" PRIu64,
                           db->path, object->id, object->offset, object->extent_count, object->len);
}

static enum err_code objects_check_texts(const struct db_case *db, const struct db_object *object,
                                         struct err *err)
{
    const struct {
        const char *what, *text;
        size_t max;
    } texts[] = {
        { "the type of an object", object->type, DB_WORD_MAX },
        { "the extension of an object", object->extension, DB_WORD_MAX },
        { "the state of an object", object->state, DB_WORD_MAX },
        { "the reason of an object", object->reason, DB_REASON_MAX },
        { "the name of an object", object->name, DB_NAME_MAX },
    };
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < sizeof texts / sizeof texts[0]; i++)
        rc = db_check_text(db, texts[i].what, texts[i].text, texts[i].max, err);
    return rc;
}

/* Its extents, its name, its texts and what it refers to must be right. */
static enum err_code objects_check(struct db_case *db, const struct db_object *object,
                                   struct err *err)
{
    enum err_code rc = objects_check_extents(db, object, err);

    if (rc == ERR_OK && !row_is_safe_name(object->name))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: object %" PRId64 " at offset %" PRIu64
                       ": \"%s\" is no name for a file below "
                       "an output folder",
                       db->path, object->id, object->offset, object->name);
    assert(!db->bulk || object->parent_id == 0); /* nobody would look whether it is there */
    if (rc == ERR_OK)
        rc = objects_check_texts(db, object, err);
    if (rc == ERR_OK)
        rc = db_check_size(db, "the offset of an object", object->offset, err);
    if (rc == ERR_OK)
        rc = db_refer(db, DB_PARENT_HIT, object->id, err);
    if (rc == ERR_OK)
        rc = db_refer(db, DB_PARENT_IMAGE, object->image_id, err);
    return rc == ERR_OK ? db_refer(db, DB_PARENT_SIGNATURE, object->signature_id, err) : rc;
}

static enum err_code objects_insert_rows(struct db_case *db, const struct db_object *objects,
                                         uint32_t count, struct err *err)
{
    static const char rows[] =
        "INSERT OR FAIL INTO main.objects (id, image_id, signature_id, type, extension, state, "
        "reason, validated, proven, container, offset, len, name, slack, crc64) "
        "SELECT id, image_id, signature_id, type, extension, state, reason, validated, proven, "
        "container, offset, len, name, slack, crc64 FROM temp.feed_objects";
    static const char extents[] =
        "INSERT OR FAIL INTO main.extents (object_id, number, offset, len) "
        "SELECT object_id, number, offset, len FROM temp.feed_extents";
    const enum err_code rc =
        feed_run(db, DB_OBJECTS_ADD, rows, FEED_OBJECTS, objects, count, "adding objects", err);

    return rc == ERR_OK ? feed_run(db, DB_EXTENTS_ADD, extents, FEED_EXTENTS, objects, count,
                                   "adding extents", err)
                        : rc;
}

/* What is known of an object beside what its validator said. */
static enum err_code objects_insert_more(struct db_case *db, const struct db_object *object,
                                         struct err *err)
{
    enum err_code rc = ERR_OK;

    if (object->parent_id != 0)
        rc = db_nested_add(
            db, &(struct db_nested){ .id = object->id, .parent_id = object->parent_id }, err);
    if (rc == ERR_OK && object->sha256 != NULL)
        rc = db_contents_put(db, object->id, -1, object->sha256, err);
    return rc;
}

static enum err_code objects_insert_all(struct db_case *db, const struct db_object *objects,
                                        uint32_t count, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = objects_check(db, &objects[i], err);
    if (rc == ERR_OK)
        rc = objects_insert_rows(db, objects, count, err);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        db_refer_to_object(db, objects[i].id);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = objects_insert_more(db, &objects[i], err);
    return rc == ERR_OK ? db_facts_insert(db, objects, count, err) : rc;
}

enum err_code db_objects_insert(struct db_case *db, const struct db_object *objects, uint32_t count,
                                struct err *err)
{
    bool own;

    if (count == 0)
        return ERR_OK;
    enum err_code rc = db_atom_begin(db, &own, err);
    return rc == ERR_OK ? db_atom_end(db, own, objects_insert_all(db, objects, count, err), err)
                        : rc;
}

enum err_code db_object_insert(struct db_case *db, const struct db_object *object, struct err *err)
{
    return db_objects_insert(db, object, 1, err);
}

static enum err_code objects_update_crc64(struct db_case *db, int64_t id, bool has, uint64_t crc64,
                                          struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_OBJECT_CRC64,
                                  "UPDATE main.objects SET crc64 = ? WHERE id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_crc64(&bind, has, crc64);
    bind_int(&bind, id);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "storing the checksum of an object", err)
                             : bind.rc;
}

/* What stays in a shard cannot be changed there. */
static enum err_code objects_set_crc64(struct db_case *db, int64_t id, bool has, uint64_t crc64,
                                       struct err *err)
{
    bool took = false;
    enum err_code rc = objects_update_crc64(db, id, has, crc64, err);

    if (rc == ERR_OK && db->linked != NULL && sqlite3_changes(db->sqlite) == 0)
        rc = linked_own(db, id, &took, err);
    return rc == ERR_OK && took ? objects_update_crc64(db, id, has, crc64, err) : rc;
}

enum err_code db_object_set_crc64(struct db_case *db, int64_t id, bool has, uint64_t crc64,
                                  struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, objects_set_crc64(db, id, has, crc64, err), err)
                        : rc;
}

static enum err_code objects_add_output(struct db_case *db, const struct db_output *output,
                                        struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_OUTPUT_ADD,
        "INSERT INTO outputs (run_id, object_id, path, len, sha256) VALUES (?, ?, ?, ?, ?)", &stmt,
        err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, output->run_id);
    bind_int(&bind, output->object_id);
    bind_text(&bind, "the path of an output", output->path, DB_NAME_MAX);
    bind_size(&bind, "the length of an output", output->len);
    bind_sha256(&bind, "the sha256 of an output", output->sha256);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding an output", err) : bind.rc;
}

enum err_code db_output_add(struct db_case *db, const struct db_output *output, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, objects_add_output(db, output, err), err) : rc;
}

enum err_code db_output_sha256(struct db_case *db, int64_t object_id, uint64_t len,
                               char out[DB_SHA256_HEX + 1], struct err *err)
{
    static const char sql[] =
        "SELECT sha256 FROM outputs INDEXED BY outputs_by_object WHERE object_id = ? AND len = ? "
        "ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_OUTPUT_HASH, sql, &stmt, err);

    out[0] = '\0';
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    bind_size(&bind, "the length of an output", len);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading an output", err) : bind.rc;
    if (rc == ERR_OK && found) {
        struct row row = row_init(db, stmt, "outputs", err);
        const char *sha256 = row_text(&row, "sha256", DB_SHA256_HEX);

        row.id = object_id;
        if (row.rc == ERR_OK && !row_is_sha256(sha256))
            row_damaged(&row, "sha256", "not 64 hex digits");
        rc = row.rc;
        if (rc == ERR_OK)
            memcpy(out, sha256, DB_SHA256_HEX + 1);
    }
    sqlite3_reset(stmt);
    return rc;
}
