/* SPDX-License-Identifier: Apache-2.0
 * db/triage.c - the tables triage and triage_found: what a sample of an image came to. */
#include <string.h>

#include "db/bind.h"
#include "db/references.h"
#include "db/row.h"

enum { TRIAGE_TEXT_MAX = 255 /* bytes of a text that is kept */ };

static enum err_code triage_add(struct db_case *db, int64_t run_id, const struct db_triage *counts,
                                struct err *err)
{
    static const char sql[] =
        "INSERT INTO triage (run_id, sweep, volume, slot, content, units, zero, fill, text, "
        "structured, dense, uniform, unreadable, hits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_prepare(db, DB_TRIAGE_ADD, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_int(&bind, counts->sweep);
    bind_int(&bind, counts->volume);
    bind_int(&bind, counts->slot);
    bind_text(&bind, "the content of a volume", counts->content, DB_WORD_MAX);
    bind_size(&bind, "units", counts->units);
    bind_size(&bind, "units of zeros", counts->zero);
    bind_size(&bind, "filled units", counts->fill);
    bind_size(&bind, "units of text", counts->text);
    bind_size(&bind, "structured units", counts->structured);
    bind_size(&bind, "dense units", counts->dense);
    bind_size(&bind, "uniform units", counts->uniform);
    bind_size(&bind, "unreadable units", counts->unreadable);
    bind_size(&bind, "units with hits", counts->hits);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a sweep", err) : bind.rc;
}

enum err_code db_triage_add(struct db_case *db, int64_t run_id, const struct db_triage *counts,
                            struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, triage_add(db, run_id, counts, err), err) : rc;
}

/* As much of a text as is kept. */
static const char *triage_text(const char *text, char out[TRIAGE_TEXT_MAX + 1])
{
    const size_t len = strnlen(text, TRIAGE_TEXT_MAX);

    memcpy(out, text, len);
    out[len] = '\0';
    return out;
}

static enum err_code triage_found_add(struct db_case *db, int64_t run_id,
                                      const struct db_triage_found *found, struct err *err)
{
    static const char sql[] = "INSERT INTO triage_found (run_id, number, offset, len, kind, what, "
                              "detail) VALUES (?, ?, ?, ?, ?, ?, ?)";
    char what[TRIAGE_TEXT_MAX + 1], detail[TRIAGE_TEXT_MAX + 1];
    sqlite3_stmt *stmt;
    enum err_code rc = db_refer(db, DB_PARENT_RUN, run_id, err);

    if (rc == ERR_OK)
        rc = db_prepare(db, DB_TRIAGE_FOUND_ADD, sql, &stmt, err);
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    bind_int(&bind, found->number);
    bind_size(&bind, "the offset of a find", found->offset);
    bind_size(&bind, "the length of a find", found->len);
    bind_text(&bind, "the kind of a find", found->kind, DB_WORD_MAX);
    bind_text(&bind, "what was found", triage_text(found->what, what), DB_REASON_MAX);
    bind_text(&bind, "the detail of a find", triage_text(found->detail, detail), DB_REASON_MAX);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a find", err) : bind.rc;
}

enum err_code db_triage_found_add(struct db_case *db, int64_t run_id,
                                  const struct db_triage_found *found, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, triage_found_add(db, run_id, found, err), err) : rc;
}
