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

struct triage_walk {
    db_triage_run_fn run;
    db_triage_found_fn found;
    void *arg;
};

static enum err_code triage_give_run(void *arg, struct row *row)
{
    const struct triage_walk *walk = arg;
    struct db_triage_run run = { .run_id = row_id(row, "id"), .sum = { .content = "" } };

    run.image_id = row_id_or_null(row, "image_id");
    run.started = row_text(row, "started", DB_REASON_MAX);
    run.status = row_text(row, "status", DB_WORD_MAX);
    run.answer = row_text(row, "answer", DB_TEXT_MAX);
    run.sweeps = row_size(row, "sweeps");
    run.sum.units = row_size(row, "units");
    run.sum.zero = row_size(row, "zero");
    run.sum.fill = row_size(row, "fill");
    run.sum.text = row_size(row, "text");
    run.sum.structured = row_size(row, "structured");
    run.sum.dense = row_size(row, "dense");
    run.sum.uniform = row_size(row, "uniform");
    run.sum.unreadable = row_size(row, "unreadable");
    run.sum.hits = row_size(row, "hits");
    return row->rc == ERR_OK ? walk->run(walk->arg, &run, row->err) : row->rc;
}

enum err_code db_triage_runs_walk(struct db_case *db, db_triage_run_fn each, void *arg,
                                  struct err *err)
{
    static const char sql[] =
        "SELECT r.id, r.image_id, r.started, r.status, coalesce((SELECT l.text "
        "FROM log l WHERE "
        "l.run_id = r.id AND l.kind = 'end' ORDER BY l.id DESC LIMIT 1), '') AS answer, "
        "coalesce(max(t.sweep) + 1, 0) AS sweeps, coalesce(sum(t.units), 0) AS units, "
        "coalesce(sum(t.zero), 0) AS zero, "
        "coalesce(sum(t.fill), 0) AS fill, coalesce(sum(t.text), 0) AS text, "
        "coalesce(sum(t.structured), 0) AS structured, "
        "coalesce(sum(t.dense), 0) AS dense, coalesce(sum(t.uniform), 0) AS uniform, "
        "coalesce(sum(t.unreadable), 0) AS unreadable, "
        "coalesce(sum(t.hits), 0) AS hits FROM runs r LEFT JOIN triage t ON t.run_id = r.id WHERE "
        "r.command "
        "= 'triage' GROUP BY r.id ORDER BY r.id";
    struct triage_walk walk = { .run = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_TRIAGE_RUNS, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "triage", "reading what was sampled", triage_give_run, &walk);
}

static enum err_code triage_give_found(void *arg, struct row *row)
{
    const struct triage_walk *walk = arg;
    struct db_triage_found found = { .number = (uint32_t)row_size(row, "number") };

    found.offset = row_size(row, "offset");
    found.len = row_size(row, "len");
    found.kind = row_text(row, "kind", DB_WORD_MAX);
    found.what = row_text(row, "what", DB_REASON_MAX);
    found.detail = row_text(row, "detail", DB_REASON_MAX);
    return row->rc == ERR_OK ? walk->found(walk->arg, &found, row->err) : row->rc;
}

enum err_code db_triage_found_walk(struct db_case *db, int64_t run_id, db_triage_found_fn each,
                                   void *arg, struct err *err)
{
    static const char sql[] = "SELECT number, offset, len, kind, what, detail FROM triage_found "
                              "WHERE run_id = ? ORDER BY number";
    struct triage_walk walk = { .found = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_TRIAGE_FOUND, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, run_id);
    return row_each(&bind, "triage_found", "reading what a triage met", triage_give_found, &walk);
}
