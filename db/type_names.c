/* SPDX-License-Identifier: Apache-2.0
 * db/type_names.c - the types that a case file knows. */
#include "db/bind.h"
#include "db/row.h"

struct types_walk {
    db_type_fn each;
    void *arg;
};

static enum err_code types_read(void *arg, struct row *row)
{
    const struct types_walk *walk = arg;
    struct db_type type;

    type.name = row_text(row, "type", DB_WORD_MAX);
    type.extension = row_text(row, "extension", DB_WORD_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, &type, row->err) : row->rc;
}

/* Signatures of a search are keywords, and no types. */
enum err_code db_types_walk(struct db_case *db, db_type_fn each, void *arg, struct err *err)
{
    static const char sql[] = "SELECT type, extension FROM objects UNION "
                              "SELECT name, '' FROM signatures WHERE run_id IN (SELECT id FROM "
                              "runs WHERE command = 'scan') LIMIT ?";
    struct types_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_TYPES, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, DB_TYPES_MAX);
    return row_each(&bind, "objects", "listing the types of objects", types_read, &walk);
}

struct types_objects {
    db_object_type_fn each;
    void *arg;
};

static enum err_code types_read_object(void *arg, struct row *row)
{
    const struct types_objects *walk = arg;
    const int64_t image_id = row_int(row, "image_id", 1, INT64_MAX);
    const char *type = row_text(row, "type", DB_WORD_MAX);

    return row->rc == ERR_OK ? walk->each(walk->arg, image_id, type, row->err) : row->rc;
}

enum err_code db_object_types_walk(struct db_case *db, db_object_type_fn each, void *arg,
                                   struct err *err)
{
    struct types_objects walk = { each, arg };
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_OBJECT_TYPES, "SELECT image_id, type FROM objects", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "objects", "counting the objects of each type", types_read_object,
                    &walk);
}
