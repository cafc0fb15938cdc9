/* SPDX-License-Identifier: Apache-2.0
 * db/runs.c - the tables runs and signatures. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "db/bind.h"
#include "db/row.h"

static enum err_code runs_add(struct db_case *db, const struct db_run *run, struct err *err)
{
    static const char sql[] = "INSERT INTO runs (image_id, command, command_line, version, build, "
                              "libraries, options, host, "
                              "user, engine, started, ended, status, position, resumes) "
                              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    char now[DB_TIME_SIZE];
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_RUN_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    db_time_now(now);
    struct bind bind = bind_init(db, stmt, err);
    bind_id_or_null(&bind, run->image_id);
    bind_text(&bind, "the command of a run", run->command, DB_WORD_MAX);
    bind_text(&bind, "the command line of a run", run->command_line, DB_TEXT_MAX);
    bind_text(&bind, "the version of a run", run->version, DB_NAME_MAX);
    bind_text(&bind, "the build of a run", run->build, DB_NAME_MAX);
    bind_text(&bind, "the libraries of a run", run->libraries, DB_NAME_MAX);
    bind_text(&bind, "the options of a run", run->options, DB_TEXT_MAX);
    bind_text(&bind, "the host of a run", run->host, DB_NAME_MAX);
    bind_text(&bind, "the user of a run", run->user, DB_NAME_MAX);
    bind_text_or_null(&bind, "the engine of a run", run->engine, DB_NAME_MAX);
    bind_text(&bind, "the start of a run", run->started != NULL ? run->started : now, DB_WORD_MAX);
    bind_text_or_null(&bind, "the end of a run", run->ended, DB_WORD_MAX);
    bind_text(&bind, "the status of a run", run->status, DB_WORD_MAX);
    bind_size(&bind, "the position of a run", run->position);
    bind_id_or_null(&bind, run->resumes);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a run", err) : bind.rc;
}

enum err_code db_run_add(struct db_case *db, const struct db_run *run, int64_t *id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    if (rc == ERR_OK)
        rc = runs_add(db, run, err);
    else
        return rc;
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return db_atom_end(db, own, rc, err);
}

/* Steps an UPDATE of one run, which must exist. */
static enum err_code runs_update(struct db_case *db, struct bind *bind, int64_t id, struct err *err)
{
    bind_int(bind, id);
    enum err_code rc =
        bind->rc == ERR_OK ? db_run_to_end(db, bind->stmt, "updating a run", err) : bind->rc;
    if (rc == ERR_OK && sqlite3_changes(db->sqlite) != 1)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: the case file has no run %" PRId64, db->path, id);
    return rc;
}

static enum err_code runs_progress(struct db_case *db, int64_t id, uint64_t position,
                                   struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc =
        db_prepare(db, DB_RUN_PROGRESS, "UPDATE runs SET position = ? WHERE id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_size(&bind, "the position of a run", position);
    return runs_update(db, &bind, id, err);
}

enum err_code db_run_progress(struct db_case *db, int64_t id, uint64_t position, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, runs_progress(db, id, position, err), err) : rc;
}

static enum err_code runs_finish(struct db_case *db, int64_t id, const char *status,
                                 struct err *err)
{
    char now[DB_TIME_SIZE];
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_RUN_FINISH,
                                  "UPDATE runs SET ended = ?, status = ? WHERE id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    db_time_now(now);
    struct bind bind = bind_init(db, stmt, err);
    bind_text(&bind, "the end of a run", now, DB_WORD_MAX);
    bind_text(&bind, "the status of a run", status, DB_WORD_MAX);
    return runs_update(db, &bind, id, err);
}

enum err_code db_run_finish(struct db_case *db, int64_t id, const char *status, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    return rc == ERR_OK ? db_atom_end(db, own, runs_finish(db, id, status, err), err) : rc;
}

#define RUNS_COLUMNS                                                                               \
    "id, image_id, command, command_line, version, build, libraries, options, host, user, "        \
    "engine, started, ended, status, position, resumes"

struct runs_walk {
    db_run_fn each;
    void *arg;
};

static enum err_code runs_read(struct db_case *db, sqlite3_stmt *stmt, struct db_run *out,
                               struct err *err)
{
    struct arena *arena = &db->run_text;
    const size_t cap = arena->cap;
    struct row row = row_init(db, stmt, "runs", err);

    arena_release(arena);
    arena_init(arena, cap);
    out->id = row_id(&row, "id");
    out->image_id = row_id_or_null(&row, "image_id");
    out->command = row_copy(&row, "command", DB_WORD_MAX, arena);
    out->command_line = row_copy(&row, "command_line", DB_TEXT_MAX, arena);
    out->version = row_copy(&row, "version", DB_NAME_MAX, arena);
    out->build = row_copy(&row, "build", DB_NAME_MAX, arena);
    out->libraries = row_copy(&row, "libraries", DB_NAME_MAX, arena);
    out->options = row_copy(&row, "options", DB_TEXT_MAX, arena);
    out->host = row_copy(&row, "host", DB_NAME_MAX, arena);
    out->user = row_copy(&row, "user", DB_NAME_MAX, arena);
    out->engine = row_copy_or_null(&row, "engine", DB_NAME_MAX, arena);
    out->started = row_copy(&row, "started", DB_WORD_MAX, arena);
    out->ended = row_copy_or_null(&row, "ended", DB_WORD_MAX, arena);
    out->status = row_copy(&row, "status", DB_WORD_MAX, arena);
    out->position = row_size(&row, "position");
    out->resumes = row_id_or_null(&row, "resumes");
    return row.rc;
}

