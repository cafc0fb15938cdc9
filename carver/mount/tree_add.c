/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_add.c - objects, and what is known of them, into a tree: see tree.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/mount/tree_parts.h"
#include "signatures/category.h"

enum { TREE_ROOM_FIRST = 1024 };

enum err_code tree_grow(void *array, uint32_t count, uint32_t *room, size_t size, struct err *err)
{
    void **const items = array;

    if (count < *room)
        return ERR_OK;
    if (count >= TREE_NONE / 2)
        return ERR_RAISE(err, ERR_INPUT, "the case file has more objects than a mount can have");
    const uint32_t more = *room == 0 ? TREE_ROOM_FIRST : 2 * *room;
    void *grown = realloc(*items, more * size);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, more * size);
    *items = grown;
    *room = more;
    return ERR_OK;
}

/* The numbers of states are those of this table. */
static const char *const tree_states[] = { "complete", "footer", "truncated", "fragmented" };

const char *tree_state_name(uint32_t state)
{
    return tree_states[state];
}

static uint32_t tree_state(const char *name)
{
    uint32_t state = 0;

    while (state + 1 < sizeof tree_states / sizeof tree_states[0] &&
           strcmp(tree_states[state], name) != 0)
        state++;
    return state;
}

static enum err_code tree_add_piece(struct tree *tree, uint64_t start, uint64_t offset,
                                    struct err *err)
{
    const enum err_code rc =
        tree_grow(&tree->pieces, tree->piece_count, &tree->piece_room, sizeof *tree->pieces, err);

    if (rc == ERR_OK)
        tree->pieces[tree->piece_count++] = (struct ranges_piece){ start, offset };
    return rc;
}

static enum err_code tree_add_pieces(struct tree *tree, const struct db_object *object,
                                     uint32_t *first, struct err *err)
{
    enum err_code rc = ERR_OK;
    uint64_t start = 0;

    *first = TREE_NONE;
    if (object->extent_count == 1 && object->extents[0].offset == object->offset)
        return ERR_OK;
    *first = tree->piece_count;
    rc = tree_add_piece(tree, object->extent_count, 0, err);
    for (uint32_t i = 0; rc == ERR_OK && i < object->extent_count; i++) {
        rc = tree_add_piece(tree, start, object->extents[i].offset, err);
        start += object->extents[i].len;
    }
    return rc;
}

enum err_code tree_add(struct tree *tree, const struct db_object *object,
                       const struct object_path *path, bool top, bool listed, struct err *err)
{
    struct tree_object out = { .id = object->id,
                               .offset = object->offset,
                               .len = object->len,
                               .parent = TREE_NONE,
                               .number = path->number,
                               .state = tree_state(object->state) & 7,
                               .known = (uint32_t)object->known & 7,
                               .category = (uint32_t)sig_category_of(object->type) & 15,
                               .top = top,
                               .listed = listed };
    uint32_t extension = 0;
    enum err_code rc = ERR_OK;

    if (object->id < 0 || object->id > TREE_ID_MAX || object->image_id < 1 ||
        object->image_id > tree->images)
        return ERR_RAISE(err, ERR_INPUT,
                         "the case file is damaged: object %" PRId64 " of image %" PRId64,
                         object->id, object->image_id);
    rc = tree_grow(&tree->objects, tree->count, &tree->room, sizeof *tree->objects, err);
    if (rc == ERR_OK)
        rc = words_add(&tree->folder_paths, path->folder, &out.folder, err);
    if (rc == ERR_OK)
        rc = words_add(&tree->extensions, path->extension, &extension, err);
    out.extension = extension & 0x3ffff;
    if (rc == ERR_OK)
        rc = tree_add_pieces(tree, object, &out.piece, err);
    if (rc == ERR_OK && object->parent_id != 0) {
        rc = tree_grow(&tree->parents, tree->parent_count, &tree->parent_room,
                       sizeof *tree->parents, err);
        if (rc == ERR_OK)
            tree->parents[tree->parent_count++] =
                (struct tree_parent){ object->parent_id, tree->count };
    }
    if (rc == ERR_OK)
        tree->objects[tree->count++] = out;
    return rc;
}

static int settle_compare_ids(const void *a, const void *b, void *arg)
{
    const struct tree *tree = arg;
    const int64_t one = tree->objects[*(const uint32_t *)a].id,
                  other = tree->objects[*(const uint32_t *)b].id;

    return (one > other) - (one < other);
}

enum err_code tree_find_ready(struct tree *tree, struct err *err)
{
    bool ascend = true;

    for (uint32_t i = 1; i < tree->count && ascend; i++)
        ascend = tree->objects[i - 1].id < tree->objects[i].id;
    if (ascend)
        return ERR_OK;
    tree->by_id = malloc((size_t)tree->count * sizeof *tree->by_id);
    if (tree->by_id == NULL)
        return ERR_NO_MEMORY(err, tree->count * sizeof *tree->by_id);
    for (uint32_t i = 0; i < tree->count; i++)
        tree->by_id[i] = i;
    qsort_r(tree->by_id, tree->count, sizeof *tree->by_id, settle_compare_ids, tree);
    return ERR_OK;
}

/* The number of a word, from 1; 0 where there are too many others. */
static enum err_code settle_word(struct words *words, const char *text, uint16_t *out,
                                 struct err *err)
{
    uint32_t number = 0;

    *out = 0;
    if (words->count == TREE_GROUPS) {
        for (uint32_t i = 0; i < words->count; i++)
            if (strcmp(words->items[i], text) == 0)
                *out = (uint16_t)(i + 1);
        return ERR_OK;
    }
    const enum err_code rc = words_add(words, text, &number, err);
    if (rc == ERR_OK)
        *out = (uint16_t)(number + 1);
    return rc;
}

enum err_code tree_place(struct tree *tree, const struct db_found_in *place, struct err *err)
{
    const uint32_t index = tree_find(tree, place->object_id);
    char kind[OUTDIR_NAME_MAX], system[OUTDIR_NAME_MAX], partition[OUTDIR_NAME_MAX + 16];

    if (index == TREE_NONE)
        return ERR_OK;
    struct tree_object *object = &tree->objects[index];
    outdir_safe_name(kind, place->kind, "unknown");
    outdir_safe_name(system, place->file_system, "");
    snprintf(partition, sizeof partition, "%" PRIu32 "%s%s", place->slot,
             system[0] != '\0' ? "-" : "", system);
    enum err_code rc = settle_word(&tree->places, kind, &object->place, err);
    return rc == ERR_OK && place->slot != 0
               ? settle_word(&tree->partitions, partition, &object->partition, err)
               : rc;
}
