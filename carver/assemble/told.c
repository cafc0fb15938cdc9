/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/told.c - see told.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "carver/assemble/told.h"

/* NULL stays NULL; so is what has no room, which told->full says. */
static void *told_copy(struct told *told, const void *bytes, size_t len)
{
    void *copy = NULL;

    if (told->arena.cap == 0)
        arena_init(&told->arena, TOLD_BYTES);
    if (bytes != NULL)
        copy = arena_copy(&told->arena, bytes, len);
    told->full |= bytes != NULL && copy == NULL;
    return copy;
}

static const char *told_text(struct told *told, const char *text)
{
    return told_copy(told, text, text != NULL ? strlen(text) : 0);
}

static enum err_code told_add(struct told *told, const struct told_row *row, struct err *err)
{
    const enum err_code rc =
        grow_items(&told->items, told->count, &told->room, sizeof *told->items, err);

    if (rc == ERR_OK)
        told->items[told->count++] = *row;
    return rc;
}

/* Seams of one object have one text. */
static const struct db_join *told_joins(struct told *told, const struct db_assembled *row)
{
    const uint32_t count = row->joins != NULL ? row->extent_count - 1 : 0;
    struct db_join *joins = told_copy(told, row->joins, count * sizeof *joins);
    const char *text = count > 0 ? told_text(told, row->joins[0].text) : NULL;

    for (uint32_t i = 0; joins != NULL && i < count; i++)
        joins[i].text = text;
    return joins;
}

static const struct db_fact *told_facts(struct told *told, const struct db_assembled *row)
{
    struct db_fact *facts = told_copy(told, row->facts, row->fact_count * sizeof *facts);

    for (uint32_t i = 0; facts != NULL && i < row->fact_count; i++)
        facts[i].value = told_text(told, facts[i].value);
    return facts;
}

enum err_code told_assembled(struct told *told, const struct db_assembled *row, struct err *err)
{
    struct told_row copy = { .assembled = *row };
    struct db_assembled *to = &copy.assembled;

    if (row->pieces) {
        to->name = told_text(told, row->name);
        to->extents = told_copy(told, row->extents, row->extent_count * sizeof *row->extents);
        to->joins = told_joins(told, row);
        to->facts = told_facts(told, row);
    }
    return told_add(told, &copy, err);
}

enum err_code told_likely(struct told *told, const struct db_likely *row, struct err *err)
{
    struct told_row copy = { .likely = true, .file = *row };

    copy.file.text = told_text(told, row->text);
    copy.file.extents = told_copy(told, row->extents, row->extent_count * sizeof *row->extents);
    return told_add(told, &copy, err);
}

enum err_code told_store(struct told *told, struct db_case *db, int64_t run_id, struct err *err)
{
    enum err_code rc =
        told->full ? ERR_NO_MEMORY(err, (size_t)TOLD_BYTES) : ERR_OK; /* else see told.full */

    for (size_t i = 0; rc == ERR_OK && i < told->count; i++) {
        const struct told_row *row = &told->items[i];

        rc = row->likely ? db_likely_add(db, run_id, &row->file, err)
                         : db_assembled_add(db, run_id, &row->assembled, err);
    }
    told->count = 0;
    arena_clear(&told->arena);
    return rc;
}

void told_release(struct told *told)
{
    if (told->arena.cap > 0)
        arena_release(&told->arena);
    free(told->items);
    *told = (struct told){ 0 };
}
