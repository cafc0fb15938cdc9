/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_views.c - the views of a tree by a property of its objects: see settle.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "carver/case/known_word.h"
#include "carver/mount/settle.h"
#include "carver/mount/tree_parts.h"
#include "signatures/category.h"

enum {
    SETTLE_VIEW_STEPS = 3, /* "by", the view, the group */
    SETTLE_YEAR = 1900,    /* that struct tm counts from */
    SETTLE_YEAR_MAX = 9999,
    SETTLE_KEPT = 64, /* numbers of groups whose names are kept while objects are walked */
};

static const struct {
    uint64_t below;
    const char *name;
} settle_sizes[] = { { UINT64_C(1) << 12, "0-4K" },
                     { UINT64_C(1) << 16, "4K-64K" },
                     { UINT64_C(1) << 20, "64K-1M" },
                     { UINT64_C(1) << 24, "1M-16M" },
                     { UINT64_C(1) << 28, "16M-256M" },
                     { UINT64_C(1) << 32, "256M-4G" },
                     { UINT64_MAX, "4G-" } };

/* The number of the group of an object in a view: objects are many, and groups are few. */
typedef uint64_t settle_group_fn(const struct tree *tree, const struct tree_object *object);
/* The name of the group of this number; buffer may hold it. */
typedef const char *settle_name_fn(const struct tree *tree, uint64_t group,
                                   char buffer[TREE_NAME_MAX]);

static uint64_t settle_state(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->state;
}

static const char *settle_state_name(const struct tree *tree, uint64_t group,
                                     char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return tree_state_name((uint32_t)group);
}

static uint64_t settle_category(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->category;
}

static const char *settle_category_name(const struct tree *tree, uint64_t group,
                                        char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return sig_category_name((enum sig_category)group);
}

/* Months of the years 0 to 9999, from 1 on; 0: it has no such date. */
static uint64_t settle_date(const struct tree *tree, const struct tree_object *object)
{
    int64_t seconds;
    struct tm date;

    if (!tree_date_of(tree, (uint32_t)(object - tree->objects), &seconds) ||
        gmtime_r(&seconds, &date) == NULL || date.tm_year < -SETTLE_YEAR ||
        date.tm_year > SETTLE_YEAR_MAX - SETTLE_YEAR)
        return 0;
    return 1 + (uint64_t)(date.tm_year + SETTLE_YEAR) * 12 + (uint64_t)date.tm_mon;
}

static const char *settle_date_name(const struct tree *tree, uint64_t group,
                                    char buffer[TREE_NAME_MAX])
{
    (void)tree;
    if (group == 0)
        return "none";
    snprintf(buffer, TREE_NAME_MAX, "%04" PRIu64 "-%02" PRIu64, (group - 1) / 12,
             (group - 1) % 12 + 1);
    return buffer;
}

static uint64_t settle_known(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->known;
}

static const char *settle_known_name(const struct tree *tree, uint64_t group,
                                     char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return known_word((enum db_known)group);
}

static uint64_t settle_size(const struct tree *tree, const struct tree_object *object)
{
    uint32_t i = 0;

    (void)tree;
    while (object->len >= settle_sizes[i].below)
        i++;
    return i;
}

static const char *settle_size_name(const struct tree *tree, uint64_t group,
                                    char buffer[TREE_NAME_MAX])
{
    (void)tree;
    (void)buffer;
    return settle_sizes[group].name;
}

static uint64_t settle_offset(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->offset >> 30;
}

static const char *settle_offset_name(const struct tree *tree, uint64_t group,
                                      char buffer[TREE_NAME_MAX])
{
    (void)tree;
    snprintf(buffer, TREE_NAME_MAX, "%08" PRIu64 "G", group);
    return buffer;
}

static uint64_t settle_image(const struct tree *tree, const struct tree_object *object)
{
    return tree->folders[object->folder].image;
}

static const char *settle_image_name(const struct tree *tree, uint64_t group,
                                     char buffer[TREE_NAME_MAX])
{
    (void)tree;
    snprintf(buffer, TREE_NAME_MAX, "%" PRIu64, group);
    return buffer;
}

static uint64_t settle_place(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->place;
}

static const char *settle_place_name(const struct tree *tree, uint64_t group,
                                     char buffer[TREE_NAME_MAX])
{
    (void)buffer;
    return group == 0 ? "unknown" : tree->places.items[group - 1];
}

static uint64_t settle_partition(const struct tree *tree, const struct tree_object *object)
{
    (void)tree;
    return object->partition;
}

static const char *settle_partition_name(const struct tree *tree, uint64_t group,
                                         char buffer[TREE_NAME_MAX])
{
    (void)buffer;
    return group == 0 ? "none" : tree->partitions.items[group - 1];
}

static const struct settle_how {
    const char *view;
    settle_group_fn *group;
    settle_name_fn *name;
} settle_views[] = {
    { "category", settle_category, settle_category_name },
    { "date", settle_date, settle_date_name },
    { "image", settle_image, settle_image_name },
    { "known", settle_known, settle_known_name },
    { "offset", settle_offset, settle_offset_name },
    { "place", settle_place, settle_place_name },
    { "size", settle_size, settle_size_name },
    { "partition", settle_partition, settle_partition_name },
    { "state", settle_state, settle_state_name },
};

/* The group of each object that is listed, by the number of its name. Few are asked for by name:
 * not those of the last object's group, nor of one that is kept. */
static enum err_code settle_groups(struct settle *settle, const struct settle_how *how)
{
    struct tree *tree = settle->tree;
    uint32_t kept[SETTLE_KEPT];
    uint64_t last_group = UINT64_MAX;
    uint32_t last = TREE_NONE;
    enum err_code rc = ERR_OK;

    words_close(&settle->groups);
    words_init(&settle->groups);
    for (size_t i = 0; i < SETTLE_KEPT; i++)
        kept[i] = TREE_NONE;
    for (uint32_t i = 0; rc == ERR_OK && i < tree->count; i++) {
        const struct tree_object *object = &tree->objects[i];
        char buffer[TREE_NAME_MAX];

        if (!object->listed)
            continue;
        const uint64_t group = how->group(tree, object);
        if (group != last_group) {
            last = group < SETTLE_KEPT ? kept[group] : TREE_NONE;
            if (last == TREE_NONE)
                rc = words_add(&settle->groups, how->name(tree, group, buffer), &last, settle->err);
            if (group < SETTLE_KEPT)
                kept[group] = last;
            last_group = group;
        }
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

static enum err_code settle_view(struct settle *settle, const struct settle_how *how)
{
    struct tree *tree = settle->tree;
    struct settle_step path[TREE_DEPTH] = { { settle_by, TREE_NONE }, { how->view, TREE_NONE } };
    uint32_t count = 0, last_group = TREE_NONE, last_folder = TREE_NONE;
    enum err_code rc = settle_groups(settle, how);

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
        rc = settle_view(settle, &settle_views[i]);
    return rc;
}
