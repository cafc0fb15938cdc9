/* SPDX-License-Identifier: Apache-2.0
 * carver/list/list_print.c - see list_print.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/case/fact_json.h"
#include "carver/case/known_word.h"
#include "carver/cli/about.h"
#include "carver/cli/print_number.h"
#include "carver/cli/print_place.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/list/list_print.h"
#include "signatures/media.h"

/* Columns of the table. */
enum {
    LIST_TYPE = 10,
    LIST_STATE = 10,
    LIST_SIZE = 10,
    LIST_KNOWN = 9,
    LIST_NAME = 24, /* TYPE/OFFSET.EXT, mostly */
    LIST_PLACE_LEAST = 16,
};

/* The place of an object, while it is there to be printed. */
struct list_place {
    FILE *out;
    struct json *json; /* NULL: text */
    bool any;
};

static void list_time(struct json *json, const char *name, int64_t time)
{
    char text[ABOUT_TIME_MAX];

    json_string(json, name, time != DB_NO_TIME && about_time(time, text) ? text : NULL);
}

static enum err_code list_put_place(void *arg, const struct db_found_in *place, struct err *err)
{
    struct list_place *list = arg;

    (void)err;
    list->any = true;
    if (list->json == NULL) {
        print_place(list->out, place->slot, place->file_system, place->path, place->kind);
        return ERR_OK;
    }
    json_open_object(list->json, "place");
    json_string(list->json, "kind", place->kind);
    json_uint(list->json, "partition", place->slot);
    json_string(list->json, "file_system", place->file_system);
    json_string(list->json, "path", place->path);
    json_uint(list->json, "inode", place->inode);
    json_uint(list->json, "file_offset", place->file_offset);
    list_time(list->json, "modified", place->modified);
    list_time(list->json, "accessed", place->accessed);
    list_time(list->json, "changed", place->changed);
    list_time(list->json, "created", place->created);
    json_close_object(list->json);
    return ERR_OK;
}

static enum err_code list_place(const struct list_print *print, int64_t id, FILE *out,
                                struct json *json, struct err *err)
{
    struct list_place list = { .out = out, .json = json };
    const enum err_code rc =
        print->placed ? db_found_in_of(print->db, id, list_put_place, &list, err) : ERR_OK;

    if (!list.any && json == NULL)
        putc('-', out);
    else if (!list.any)
        json_null(json, "place");
    return rc;
}

static enum err_code list_line(struct list_print *print, const struct db_object *object,
                               const char *name, struct err *err)
{
    FILE *const out = print->out;
    enum err_code rc = ERR_OK;

    print_int(out, object->id);
    putc('\t', out);
    print_safe(out, object->type);
    putc('\t', out);
    print_safe(out, object->state);
    putc('\t', out);
    print_uint(out, object->offset);
    putc('\t', out);
    print_uint(out, object->len);
    for (uint32_t i = 0; i < object->extent_count; i++) {
        putc(i == 0 ? '\t' : ',', out);
        print_uint(out, object->extents[i].offset);
        putc('+', out);
        print_uint(out, object->extents[i].len);
    }
    putc('\t', out);
    fputs(object->sha256 != NULL ? object->sha256 : "-", out);
    putc('\t', out);
    if (object->parent_id != 0)
        print_int(out, object->parent_id);
    else
        putc('-', out);
    putc('\t', out);
    fputs(name, out);
    if (print->known) {
        putc('\t', out);
        fputs(known_word(object->known), out);
    }
    if (print->place) {
        putc('\t', out);
        rc = list_place(print, object->id, out, NULL, err);
    }
    putc('\n', out);
    return rc;
}

static enum err_code list_put_fact(void *arg, int64_t object_id, const struct db_fact *fact,
                                   struct err *err)
{
    (void)object_id;
    (void)err;
    fact_json(arg, fact);
    return ERR_OK;
}

static enum err_code list_put_seam(void *arg, uint32_t number, const struct db_join *join,
                                   struct err *err)
{
    struct json *json = arg;

