/* SPDX-License-Identifier: Apache-2.0
 * db/linked_vtab.c - see linked_vtab.h. */
#include "db/linked_vtab.h"

int linked_vtab_connect(sqlite3 *sqlite, struct linked *linked, const char *columns, int rows,
                        sqlite3_vtab **out)
{
    struct linked_vtab *table = sqlite3_malloc(sizeof *table);

    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct linked_vtab){ .linked = linked, .rows = rows };
    const int rc = sqlite3_declare_vtab(sqlite, columns);
    if (rc != SQLITE_OK) {
        sqlite3_free(table);
        return rc;
    }
    *out = &table->base;
    return SQLITE_OK;
}

int linked_vtab_disconnect(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

bool linked_vtab_bounds(sqlite3_index_info *info)
{
    int from = -1, to = -1, count = 0;
    bool one = false;

    for (int i = 0; i < info->nConstraint && !one; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (!c->usable || c->iColumn > 0) /* the id, or the rowid, which is below it */
            continue;
        one = c->op == SQLITE_INDEX_CONSTRAINT_EQ;
        if (one || c->op == SQLITE_INDEX_CONSTRAINT_GT || c->op == SQLITE_INDEX_CONSTRAINT_GE)
            from = i;
        if (one || c->op == SQLITE_INDEX_CONSTRAINT_LT || c->op == SQLITE_INDEX_CONSTRAINT_LE)
            to = i;
    }
    if (from >= 0)
        info->aConstraintUsage[from].argvIndex = ++count;
    if (to >= 0 && to != from)
        info->aConstraintUsage[to].argvIndex = ++count;
    info->idxNum = (from >= 0 ? LINKED_FROM : 0) | (to >= 0 ? LINKED_TO : 0);
    return one;
}

/* True: it is NULL, and no id is equal to, above or below that. */
static bool vtab_bound(sqlite3_value *value, int64_t *bound)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER)
        *bound = sqlite3_value_int64(value);
    return sqlite3_value_type(value) == SQLITE_NULL;
}

void linked_vtab_range(int plan, int argc, sqlite3_value **argv, int64_t *from, int64_t *to)
{
    bool none = false;

    *from = INT64_MIN;
    *to = INT64_MAX;
    if ((plan & LINKED_FROM) != 0 && argc > 0)
        none = vtab_bound(argv[0], from);
    if ((plan & LINKED_TO) != 0 && argc > 0)
        none = vtab_bound(argv[argc - 1], to) || none;
    if (!none)
        return;
    *from = 1;
    *to = 0;
}

int linked_vtab_failed(struct linked *linked, enum err_code rc, const struct err *err)
{
    if (rc == ERR_OK)
        return SQLITE_OK;
    linked->rc = rc;
    linked->err = *err;
    return SQLITE_ERROR;
}
