/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_settle.c - see tree.h: when all objects are known, the folders are made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/mount/settle.h"
#include "carver/mount/tree_parts.h"

static int settle_compare_paths(const void *a, const void *b, void *arg)
{
    const struct words *words = arg;
    const char *one = words->items[*(const uint32_t *)a],
               *other = words->items[*(const uint32_t *)b];

    while (*one == *other && *one != '\0') {
        one++;
        other++;
    }
    /* A folder stands before what is behind it in names that begin as it does. */
    const int left = *one == '/' ? 1 : (uint8_t)*one, right = *other == '/' ? 1 : (uint8_t)*other;
    return (left > right) - (left < right);
}

static enum err_code settle_folder(struct settle *settle, uint32_t number)
{
    struct tree *tree = settle->tree;
    struct tree_folder *folder = &tree->folders[number];
    const char *path = tree->folder_paths.items[number];
    enum err_code rc = ERR_OK;

    *folder = (struct tree_folder){ .image = 1 };
    while (rc == ERR_OK && folder->step_count < TREE_STEPS) {
        char step[OBJECT_PATH_MAX];
        const size_t len = strcspn(path, "/");
        uint32_t name = 0;

        snprintf(step, sizeof step, "%.*s", (int)len, path);
        rc = words_add(&tree->names, step, &name, settle->err);
        if (rc == ERR_OK)
            folder->steps[folder->step_count++] = tree->names.items[name];
        if (path[len] == '\0')
            break;
        path += len + 1;
    }
    if (rc == ERR_OK && tree->images > 1)
        folder->image = (uint32_t)strtoul(folder->steps[0] + strlen("image"), NULL, 10);
    return rc;
}

static enum err_code settle_folders(struct settle *settle)
{
    struct tree *tree = settle->tree;
    const uint32_t count = tree->folder_paths.count;
    enum err_code rc = ERR_OK;

    tree->folders = calloc((size_t)count + 1, sizeof *tree->folders);
    settle->sorted = calloc((size_t)count + 1, sizeof *settle->sorted);
    settle->ranks = calloc((size_t)count + 1, sizeof *settle->ranks);
    if (tree->folders == NULL || settle->sorted == NULL || settle->ranks == NULL)
        return ERR_NO_MEMORY(settle->err, count * sizeof *tree->folders);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        settle->sorted[i] = i;
        rc = settle_folder(settle, i);
    }
    qsort_r(settle->sorted, count, sizeof *settle->sorted, settle_compare_paths,
            &tree->folder_paths);
    for (uint32_t i = 0; i < count; i++)
        settle->ranks[settle->sorted[i]] = i;
    return rc;
}

enum err_code settle_sort(const uint32_t *items, uint32_t count, const uint32_t *keys,
                          uint32_t key_count, uint32_t *out, struct err *err)
{
    uint32_t *starts = calloc((size_t)key_count + 1, sizeof *starts);

    if (starts == NULL)
        return ERR_NO_MEMORY(err, key_count * sizeof *starts);
    for (uint32_t i = 0; i < count; i++)
        starts[keys[items[i]] + 1]++;
    for (uint32_t i = 0; i < key_count; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < count; i++)
        out[starts[keys[items[i]]]++] = items[i];
    free(starts);
    return ERR_OK;
}

static enum err_code settle_order(struct settle *settle)
{
    struct tree *tree = settle->tree;
    const size_t room = (size_t)tree->count + 1;

    settle->order = calloc(room, sizeof *settle->order);
    settle->keys = calloc(room, sizeof *settle->keys);
    settle->grouped = calloc(room, sizeof *settle->grouped);
    if (settle->order == NULL || settle->keys == NULL || settle->grouped == NULL)
        return ERR_NO_MEMORY(settle->err, room * sizeof *settle->order);
    for (uint32_t i = 0; i < tree->count; i++) {
        settle->grouped[i] = i;
        settle->keys[i] = settle->ranks[tree->objects[i].folder];
    }
    return settle_sort(settle->grouped, tree->count, settle->keys, tree->folder_paths.count,
                       settle->order, settle->err);
}

static enum err_code settle_dir(struct settle *settle, const struct settle_step *step,
                                uint32_t parent, uint32_t *out)
{
    struct tree *tree = settle->tree;
    const enum err_code rc =
        tree_grow(&tree->dirs, tree->dir_count, &tree->dir_room, sizeof *tree->dirs, settle->err);

    if (rc != ERR_OK)
        return rc;
    *out = tree->dir_count++;
    tree->dirs[*out] = (struct tree_dir){
        .name = step->name, .parent = parent, .owner = step->owner, .first_item = tree->item_count
    };
    tree->dirs[parent].kids += *out != parent;
    return ERR_OK;
}

