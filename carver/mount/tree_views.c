/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_views.c - the views of a tree by a property of its objects: see settle.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/known_word.h"
#include "carver/mount/settle.h"
#include "carver/mount/tree_parts.h"
#include "signatures/category.h"

enum { SETTLE_VIEW_STEPS = 3 /* "by", the view, the group */ };

static const char *settle_size_name(uint64_t len)
{
    static const struct {
        uint64_t below;
        const char *name;
    } sizes[] = { { UINT64_C(1) << 12, "0-4K" },
                  { UINT64_C(1) << 16, "4K-64K" },
                  { UINT64_C(1) << 20, "64K-1M" },
                  { UINT64_C(1) << 24, "1M-16M" },
                  { UINT64_C(1) << 28, "16M-256M" },
                  { UINT64_C(1) << 32, "256M-4G" },
                  { UINT64_MAX, "4G-" } };
    uint32_t i = 0;

    while (len >= sizes[i].below)
        i++;
    return sizes[i].name;
}

/* Each gives the name of the group of an object; buffer may hold it. */
typedef const char *settle_group_fn(const struct tree *tree, const struct tree_object *object,
                                    char buffer[TREE_NAME_MAX]);

static const char *settle_state(const struct tree *tree, const struct tree_object *object,
                                char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return tree_state_name(object->state);
}

static const char *settle_category(const struct tree *tree, const struct tree_object *object,
                                   char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return sig_category_name((enum sig_category)object->category);
}

static const char *settle_known(const struct tree *tree, const struct tree_object *object,
                                char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return known_word((enum db_known)object->known);
}

static const char *settle_size(const struct tree *tree, const struct tree_object *object,
                               char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return settle_size_name(object->len);
}

static const char *settle_offset(const struct tree *tree, const struct tree_object *object,
                                 char buffer[TREE_NAME_MAX])
{
    (void)tree;
    snprintf(buffer, TREE_NAME_MAX, "%08" PRIu64 "G", object->offset >> 30);
    return buffer;
}

static const char *settle_image(const struct tree *tree, const struct tree_object *object,
                                char buffer[TREE_NAME_MAX])
{
    snprintf(buffer, TREE_NAME_MAX, "%" PRIu32, tree->folders[object->folder].image);
    return buffer;
}

static const char *settle_place(const struct tree *tree, const struct tree_object *object,
                                char buffer[TREE_NAME_MAX])
{
    (void)buffer;
    return object->place == 0 ? "unknown" : tree->places.items[object->place - 1];
}

static const char *settle_partition(const struct tree *tree, const struct tree_object *object,
                                    char buffer[TREE_NAME_MAX])
{
    (void)buffer;
    return object->partition == 0 ? "none" : tree->partitions.items[object->partition - 1];
}

static const struct {
    const char *name;
    settle_group_fn *group;
} settle_views[] = {
    { "category", settle_category },   { "image", settle_image }, { "known", settle_known },
    { "offset", settle_offset },       { "place", settle_place }, { "size", settle_size },
    { "partition", settle_partition }, { "state", settle_state },
};

/* The group of each object that is listed. */
static enum err_code settle_groups(struct settle *settle, settle_group_fn *group)
{
    struct tree *tree = settle->tree;
    uint32_t last = TREE_NONE;
    enum err_code rc = ERR_OK;

    words_close(&settle->groups);
    words_init(&settle->groups);
    for (uint32_t i = 0; rc == ERR_OK && i < tree->count; i++) {
        const struct tree_object *object = &tree->objects[i];
        char buffer[TREE_NAME_MAX];

        if (!object->listed)
            continue;
        const char *name = group(tree, object, buffer);
        if (last == TREE_NONE || strcmp(settle->groups.items[last], name) != 0)
            rc = words_add(&settle->groups, name, &last, settle->err);
        settle->keys[i] = last;
    }
    return rc;
}

/* All are of one group: its folders have what those of by/type have. */
static enum err_code settle_one_group(struct settle *settle, struct settle_step *path)
{
    struct tree *tree = settle->tree;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < tree->folder_paths.count; i++) {
        const struct tree_folder *folder = &tree->folders[settle->sorted[i]];

        if (folder->count == 0)
            continue;
        rc = settle_open(settle, path, settle_add_steps(path, SETTLE_VIEW_STEPS, folder));
        if (rc == ERR_OK)
            settle_share(settle, folder);
    }
    return rc;
}

/* The name of a group, to stay with the tree. */
static enum err_code settle_group_name(struct settle *settle, uint32_t group, const char **out)
{
    uint32_t number = 0;
    const enum err_code rc =
        words_add(&settle->tree->names, settle->groups.items[group], &number, settle->err);

    if (rc == ERR_OK)
        *out = settle->tree->names.items[number];
    return rc;
}

static enum err_code settle_view(struct settle *settle, const char *view, settle_group_fn *group)
{
    struct tree *tree = settle->tree;
    struct settle_step path[TREE_DEPTH] = { { settle_by, TREE_NONE }, { view, TREE_NONE } };
    uint32_t count = 0, last_group = TREE_NONE, last_folder = TREE_NONE;
    enum err_code rc = settle_groups(settle, group);

    if (rc != ERR_OK || settle->groups.count == 0)
        return rc;
    path[2].owner = TREE_NONE;
    if (settle->groups.count == 1) {
        rc = settle_group_name(settle, 0, &path[2].name);
        return rc == ERR_OK ? settle_one_group(settle, path) : rc;
    }
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->objects[settle->order[i]].listed)
            settle->grouped[count++] = settle->order[i];
    uint32_t *const sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return ERR_NO_MEMORY(settle->err, count * sizeof *sorted);
    rc = settle_sort(settle->grouped, count, settle->keys, settle->groups.count, sorted,
                     settle->err);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint32_t folder = tree->objects[sorted[i]].folder, key = settle->keys[sorted[i]];

        if (key != last_group)
            rc = settle_group_name(settle, key, &path[2].name);
        if (rc == ERR_OK && (key != last_group || folder != last_folder))
            rc = settle_open(settle, path,
                             settle_add_steps(path, SETTLE_VIEW_STEPS, &tree->folders[folder]));
        last_group = key;
        last_folder = folder;
        if (rc == ERR_OK)
            rc = settle_file(settle, sorted[i]);
    }
    free(sorted);
    return rc;
}

enum err_code settle_views_all(struct settle *settle)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < sizeof settle_views / sizeof settle_views[0]; i++)
        rc = settle_view(settle, settle_views[i].name, settle_views[i].group);
    return rc;
}
