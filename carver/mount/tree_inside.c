/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_inside.c - what lies in objects, in folders that have their names: see
 * settle.h.
 */
#include <stdlib.h>
#include <string.h>

#include "carver/case/object_names.h"
#include "carver/mount/settle.h"

/* The step of an object's folder that is its type. */
static const char *settle_type_of(const struct tree *tree, const struct tree_object *object)
{
    const char *const *step = tree->folders[object->folder].steps + (tree->images > 1);

    return strcmp(*step, OBJECT_NAMES_CUT) == 0 ? step[1] : *step; /* no type has that name */
}

static int settle_compare_inside(const void *a, const void *b, void *arg)
{
    const struct settle *settle = arg;
    const struct tree *tree = settle->tree;
    const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    const struct tree_object *left = &tree->objects[one], *right = &tree->objects[other];
    const uint32_t left_rank = settle->ranks[tree->objects[left->parent].folder],
                   right_rank = settle->ranks[tree->objects[right->parent].folder];

    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    if (left->parent != right->parent)
        return left->parent < right->parent ? -1 : 1;
    const int types = strcmp(settle_type_of(tree, left), settle_type_of(tree, right));
    return types != 0 ? types : (one > other) - (one < other);
}

enum err_code settle_inside_view(struct settle *settle)
{
    struct tree *tree = settle->tree;
    uint32_t *const items = settle->grouped;
    uint32_t count = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->objects[i].listed && tree->objects[i].parent != TREE_NONE)
            items[count++] = i;
    qsort_r(items, count, sizeof *items, settle_compare_inside, settle);
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct tree_object *object = &tree->objects[items[i]];
        struct settle_step path[TREE_DEPTH] = { { settle_inside, TREE_NONE } };
        uint32_t depth =
            settle_add_steps(path, 1, &tree->folders[tree->objects[object->parent].folder]);

        path[depth++] = (struct settle_step){ NULL, object->parent };
        path[depth++] = (struct settle_step){ settle_type_of(tree, object), TREE_NONE };
        rc = settle_open(settle, path, depth);
        if (rc == ERR_OK)
            rc = settle_file(settle, items[i]);
    }
    return rc;
}
