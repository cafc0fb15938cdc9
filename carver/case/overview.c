/* SPDX-License-Identifier: Apache-2.0
 * carver/case/overview.c - see overview.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/case/cut_short.h"
#include "carver/case/overview.h"
#include "carver/cli/print_number.h"
#include "carver/cli/progress.h"
#include "carver/cli/table.h"
#include "signatures/category.h"

enum {
    OVERVIEW_FIRST = 64,
    OVERVIEW_CATEGORY = 9, /* columns */
    OVERVIEW_TYPE = 13,
    OVERVIEW_NUMBER = 9,
    OVERVIEW_BYTES = 10,
};

static uint64_t overview_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void overview_sum(struct db_type_totals *to, const struct db_type_totals *from)
{
    to->objects += from->objects;
    to->complete += from->complete;
    to->footer += from->footer;
    to->fragmented += from->fragmented;
    to->truncated += from->truncated;
    to->embedded += from->embedded;
    to->bytes = overview_plus(to->bytes, from->bytes);
    to->bytes_whole = overview_plus(to->bytes_whole, from->bytes_whole);
}

static enum err_code overview_add(void *arg, const struct db_type_totals *totals, struct err *err)
{
    struct overview *overview = arg;

    if (overview->count == overview->room) {
        const uint32_t room = overview->room == 0 ? OVERVIEW_FIRST : 2 * overview->room;
        struct overview_row *grown = realloc(overview->rows, room * sizeof *grown);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *grown);
        overview->rows = grown;
        overview->room = room;
    }
    struct overview_row *row = &overview->rows[overview->count];
    *row = (struct overview_row){ .type = strdup(totals->type),
                                  .category = sig_category_of(totals->type),
                                  .totals = *totals };
    if (row->type == NULL)
        return ERR_NO_MEMORY(err, strlen(totals->type));
    row->totals.type = row->type;
    overview->count++;
    overview_sum(&overview->all, totals);
    return ERR_OK;
}

static int overview_order(const void *a, const void *b)
{
    const struct overview_row *x = a, *y = b;

    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->totals.objects != y->totals.objects)
        return x->totals.objects > y->totals.objects ? -1 : 1;
    return strcmp(x->type, y->type);
}

enum err_code overview_open(struct db_case *db, int64_t image_id, struct overview *out,
                            struct err *err)
{
    *out = (struct overview){ 0 };
    const enum err_code rc = db_type_totals(db, image_id, overview_add, out, err);
    if (rc == ERR_OK && out->count > 0)
        qsort(out->rows, out->count, sizeof *out->rows, overview_order);
    if (rc != ERR_OK)
        overview_close(out);
    return rc;
}

void overview_close(struct overview *overview)
{
    for (uint32_t i = 0; i < overview->count; i++)
        free(overview->rows[i].type);
    free(overview->rows);
    *overview = (struct overview){ 0 };
}

static void overview_number(struct table *table, uint64_t number)
{
    print_uint(table_cell(table), number);
    table_put(table, OVERVIEW_NUMBER, true, TABLE_PLAIN);
}

static void overview_line(struct table *table, const char *category, const char *type,
                          const struct db_type_totals *totals)
{
    char bytes[32];

    table_text(table, category, OVERVIEW_CATEGORY, false, TABLE_PLAIN);
    table_text(table, type, OVERVIEW_TYPE, false, TABLE_PLAIN);
    overview_number(table, totals->objects);
    overview_number(table, totals->complete + totals->footer);
    overview_number(table, totals->fragmented);
    overview_number(table, totals->truncated);
    /* How long a file was that is cut short nobody knows: some would count all that lies behind. */
    progress_bytes(totals->bytes_whole, bytes);
    table_text(table, bytes, OVERVIEW_BYTES, true, TABLE_PLAIN);
    table_line(table);
}

static void overview_heading(struct table *table)
{
    static const char *const words[] = { "FOUND", "WHOLE", "IN PIECES", "CUT" };

    table_text(table, "CATEGORY", OVERVIEW_CATEGORY, false, TABLE_PLAIN);
    table_text(table, "TYPE", OVERVIEW_TYPE, false, TABLE_PLAIN);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        table_text(table, words[i], OVERVIEW_NUMBER, true, TABLE_PLAIN);
    table_text(table, "BYTES", OVERVIEW_BYTES, true, TABLE_PLAIN);
    table_line(table);
}

/* The types of one category, from row `from` on; gives the first row behind them. */
static uint32_t overview_category(const struct overview *overview, struct table *table,
                                  uint32_t from, uint32_t most)
{
    const uint32_t category = overview->rows[from].category;
    const char *name = sig_category_name((enum sig_category)category);
    struct db_type_totals rest = { 0 };
    uint32_t end = from, left;
    char text[32];

    while (end < overview->count && overview->rows[end].category == category)
        end++;
    /* A line for one more would say as little as one for it alone. */
    left = end - from > most + 1 ? end - from - most : 0;
    for (uint32_t i = from; i < end - left; i++)
        overview_line(table, i == from ? name : "", overview->rows[i].type,
                      &overview->rows[i].totals);
    for (uint32_t i = end - left; i < end; i++)
        overview_sum(&rest, &overview->rows[i].totals);
    snprintf(text, sizeof text, "%u others", left);
    if (left > 0)
        overview_line(table, left == end - from ? name : "", text, &rest);
    return end;
}

/* Half a picture may be evidence: where it is. */
static void overview_cut(const struct overview *overview, FILE *out)
{
    struct cut_short cut = { 0 };
    char text[CUT_SHORT_TEXT];

    for (uint32_t i = 0; i < overview->count; i++)
        cut_short_add(&cut, overview->rows[i].type, overview->rows[i].totals.truncated);
    cut_short_text(&cut, text);
    if (text[0] != '\0')
        fprintf(out, "broken or cut short: %s; burin carve --truncated writes all of them\n", text);
}

enum err_code overview_print(const struct overview *overview, FILE *out, uint32_t columns,
                             uint32_t most, struct err *err)
{
    struct table table;
    const enum err_code rc = table_open(&table, out, columns, false, err);

    if (rc != ERR_OK || overview->count == 0) {
        table_close(&table);
        return rc;
    }
    overview_heading(&table);
    for (uint32_t at = 0; at < overview->count;)
        at = overview_category(overview, &table, at, most);
    overview_line(&table, "all", "", &overview->all);
    table_close(&table);
    overview_cut(overview, out);
    return ERR_OK;
}

void overview_json(const struct overview *overview, struct json *json, const char *name)
{
    json_open_array(json, name);
    for (uint32_t i = 0; i < overview->count; i++) {
        const struct overview_row *row = &overview->rows[i];

        json_open_object(json, NULL);
        json_string(json, "category", sig_category_name((enum sig_category)row->category));
        json_string(json, "type", row->type);
        json_uint(json, "objects", row->totals.objects);
        json_uint(json, "complete", row->totals.complete);
        json_uint(json, "footer", row->totals.footer);
        json_uint(json, "fragmented", row->totals.fragmented);
        json_uint(json, "truncated", row->totals.truncated);
        json_uint(json, "embedded", row->totals.embedded);
        json_uint(json, "bytes", row->totals.bytes);
        json_uint(json, "bytes_whole", row->totals.bytes_whole);
        json_close_object(json);
    }
    json_close_array(json);
}