/* Makes the folders of a path that are not there. The root is dirs[0]. */
enum err_code settle_open(struct settle *settle, const struct settle_step *path, uint32_t depth)
{
    uint32_t same = 0;
    enum err_code rc = ERR_OK;

    while (same < depth && same < settle->depth && settle->path[same].name == path[same].name &&
           settle->path[same].owner == path[same].owner)
        same++;
    settle->depth = same;
    while (rc == ERR_OK && settle->depth < depth) {
        const uint32_t at = settle->depth;

        rc = settle_dir(settle, &path[at], at == 0 ? 0 : settle->dirs[at - 1], &settle->dirs[at]);
        settle->path[at] = path[at];
        settle->depth += rc == ERR_OK;
    }
    return rc;
}

enum err_code settle_file(struct settle *settle, uint32_t object)
{
    struct tree *tree = settle->tree;
    const enum err_code rc = tree_grow(&tree->items, tree->item_count, &tree->item_room,
                                       sizeof *tree->items, settle->err);

    if (rc != ERR_OK)
        return rc;
    tree->items[tree->item_count++] = object;
    tree->dirs[settle->dirs[settle->depth - 1]].items++;
    return ERR_OK;
}

void settle_share(struct settle *settle, const struct tree_folder *folder)
{
    struct tree_dir *dir = &settle->tree->dirs[settle->dirs[settle->depth - 1]];

    dir->first_item = folder->first;
    dir->items = folder->count;
}

uint32_t settle_add_steps(struct settle_step *path, uint32_t depth,
                          const struct tree_folder *folder)
{
    for (uint32_t i = 0; i < folder->step_count; i++)
        path[depth++] = (struct settle_step){ folder->steps[i], TREE_NONE };
    return depth;
}

const char settle_by[] = "by", settle_inside[] = "inside";
static const char settle_type[] = "type", settle_ranges[] = "carvpath", settle_images[] = "image";

/* by/type: all that is listed, as other views share it. */
static enum err_code settle_types(struct settle *settle)
{
    struct tree *tree = settle->tree;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < tree->count; i++) {
        const uint32_t object = settle->order[i], number = tree->objects[object].folder;
        struct tree_folder *folder = &tree->folders[number];
        struct settle_step path[TREE_DEPTH] = { { settle_by, TREE_NONE },
                                                { settle_type, TREE_NONE } };

        if (!tree->objects[object].listed)
            continue;
        if (folder->count == 0) {
            rc = settle_open(settle, path, settle_add_steps(path, 2, folder));
            folder->first = tree->item_count;
        }
        folder->count++;
        if (rc == ERR_OK)
            rc = settle_file(settle, object);
    }
    return rc;
}

/* What carve writes. A folder of which it writes everything shares it. */
static enum err_code settle_top(struct settle *settle)
{
    struct tree *tree = settle->tree;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0, end; rc == ERR_OK && i < tree->count; i = end) {
        const uint32_t number = tree->objects[settle->order[i]].folder;
        struct tree_folder *folder = &tree->folders[number];
        struct settle_step path[TREE_DEPTH] = { { NULL, TREE_NONE } };
        uint32_t top = 0;

        for (end = i; end < tree->count && tree->objects[settle->order[end]].folder == number;
             end++)
            top += tree->objects[settle->order[end]].top;
        if (top == 0)
            continue;
        rc = settle_open(settle, path, settle_add_steps(path, 0, folder));
        if (rc == ERR_OK && top == folder->count)
            settle_share(settle, folder);
        for (uint32_t k = i; rc == ERR_OK && top != folder->count && k < end; k++)
            if (tree->objects[settle->order[k]].top)
                rc = settle_file(settle, settle->order[k]);
    }
    return rc;
}

/* Folders that are there whatever the case has; and those that are none of files. */
static enum err_code settle_fixed(struct settle *settle)
{
    struct tree *tree = settle->tree;
    struct settle_step path[TREE_DEPTH] = { { settle_by, TREE_NONE } };
    enum err_code rc = ERR_OK;