    (void)number;
    (void)err;
    json_open_object(json, NULL);
    json_uint(json, "at", join->at);
    json_string(json, "kind", join->kind);
    json_uint(json, "bits", join->bits);
    json_uint(json, "tried", join->tried);
    json_string(json, "proof", join->text);
    json_close_object(json);
    return ERR_OK;
}

void list_print_extents(struct json *json, const struct db_extent *extents, uint32_t count)
{
    json_open_array(json, "extents");
    for (uint32_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        json_uint(json, "offset", extents[i].offset);
        json_uint(json, "length", extents[i].len);
        json_close_object(json);
    }
    json_close_array(json);
}

static enum err_code list_json(struct list_print *print, const struct db_object *object,
                               const char *name, struct err *err)
{
    struct json *json = &print->json;

    json_open_object(json, NULL);
    json_int(json, "id", object->id);
    json_int(json, "image", object->image_id);
    json_string(json, "type", object->type);
    json_string(json, "extension", object->extension);
    json_string(json, "media_type", sig_media_type(object->type));
    json_string(json, "pronom", sig_pronom(object->type));
    json_string(json, "state", object->state);
    json_string(json, "reason", object->reason);
    json_bool(json, "validated", object->validated);
    json_uint(json, "offset", object->offset);
    json_uint(json, "length", object->len);
    list_print_extents(json, object->extents, object->extent_count);
    json_string(json, "sha256", object->sha256);
    if (object->parent_id != 0)
        json_int(json, "parent", object->parent_id);
    else
        json_null(json, "parent");
    json_string(json, "name", name);
    json_string(json, "known",
                object->known != DB_KNOWN_UNCHECKED ? known_word(object->known) : NULL);
    enum err_code rc = list_place(print, object->id, print->out, json, err);
    json_open_array(json, "seams");
    if (rc == ERR_OK && object->extent_count > 1)
        rc = db_joins_of(print->db, object->id, list_put_seam, json, err);
    json_close_array(json);
    json_open_object(json, "facts");
    if (rc == ERR_OK)
        rc = db_facts_follow(print->facts, object->id, object->len, list_put_fact, json, err);
    json_close_object(json);
    json_close_object(json);
    return rc;
}

static void list_heading(struct list_print *print)
{
    struct table *table = &print->table;

    table_text(table, "ID", print->id_width, true, TABLE_BOLD);
    table_text(table, "TYPE", LIST_TYPE, false, TABLE_BOLD);
    table_text(table, "STATE", LIST_STATE, false, TABLE_BOLD);
    table_text(table, "SIZE", LIST_SIZE, true, TABLE_BOLD);
    if (print->offset)
        table_text(table, "OFFSET", print->offset_width, true, TABLE_BOLD);
    if (print->parent)
        table_text(table, "IN", print->id_width, true, TABLE_BOLD);
    if (print->known)
        table_text(table, "KNOWN", LIST_KNOWN, false, TABLE_BOLD);
    if (print->name)
        table_text(table, "NAME", print->place ? LIST_NAME : 0, false, TABLE_BOLD);
    if (print->place)
        table_text(table, "PLACE", 0, false, TABLE_BOLD);
    table_line(table);
}

static enum table_paint list_state_paint(const char *state)
{
    if (strcmp(state, "complete") == 0)
        return TABLE_GREEN;
    if (strcmp(state, "truncated") == 0)
        return TABLE_YELLOW;
    return strcmp(state, "fragmented") == 0 ? TABLE_CYAN : TABLE_PLAIN;
}

static enum table_paint list_known_paint(enum db_known known)
{
    return known == DB_KNOWN_BAD ? TABLE_RED : known == DB_KNOWN_GOOD ? TABLE_GREEN : TABLE_PLAIN;
}

