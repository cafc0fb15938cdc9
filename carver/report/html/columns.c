/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/columns.c - see columns.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "carver/case/object_names.h"
#include "carver/report/html/columns.h"
#include "signatures/category.h"

enum { COLUMNS_FIRST = 1024, COLUMNS_NAME_HEX = 16, COLUMNS_DEGREE = 10000000 };

static uint8_t columns_word(const char *word, const char *const *words, uint8_t count)
{
    uint8_t i = 0;

    while (i < count && strcmp(word, words[i]) != 0)
        i++;
    return i;
}

static uint8_t columns_state_of(const char *state)
{
    static const char *const words[] = { "complete", "footer", "truncated", "fragmented" };

    return columns_word(state, words, STATE_OTHER);
}

static uint8_t columns_place_of(const char *kind)
{
    static const char *const words[] = { "",         "file",         "deleted",
                                         "slack",    "unallocated",  "allocated",
                                         "metadata", "unpartitioned" };

    return columns_word(kind, words, PLACE_OTHER);
}

/* The name in the parts that names have in common: "jpg/0001/" and ".jpg". */
static enum err_code columns_name(struct columns *columns, const char *name,
                                  struct columns_row *row, struct err *err)
{
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    const size_t folder = (size_t)(base - name);
    char text[OBJECT_PATH_MAX];

    if (folder >= sizeof text || strlen(base) < COLUMNS_NAME_HEX)
        return ERR_RAISE(err, ERR_INPUT, "the name of object %" PRId64 " is none: %s", row->id,
                         name);
    memcpy(text, name, folder);
    text[folder] = '\0';
    const enum err_code rc = texts_put(&columns->texts, text, &row->folder, err);
    return rc == ERR_OK ? texts_put(&columns->texts, base + COLUMNS_NAME_HEX, &row->tail, err) : rc;
}

static enum err_code columns_where(struct columns *columns, const struct db_found_in *place,
                                   struct columns_row *row, struct err *err)
{
    char volume[300];

    if (place == NULL)
        return ERR_OK;
    row->place = columns_place_of(place->kind);
    if (place->slot != 0)
        snprintf(volume, sizeof volume, "p%" PRIu32 "/%s", place->slot, place->file_system);
    else
        snprintf(volume, sizeof volume, "%s", place->file_system);
    const enum err_code rc = texts_put(&columns->texts, volume, &row->volume, err);
    return rc == ERR_OK ? texts_put(&columns->texts, place->path, &row->path, err) : rc;
}

/* The pieces of an object that has more than one. */
static enum err_code columns_pieces(struct columns *columns, const struct db_object *object,
                                    struct columns_row *row, struct err *err)
{
    char text[COLUMNS_PIECES * 44 + 64];
    size_t used = 0;

    if (object->extent_count < 2)
        return ERR_OK;
    for (uint32_t i = 0; i < object->extent_count && i < COLUMNS_PIECES; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu64 "+%" PRIu64,
                             i == 0 ? "" : ", ", object->extents[i].offset, object->extents[i].len);
    if (object->extent_count > COLUMNS_PIECES)
        snprintf(text + used, sizeof text - used, " and %" PRIu32 " more",
                 object->extent_count - COLUMNS_PIECES);
    return texts_put(&columns->texts, text, &row->pieces, err);
}

static void columns_hash(struct columns *columns, const char *sha256, struct columns_row *row)
{
    if (sha256 == NULL)
        return;
    for (size_t i = 0; i < COLUMNS_SHA256; i++) {
        const int high = hex_digit(sha256[2 * i]), low = hex_digit(sha256[2 * i + 1]);

        if (high < 0 || low < 0)
            return;
        row->sha256[i] = (uint8_t)(high << 4 | low);
    }
    row->hashed = true;
    columns->hashed++;
}

/* What it says of itself: all as a text of lines, and date and place as numbers, too. */
static enum err_code columns_facts(struct columns *columns, const struct facts *facts,
                                   struct columns_row *row, struct err *err)
{
    const struct db_fact *date = facts_own_date(facts), *latitude = facts_find(facts, "gps.lat"),
                         *longitude = facts_find(facts, "gps.lon");
    char *text = NULL;
    size_t len = 0;

    if (facts->count == 0)
        return ERR_OK;
    if (date != NULL) {
        row->dated = facts_is_local(date) ? 2 : 1;
        row->date = date->number;
    }
    row->located = latitude != NULL && longitude != NULL && latitude->has_number &&
                   longitude->has_number && llabs(latitude->number) <= 90LL * COLUMNS_DEGREE &&
                   llabs(longitude->number) <= 180LL * COLUMNS_DEGREE;
    if (row->located) {
        row->latitude = (int32_t)latitude->number;
        row->longitude = (int32_t)longitude->number;
    }
    FILE *out = open_memstream(&text, &len);
    if (out == NULL)
        return ERR_NO_MEMORY(err, len);
    for (uint32_t i = 0; i < facts->count; i++)
        fprintf(out, "%s%s: %s", i > 0 ? "; " : "", facts->items[i].key, facts->items[i].value);
    enum err_code rc = fclose(out) == 0 ? ERR_OK : ERR_NO_MEMORY(err, len);
    if (rc == ERR_OK)
        rc = texts_put(&columns->texts, text, &row->facts, err);
    free(text);
    return rc;
}

static enum err_code columns_grow(struct columns *columns, struct err *err)
{
    const size_t room = columns->room == 0 ? COLUMNS_FIRST : 2 * columns->room;

    if (columns->count < columns->room)
        return ERR_OK;
    if (columns->count == INT32_MAX)
        return ERR_RAISE(err, ERR_FULL, "more objects than a page can hold; choose fewer");
    struct columns_row *rows = realloc(columns->rows, room * sizeof *rows);
    if (rows == NULL)
        return ERR_NO_MEMORY(err, room * sizeof *rows);
    columns->rows = rows;
    columns->room = room;
    return ERR_OK;
}

enum err_code columns_add(struct columns *columns, const struct report_object *report,
                          struct err *err)
{
    const struct db_object *object = report->object;
    struct columns_row row = { .id = object->id,
                               .parent = object->parent_id,
                               .offset = object->offset,
                               .len = object->len,
                               .image = (uint32_t)object->image_id,
                               .state = columns_state_of(object->state),
                               .known = (uint8_t)object->known,
                               .category = (uint8_t)sig_category_of(object->type) };
    enum err_code rc = columns_grow(columns, err);

    if (rc == ERR_OK)
        rc = texts_put(&columns->texts, object->type, &row.type, err);
    if (rc == ERR_OK)
        rc = columns_name(columns, report->name, &row, err);
    if (rc == ERR_OK)
        rc = texts_put(&columns->texts, object->reason, &row.reason, err);
    if (rc == ERR_OK)
        rc = columns_where(columns, report->place, &row, err);
    if (rc == ERR_OK)
        rc = columns_pieces(columns, object, &row, err);
    if (rc == ERR_OK)
        rc = columns_facts(columns, report->facts, &row, err);
    if (rc == ERR_OK) {
        columns_hash(columns, object->sha256, &row);
        columns->rows[columns->count++] = row;
    }
    return rc;
}

void columns_close(struct columns *columns)
{
    free(columns->rows);
    texts_close(&columns->texts);
    *columns = (struct columns){ 0 };
}
