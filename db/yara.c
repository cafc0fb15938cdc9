/* SPDX-License-Identifier: Apache-2.0
 * db/yara.c - the table yara: rules of YARA that objects meet. */
#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

enum { YARA_NAME_MAX = 255 /* bytes of a name, and of all tags */ };

enum err_code db_yara_add(struct db_case *db, int64_t run_id, const struct db_yara *row,
                          struct err *err)
{
    static const char sql[] = "INSERT INTO yara (run_id, number, object_id, rule, namespace, tags, "
                              "string, offset, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_YARA_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_int(&bind, row->number);
    bind_int(&bind, row->object_id);
    bind_text(&bind, "the name of a rule", row->rule, YARA_NAME_MAX);
    bind_text(&bind, "the namespace of a rule", row->space, YARA_NAME_MAX);
    bind_text(&bind, "the tags of a rule", row->tags, YARA_NAME_MAX);
    bind_text(&bind, "the string of a rule", row->string, YARA_NAME_MAX);
    bind_size(&bind, "the offset of a rule", row->offset);
    bind_text(&bind, "why no rule is tried", row->why, DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a rule of YARA", err) : bind.rc;
}

struct yara_walk {
    db_yara_fn each;
    void *arg;
};

static enum err_code yara_read(void *arg, struct row *row)
{
    const struct yara_walk *walk = arg;
    struct db_yara yara = { .number = (uint32_t)row_int(row, "number", 0, UINT32_MAX) };

    yara.object_id = row_id(row, "object_id");
    yara.rule = row_text(row, "rule", YARA_NAME_MAX);
    yara.space = row_text(row, "namespace", YARA_NAME_MAX);
    yara.tags = row_text(row, "tags", YARA_NAME_MAX);
    yara.string = row_text(row, "string", YARA_NAME_MAX);
    yara.offset = row_size(row, "offset");
    yara.why = row_text(row, "why", DB_REASON_MAX);
    return row->rc == ERR_OK ? walk->each(walk->arg, &yara, row->err) : row->rc;
}

enum err_code db_yara_walk(struct db_case *db, int64_t run_id, db_yara_fn each, void *arg,
                           struct err *err)
{
    static const char run[] = "SELECT number, object_id, rule, namespace, tags, string, offset, "
                              "why FROM yara WHERE run_id = ? ORDER BY number";
    static const char all[] = "SELECT DISTINCT 0, object_id, rule, namespace, tags, string, "
                              "offset, why FROM yara ORDER BY object_id, offset, rule, namespace, "
                              "tags, string, why";
    struct yara_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = run_id != 0 ? db_prepare(db, DB_YARA_RUN, run, &stmt, err)
                                         : db_prepare(db, DB_YARA_ALL, all, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    if (run_id != 0)
        bind_int(&bind, run_id);
    return row_each(&bind, "yara", "reading rules of YARA", yara_read, &walk);
}