enum err_code db_run_latest(struct db_case *db, int64_t image_id, struct db_run *out,
                            struct err *err)
{
    static const char sql[] = "SELECT " RUNS_COLUMNS " FROM runs "
                              "WHERE image_id = ? AND command = 'scan' ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *stmt;
    bool found = false;
    enum err_code rc = db_prepare(db, DB_RUN_LATEST, sql, &stmt, err);

    *out = (struct db_run){ 0 };
    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, image_id);
    rc = bind.rc == ERR_OK ? db_step(db, stmt, &found, "reading a run", err) : bind.rc;
    if (rc == ERR_OK && !found)
        return ERR_RAISE(err, ERR_INPUT, "%s: the case file has no scan of image %" PRId64,
                         db->path, image_id);
    if (rc == ERR_OK)
        rc = runs_read(db, stmt, out, err);
    sqlite3_reset(stmt);
    return rc;
}

/* What stands in a row of the table runs, by the names of its columns. */
static enum err_code runs_give(void *arg, struct row *row)
{
    const struct runs_walk *walk = arg;
    struct db_run run = { .id = row_id(row, "id") };

    run.image_id = row_id_or_null(row, "image_id");
    run.command = row_text(row, "command", DB_WORD_MAX);
    run.command_line = row_text(row, "command_line", DB_TEXT_MAX);
    run.version = row_text(row, "version", DB_NAME_MAX);
    run.build = row_text(row, "build", DB_NAME_MAX);
    run.libraries = row_text(row, "libraries", DB_NAME_MAX);
    run.options = row_text(row, "options", DB_TEXT_MAX);
    run.host = row_text(row, "host", DB_NAME_MAX);
    run.user = row_text(row, "user", DB_NAME_MAX);
    run.engine = row_text_or_null(row, "engine", DB_NAME_MAX);
    run.started = row_text(row, "started", DB_WORD_MAX);
    run.ended = row_text_or_null(row, "ended", DB_WORD_MAX);
    run.status = row_text(row, "status", DB_WORD_MAX);
    run.position = row_size(row, "position");
    run.resumes = row_id_or_null(row, "resumes");
    return row->rc == ERR_OK ? walk->each(walk->arg, &run, row->err) : row->rc;
}

enum err_code db_runs_walk(struct db_case *db, db_run_fn each, void *arg, struct err *err)
{
    struct runs_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_RUNS, "SELECT " RUNS_COLUMNS " FROM runs ORDER BY id", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "runs", "reading the runs", runs_give, &walk);
}

static enum err_code runs_add_signature(struct db_case *db, const struct db_signature *signature,
                                        struct err *err)
{
    static const char sql[] =
        "INSERT INTO signatures (run_id, number, name, kind, origin, header, footer, size_max) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(db, DB_SIGNATURE_ADD, sql, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, signature->run_id);
    bind_int(&bind, signature->number);
    bind_text(&bind, "the name of a signature", signature->name,
              DB_REASON_MAX); /* a keyword, perhaps */
    bind_text(&bind, "the kind of a signature", signature->kind, DB_WORD_MAX);
    bind_text(&bind, "the origin of a signature", signature->origin, DB_NAME_MAX + 16);
    bind_text(&bind, "the header of a signature", signature->header, DB_TEXT_MAX);
    bind_text_or_null(&bind, "the footer of a signature", signature->footer, DB_TEXT_MAX);
    bind_int(&bind, signature->size_max > INT64_MAX ? INT64_MAX : (int64_t)signature->size_max);
    return bind.rc == ERR_OK ? db_run_to_end(db, stmt, "adding a signature", err) : bind.rc;
}

enum err_code db_signature_add(struct db_case *db, const struct db_signature *signature,
                               int64_t *id, struct err *err)
{
    bool own;
    enum err_code rc = db_atom_begin(db, &own, err);

    if (rc != ERR_OK)
        return rc;
    rc = runs_add_signature(db, signature, err);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return db_atom_end(db, own, rc, err);
}

/* Nobody knows when it ended, so ended stays NULL. */
static enum err_code runs_interrupt(struct db_case *db, int64_t id, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code rc = db_prepare(
        db, DB_RUN_INTERRUPT, "UPDATE runs SET status = 'interrupted' WHERE id = ?", &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    return runs_update(db, &bind, id, err);
}

enum err_code db_runs_end_dead(struct db_case *db, struct err *err)
{
    static const char sql[] =
        "SELECT id, command FROM runs WHERE status = 'running' ORDER BY id LIMIT 1";
    enum err_code rc = ERR_OK;
    bool found = true;

    while (rc == ERR_OK && found) {
        char text[DB_WORD_MAX + 128];
        int64_t id = 0;
        sqlite3_stmt *stmt;

        rc = db_prepare(db, DB_RUN_DEAD, sql, &stmt, err);
        if (rc == ERR_OK)
            rc = db_step(db, stmt, &found, "reading a run", err);
        if (rc != ERR_OK || !found)
            break;
        struct row row = row_init(db, stmt, "runs", err);
        id = row_id(&row, "id");
        snprintf(text, sizeof text,
                 "run %" PRId64
                 " (%s) has not come to its end: it was killed, or the machine stopped",
                 id, row_text(&row, "command", DB_WORD_MAX));
        rc = row.rc;
        sqlite3_reset(stmt);
        if (rc == ERR_OK)
            rc = db_begin(db, err);
        if (rc == ERR_OK)
            rc = runs_interrupt(db, id, err);
        if (rc == ERR_OK)
            rc = db_log(db, id, "note", text, err);
        const enum err_code end =
            db->in_transaction ? db_commit(db, rc == ERR_OK ? err : NULL) : ERR_OK;
        rc = rc == ERR_OK ? end : rc;
    }
    return rc;
}
