/* SPDX-License-Identifier: Apache-2.0
 * db/check.c - whether a case file is whole. */
#include <stdio.h>
#include <string.h>

#include "db/connection.h"

/* Hits in shards are there by the table linked: SQLite looks for them in matches. References to
 * objects are looked at by themselves. */
#define CHECK_LINKED                                                                               \
    "SELECT f.\"table\" FROM pragma_foreign_key_check f WHERE f.parent NOT IN ('matches', "        \
    "'objects') OR f.parent = 'matches' AND "                                                      \
    "coalesce((SELECT l.first_id + l.hits FROM linked l WHERE l.first_id <= f.rowid "              \
    "ORDER BY l.first_id DESC LIMIT 1), 0) <= f.rowid LIMIT 1"

enum { CHECK_SQL = 256 }; /* bytes of a statement */

/* What refers to objects: tables of the file, and nested, of which some stands in linked_nested. */
static const struct {
    const char *table, *column;
} check_objects[] = {
    { "nested", "object_id" },    { "nested", "parent_id" },    { "contents", "object_id" },
    { "found_in", "object_id" },  { "extents", "object_id" },   { "facts", "object_id" },
    { "assembled", "object_id" }, { "assembled", "parent_id" }, { "pieces", "object_id" },
    { "joins", "object_id" },     { "outputs", "object_id" },   { "known_objects", "object_id" },
    { "findings", "object_id" },  { "yara", "object_id" },
};

/* The first line that a PRAGMA answers, which is "ok" or nothing where all is well. */
static enum err_code check_ask(struct db_case *db, const char *sql, char *out, size_t size,
                               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, sql, &stmt, err);

    out[0] = '\0';
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "checking it", err);
    if (rc == ERR_OK && found) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);

        snprintf(out, size, "%s", text != NULL ? text : "");
    }
    sqlite3_finalize(stmt);
    return rc;
}

enum { CHECK_OBJECTS = sizeof check_objects / sizeof check_objects[0] };

/* Writes the name of a table with a reference to an object that is neither in the file nor in a
 * shard. */
static enum err_code check_references(struct db_case *db, char *out, size_t size, struct err *err)
{
    char sql[CHECK_SQL];
    enum err_code rc = ERR_OK;

    out[0] = '\0';
    for (size_t i = 0; rc == ERR_OK && out[0] == '\0' && i < CHECK_OBJECTS; i++) {
        const char *table = check_objects[i].table, *column = check_objects[i].column;

        snprintf(sql, sizeof sql,
                 "SELECT '%s' FROM %s%s t WHERE t.%s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
                 "objects WHERE id = t.%s) LIMIT 1",
                 table, strcmp(table, "nested") == 0 ? "" : "main.", table, column, column);
        rc = check_ask(db, sql, out, size, err);
    }
    return rc;
}

enum err_code db_check_pages(struct db_case *db, struct db_check *out, struct err *err)
{
    char table[sizeof out->text / 2];
    enum err_code rc = check_ask(db, "PRAGMA integrity_check(1)", out->text, sizeof out->text, err);

    out->whole = rc == ERR_OK && strcmp(out->text, "ok") == 0;
    if (!out->whole)
        return rc;
    rc = check_ask(db, db->linked != NULL ? CHECK_LINKED : "PRAGMA foreign_key_check", table,
                   sizeof table, err);
    if (rc == ERR_OK && table[0] == '\0' && db->linked != NULL)
        rc = check_references(db, table, sizeof table, err);
    out->whole = rc == ERR_OK && table[0] == '\0';
    out->text[0] = '\0';
    if (!out->whole)
        snprintf(out->text, sizeof out->text, "a row of table %s refers to a row that is missing",
                 table);
    return rc;
}