    path[0].name = settle_images;
    rc = settle_open(settle, path, 1);
    if (rc == ERR_OK)
        tree->dirs[settle->dirs[0]].lists_images = true;
    path[0].name = settle_ranges;
    if (rc == ERR_OK)
        rc = settle_open(settle, path, 1);
    if (rc == ERR_OK && tree->images == 1)
        tree->dirs[settle->dirs[0]].image = 1;
    for (uint32_t i = 1; rc == ERR_OK && tree->images > 1 && i <= tree->images; i++) {
        char name[32];
        uint32_t number = 0;

        snprintf(name, sizeof name, "image%" PRIu32, i);
        rc = words_add(&tree->names, name, &number, settle->err);
        if (rc != ERR_OK)
            break;
        path[1] = (struct settle_step){ tree->names.items[number], TREE_NONE };
        rc = settle_open(settle, path, 2);
        if (rc == ERR_OK)
            tree->dirs[settle->dirs[1]].image = i;
    }
    return rc;
}

static int settle_compare_kids(const void *a, const void *b, void *arg)
{
    const struct tree *tree = arg;

    return strcmp(tree->dirs[*(const uint32_t *)a].name, tree->dirs[*(const uint32_t *)b].name);
}

/* The folders of each folder, by name. Those that have names of files are in order already. */
static enum err_code settle_kids(struct settle *settle)
{
    struct tree *tree = settle->tree;
    uint32_t at = 0;

    tree->kids = calloc((size_t)tree->dir_count, sizeof *tree->kids);
    if (tree->kids == NULL)
        return ERR_NO_MEMORY(settle->err, tree->dir_count * sizeof *tree->kids);
    for (uint32_t i = 0; i < tree->dir_count; i++) {
        tree->dirs[i].first_kid = at;
        at += tree->dirs[i].kids;
        tree->dirs[i].kids = 0;
    }
    for (uint32_t i = 1; i < tree->dir_count; i++) {
        struct tree_dir *parent = &tree->dirs[tree->dirs[i].parent];

        tree->kids[parent->first_kid + parent->kids++] = i;
    }
    for (uint32_t i = 0; i < tree->dir_count; i++) {
        const struct tree_dir *dir = &tree->dirs[i];
        uint32_t *kids = tree->kids + dir->first_kid;

        if (dir->kids > 1 && tree->dirs[kids[0]].name != NULL)
            qsort_r(kids, dir->kids, sizeof *kids, settle_compare_kids, tree);
    }
    return ERR_OK;
}

static void settle_parents(struct tree *tree)
{
    for (uint32_t i = 0; i < tree->parent_count; i++) {
        const struct tree_parent *parent = &tree->parents[i];

        tree->objects[parent->child].parent = tree_find(tree, parent->parent_id);
    }
    free(tree->parents);
    tree->parents = NULL;
    tree->parent_count = tree->parent_room = 0;
}

static enum err_code settle_all(struct settle *settle)
{
    struct tree *tree = settle->tree;
    const struct settle_step root = { "", TREE_NONE }, inside = { settle_inside, TREE_NONE },
                             by = { settle_by, TREE_NONE };
    uint32_t number = 0;
    enum err_code rc = settle_dir(settle, &root, 0, &number);

    if (rc != ERR_OK)
        return rc;
    tree->dirs[0].has_help = true;
    settle_parents(tree);
    rc = settle_folders(settle);
    if (rc == ERR_OK)
        rc = settle_order(settle);
    if (rc == ERR_OK)
        rc = settle_open(settle, &by, 1);
    if (rc == ERR_OK)
        rc = settle_types(settle);
    if (rc == ERR_OK)
        rc = settle_views_all(settle);
    if (rc == ERR_OK)
        rc = settle_open(settle, &inside, 1);
    if (rc == ERR_OK)
        rc = settle_inside_view(settle);
    if (rc == ERR_OK)
        rc = settle_top(settle);
    if (rc == ERR_OK)
        rc = settle_fixed(settle);
    return rc == ERR_OK ? settle_kids(settle) : rc;
}

enum err_code tree_settle(struct tree *tree, struct err *err)
{
    struct settle settle = { .tree = tree, .err = err };

    tree_dates_settle(tree);
    words_init(&settle.groups);
    const enum err_code rc = settle_all(&settle);
    words_close(&settle.groups);
    free(settle.ranks);
    free(settle.sorted);
    free(settle.order);
    free(settle.keys);
    free(settle.grouped);
    return rc;
}