static enum err_code list_row(struct list_print *print, const struct db_object *object,
                              const char *name, struct err *err)
{
    struct table *table = &print->table;
    enum err_code rc = ERR_OK;
    char size[32];

    if (!print->any)
        list_heading(print);
    print_int(table_cell(table), object->id);
    table_put(table, print->id_width, true, TABLE_PLAIN);
    table_text(table, object->type, LIST_TYPE, false, TABLE_PLAIN);
    table_text(table, object->state, LIST_STATE, false, list_state_paint(object->state));
    progress_bytes(object->len, size);
    table_text(table, size, LIST_SIZE, true, TABLE_PLAIN);
    if (print->offset) {
        print_uint(table_cell(table), object->offset);
        table_put(table, print->offset_width, true, TABLE_PLAIN);
    }
    if (print->parent) {
        if (object->parent_id != 0)
            print_int(table_cell(table), object->parent_id);
        else
            (void)table_cell(table);
        table_put(table, print->id_width, true, TABLE_PLAIN);
    }
    if (print->known)
        table_text(table, known_word(object->known), LIST_KNOWN, false,
                   list_known_paint(object->known));
    if (print->name)
        table_text(table, name, print->place ? LIST_NAME : 0, false, TABLE_PLAIN);
    if (print->place) {
        rc = list_place(print, object->id, table_cell(table), NULL, err);
        table_put(table, 0, false, TABLE_PLAIN);
    }
    table_line(table);
    return rc;
}

static uint32_t list_digits(uint64_t number)
{
    uint32_t digits = 1;

    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* How wide numbers of this case are, and which columns have room beside those that are always
 * there. */
static enum err_code list_measure(struct list_print *print, uint32_t columns, struct err *err)
{
    uint32_t count = 0;
    uint64_t size = 0;
    int64_t last = 0;
    enum err_code rc = db_hit_last_id(print->db, &last, err);

    if (rc == ERR_OK)
        rc = db_image_count(print->db, &count, err);
    for (int64_t id = 1; rc == ERR_OK && id <= count; id++) {
        struct db_image image;

        rc = db_image_get(print->db, id, &image, err);
        if (rc == ERR_OK && image.size > size)
            size = image.size;
    }
    print->id_width = list_digits((uint64_t)last);
    if (print->id_width < 2)
        print->id_width = 2;
    print->offset_width = list_digits(size);
    if (print->offset_width < 6)
        print->offset_width = 6;
    uint32_t used = print->id_width + LIST_TYPE + LIST_STATE + LIST_SIZE + 3 * TABLE_GAP;
    if (print->known)
        used += TABLE_GAP + LIST_KNOWN;
    if (print->place)
        used += TABLE_GAP + LIST_PLACE_LEAST;
    print->name = used + TABLE_GAP + LIST_NAME <= columns;
    used += print->name ? TABLE_GAP + LIST_NAME : 0;
    print->offset = used + TABLE_GAP + print->offset_width <= columns;
    used += print->offset ? TABLE_GAP + print->offset_width : 0;
    print->parent = used + TABLE_GAP + print->id_width <= columns;
    return rc;
}

enum err_code list_print_open(struct list_print *print, struct db_case *db, FILE *out,
                              uint32_t columns, bool color, struct err *err)
{
    enum err_code rc = db_found_in_any(db, &print->placed, err);

    print->db = db;
    print->out = out;
    json_init(&print->json, out, 1);
    if (print->form == LIST_JSON)
        json_open_array(&print->json, NULL);
    if (rc == ERR_OK && print->form == LIST_JSON)
        rc = db_facts_follow_open(db, &print->facts, err);
    if (rc == ERR_OK && print->form == LIST_TABLE) {
        rc = table_open(&print->table, out, columns, color, err);
        if (rc == ERR_OK)
            rc = list_measure(print, columns, err);
    }
    return rc;
}

enum err_code list_print_row(struct list_print *print, const struct db_object *object,
                             const char *name, struct err *err)
{
    const enum err_code rc = print->form == LIST_LINES  ? list_line(print, object, name, err)
                             : print->form == LIST_JSON ? list_json(print, object, name, err)
                                                        : list_row(print, object, name, err);

    print->any = true;
    return rc;
}

void list_print_end(struct list_print *print)
{
    if (print->form != LIST_JSON)
        return;
    json_close_array(&print->json);
    json_end(&print->json);
}

void list_print_close(struct list_print *print)
{
    table_close(&print->table);
    db_facts_follow_close(print->facts);
    print->facts = NULL;
}
