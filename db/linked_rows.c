/* SPDX-License-Identifier: Apache-2.0
 * db/linked_rows.c - objects of a shard as rows: see linked.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "db/linked.h"

static int rows_by_id(const void *a, const void *b)
{
    const struct linked_object *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int rows_by_place(const void *a, const void *b, void *arg)
{
    const struct linked_object *objects = arg;
    const struct linked_object *x = &objects[*(const uint32_t *)a],
                               *y = &objects[*(const uint32_t *)b];

    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                  : rows_by_id(x, y);
}

static int rows_by_key(const void *a, const void *b, void *arg)
{
    const struct linked *linked = arg;
    const struct fact_saved *x = a, *y = b;

    return strcmp(linked->keys[x->key].name, linked->keys[y->key].name);
}

/* Facts that lie behind the end of the object say nothing of it. */
static enum err_code rows_facts(const struct linked *linked, struct unpack *in,
                                struct linked_object *object, struct linked_hits *out,
                                struct err *err)
{
    enum err_code rc = ERR_OK;

    object->fact = out->fact_count;
    for (uint32_t i = 0; rc == ERR_OK && i < object->saved.facts && !in->failed; i++) {
        struct fact_saved fact;

        fact_saved_next(in, linked->key_count, &fact);
        if (in->failed || fact.reach > object->saved.len)
            continue;
        rc = grow_items(&out->facts, out->fact_count, &out->fact_room, sizeof *out->facts, err);
        if (rc == ERR_OK)
            out->facts[out->fact_count++] = fact;
    }
    object->fact_count = out->fact_count - object->fact;
    if (rc == ERR_OK && object->fact_count > 1)
        qsort_r(&out->facts[object->fact], object->fact_count, sizeof *out->facts, rows_by_key,
                (void *)(uintptr_t)linked);
    for (uint32_t i = 1; rc == ERR_OK && i < object->fact_count; i++)
        in->failed =
            in->failed || out->facts[object->fact + i - 1].key == out->facts[object->fact + i].key;
    return rc;
}

/* What the header says of it. */
static void rows_header(const struct linked *linked, const struct linked_hits *hits,
                        struct unpack *in, struct linked_object *object)
{
    if (in->failed)
        return;
    const struct linked_head *head = &hits->heads[object->saved.hit];
    const struct linked_use *use = &linked->uses[head->pattern];
    const struct linked_kind *kind = &linked->kinds[use->kind];

    in->failed = use->footer || head->offset < use->at || object->saved.type >= kind->type_count ||
                 object->saved.len > INT64_MAX - (head->offset - use->at);
    if (in->failed)
        return;
    object->id = head->id;
    object->offset = head->offset - use->at;
    object->pattern = head->pattern;
    object->type = &linked->types[kind->type + object->saved.type];
}

static enum err_code rows_add(struct linked_hits *out, const struct linked_object *object,
                              struct err *err)
{
    enum err_code rc =
        grow_items(&out->objects, out->object_count, &out->object_room, sizeof *out->objects, err);

    if (rc == ERR_OK)
        rc = grow_items(&out->by_place, out->object_count, &out->place_room, sizeof *out->by_place,
                        err);
    if (rc != ERR_OK)
        return rc;
    out->by_place[out->object_count] = out->object_count;
    out->objects[out->object_count++] = *object;
    return ERR_OK;
}

/* False: two objects have one header. */
static bool rows_sort(struct linked_hits *out)
{
    bool apart = true;

    if (out->object_count == 0)
        return true;
    qsort(out->objects, out->object_count, sizeof *out->objects, rows_by_id);
    qsort_r(out->by_place, out->object_count, sizeof *out->by_place, rows_by_place, out->objects);
    for (uint32_t i = 1; i < out->object_count; i++)
        apart = apart && out->objects[i - 1].id != out->objects[i].id;
    return apart;
}

enum err_code linked_objects_read(const struct linked *linked, struct unpack *in,
                                  struct unpack *left_out, struct linked_hits *out, struct err *err)
{
    const uint32_t count = unpack_count(in);
    uint32_t gone = left_out->at < left_out->end ? unpack_count(left_out) : 0, skip = UINT32_MAX;
    enum err_code rc = ERR_OK;

    out->object_count = out->fact_count = 0;
    if (gone > 0)
        skip = (uint32_t)unpack_number(left_out, count);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        struct linked_object object = { .index = i };

        object_saved_next(in, out->head_count, &object.saved);
        rows_header(linked, out, in, &object);
        rc = rows_facts(linked, in, &object, out, err);
        if (i == skip) {
            out->fact_count = object.fact;
            skip = --gone > 0 ? i + 1 + (uint32_t)unpack_number(left_out, count) : UINT32_MAX;
            continue;
        }
        in->failed = in->failed || object.id == 0;
        if (rc == ERR_OK && !in->failed)
            rc = rows_add(out, &object, err);
    }
    in->failed = in->failed || gone > 0 || (rc == ERR_OK && !rows_sort(out));
    return rc;
}
