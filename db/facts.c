/* SPDX-License-Identifier: Apache-2.0
 * db/facts.c - the table facts: what objects say of themselves. */
#include "db/bind.h"
#include "db/facts_row.h"
#include "db/feed.h"
#include "db/linked.h"

static enum err_code facts_check(const struct db_case *db, const struct db_fact *fact,
                                 struct err *err)
{
    enum err_code rc = db_check_text(db, "the key of a fact", fact->key, DB_WORD_MAX, err);

    if (rc == ERR_OK)
        rc = db_check_text(db, "the value of a fact", fact->value, DB_FACT_MAX, err);
    return rc == ERR_OK ? db_check_size(db, "the reach of a fact", fact->reach, err) : rc;
}

enum err_code db_facts_insert(struct db_case *db, const struct db_object *objects, uint32_t count,
                              struct err *err)
{
    static const char sql[] =
        "INSERT OR FAIL INTO main.facts (object_id, key, value, number, reach) "
        "SELECT object_id, key, value, number, reach FROM temp.feed_facts";
    bool some = false;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; rc == ERR_OK && k < objects[i].fact_count; k++) {
            rc = facts_check(db, &objects[i].facts[k], err);
            some = true;
        }
    return rc == ERR_OK && some ? feed_run(db, DB_OBJECT_FACTS_ADD, sql, FEED_FACTS, objects, count,
                                           "adding facts", err)
                                : rc;
}

enum err_code db_facts_replace(struct db_case *db, int64_t object_id, const struct db_fact *facts,
                               uint32_t count, struct err *err)
{
    const struct db_object object = { .id = object_id, .facts = facts, .fact_count = count };
    sqlite3_stmt *stmt;
    bool took = false;
    enum err_code rc = linked_own(db, object_id, &took, err);

    if (rc != ERR_OK)
        return rc;
    rc = db_prepare(db, DB_OBJECT_FACTS_DROP, "DELETE FROM main.facts WHERE object_id = ?", &stmt,
                    err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    rc = db_run_to_end(db, stmt, "forgetting facts", err);
    return rc == ERR_OK ? db_facts_insert(db, &object, 1, err) : rc;
}

struct facts_walk {
    db_fact_fn each;
    void *arg;
};

static enum err_code facts_read(void *arg, struct row *row)
{
    const struct facts_walk *walk = arg;
    struct db_fact fact;
    const int64_t id = facts_row(row, &fact);

    return row->rc == ERR_OK ? walk->each(walk->arg, id, &fact, row->err) : row->rc;
}

/* Those that count: an object that was cut may have lost what its facts were read from. */
#define FACTS_FROM                                                                                 \
    "FROM facts f CROSS JOIN objects o ON o.id = f.object_id LEFT JOIN nested n ON n.object_id = " \
    "o.id "                                                                                        \
    "LEFT JOIN assembled a ON a.object_id = o.id WHERE f.reach <= coalesce(a.len, n.len, o.len) "
#define FACTS_SELECT "SELECT " FACTS_COLUMNS("f.") FACTS_FROM

enum err_code db_facts_of(struct db_case *db, int64_t object_id, uint64_t len, db_fact_fn each,
                          void *arg, struct err *err)
{
    struct facts_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_OBJECT_FACTS_OF,
                   "SELECT " FACTS_COLUMNS("") "FROM facts "
                                               "WHERE object_id = ? AND reach <= ? ORDER BY key",
                   &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    bind_size(&bind, "the length of an object", len);
    return row_each(&bind, "facts", "reading facts", facts_read, &walk);
}

enum err_code db_facts_walk(struct db_case *db, const char *key, db_fact_fn each, void *arg,
                            struct err *err)
{
    struct facts_walk walk = { each, arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(
        db, key != NULL ? DB_OBJECT_FACTS_KEY : DB_OBJECT_FACTS_ALL,
        /* The character behind a "." is "/". */
        key != NULL ? FACTS_SELECT "AND (f.key = ?1 OR (f.key > ?1 || '.' AND f.key < ?1 || '/')) "
                                   "ORDER BY f.object_id, f.key"
                    : FACTS_SELECT "ORDER BY f.object_id, f.key",
        &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    if (key != NULL)
        bind_text(&bind, "the key of a fact", key, DB_WORD_MAX);
    return row_each(&bind, "facts", "reading facts", facts_read, &walk);
}

struct dates_walk {
    db_date_fn each;
    void *arg;
    int64_t last; /* the object whose first date was given */
};

static enum err_code dates_read(void *arg, struct row *row)
{
    struct dates_walk *walk = arg;
    struct db_date date;
    const int64_t id = row_id(row, "object_id");

    date.key = row_text(row, "key", DB_WORD_MAX);
    date.unix_time = row_int(row, "number", INT64_MIN, INT64_MAX);
    if (row->rc != ERR_OK || id == walk->last)
        return row->rc;
    walk->last = id;
    return walk->each(walk->arg, id, &date, row->err);
}

/* The dates of an object, its own first. */
#define DATES_SELECT                                                                               \
    "SELECT f.object_id, f.key, f.number " FACTS_FROM                                              \
    "AND f.number IS NOT NULL AND f.key IN ('taken', 'taken.local', 'sent', 'sent.local', "        \
    "'modified', 'modified.local', 'created', 'created.local', 'last_run') "
#define DATES_ORDER                                                                                \
    "ORDER BY f.object_id, CASE f.key WHEN 'taken' THEN 0 WHEN 'taken.local' THEN 1 WHEN 'sent' "  \
    "THEN 2 WHEN 'sent.local' THEN 3 WHEN 'modified' THEN 4 WHEN 'modified.local' THEN 5 WHEN "    \
    "'created' THEN 6 WHEN 'created.local' THEN 7 ELSE 8 END"

enum err_code db_dates_walk(struct db_case *db, db_date_fn each, void *arg, struct err *err)
{
    struct dates_walk walk = { .each = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc = db_prepare(db, DB_DATES, DATES_SELECT DATES_ORDER, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    const struct bind bind = bind_init(db, stmt, err);
    return row_each(&bind, "facts", "reading dates", dates_read, &walk);
}

enum err_code db_date_of(struct db_case *db, int64_t object_id, db_date_fn each, void *arg,
                         struct err *err)
{
    struct dates_walk walk = { .each = each, .arg = arg };
    sqlite3_stmt *stmt;
    const enum err_code rc =
        db_prepare(db, DB_DATE_OF, DATES_SELECT "AND f.object_id = ? " DATES_ORDER, &stmt, err);

    if (rc != ERR_OK)
        return rc;
    struct bind bind = bind_init(db, stmt, err);
    bind_int(&bind, object_id);
    return row_each(&bind, "facts", "reading a date", dates_read, &walk);
}
