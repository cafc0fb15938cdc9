/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree.c - see tree.h: objects in, and what a kernel asks of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "carver/mount/tree.h"
#include "carver/mount/tree_parts.h"

enum {
    TREE_OFFSET_DIGITS = 16,
    TREE_INODE_HELP = 2,
    TREE_INODE_IMAGES = 1 << 18, /* image n is this number and n */
    TREE_INODE_DIRS = 1 << 20,   /* folder n, but the root */
    TREE_IMAGES_MAX = TREE_INODE_DIRS - TREE_INODE_IMAGES,
};
#define TREE_INODE_OBJECTS (UINT64_C(1) << 32) /* an object is this number and its id */

static const char tree_help[] = "README.txt";

enum err_code tree_init(struct tree *tree, uint32_t images, struct err *err)
{
    *tree = (struct tree){ .images = images };
    words_init(&tree->folder_paths);
    words_init(&tree->extensions);
    words_init(&tree->names);
    words_init(&tree->places);
    words_init(&tree->partitions);
    tree->image_sizes = calloc((size_t)images + 1, sizeof *tree->image_sizes);
    return tree->image_sizes != NULL ? ERR_OK
                                     : ERR_NO_MEMORY(err, images * sizeof *tree->image_sizes);
}

void tree_close(struct tree *tree)
{
    words_close(&tree->folder_paths);
    words_close(&tree->extensions);
    words_close(&tree->names);
    words_close(&tree->places);
    words_close(&tree->partitions);
    free(tree->objects);
    free(tree->pieces);
    free(tree->folders);
    free(tree->dirs);
    free(tree->kids);
    free(tree->items);
    free(tree->by_id);
    free(tree->parents);
    free(tree->dates);
    free(tree->image_sizes);
    *tree = (struct tree){ 0 };
}

static int64_t tree_id_at(const struct tree *tree, uint32_t at)
{
    return tree->objects[tree->by_id != NULL ? tree->by_id[at] : at].id;
}

uint32_t tree_find(const struct tree *tree, int64_t id)
{
    uint32_t low = 0, high = tree->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (tree_id_at(tree, middle) < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tree->count || tree_id_at(tree, low) != id)
        return TREE_NONE;
    return tree->by_id != NULL ? tree->by_id[low] : low;
}

const struct ranges_piece *tree_pieces(const struct tree *tree, const struct tree_object *object,
                                       struct ranges_piece *one, uint32_t *count)
{
    if (object->piece != TREE_NONE) {
        *count = (uint32_t)tree->pieces[object->piece].start;
        return &tree->pieces[object->piece + 1];
    }
    *one = (struct ranges_piece){ 0, object->offset };
    *count = 1;
    return one;
}

static void tree_object_name(const struct tree *tree, uint32_t index, char out[TREE_NAME_MAX])
{
    const struct tree_object *object = &tree->objects[index];
    struct object_path path;

    path.folder[0] = '\0';
    path.offset = object->offset;
    path.number = object->number;
    snprintf(path.extension, sizeof path.extension, "%s",
             tree->extensions.items[object->extension]);
    object_path_text(&path, out);
    memmove(out, out + 1, strlen(out)); /* the "/" behind no folder */
}

void tree_name(const struct tree *tree, const struct tree_node *node, char out[TREE_NAME_MAX])
{
    const struct tree_dir *dir;

    switch (node->kind) {
    case TREE_DIR:
        dir = &tree->dirs[node->index];
        if (dir->name == NULL)
            tree_object_name(tree, dir->owner, out);
        else
            snprintf(out, TREE_NAME_MAX, "%s", dir->name);
        break;
    case TREE_OBJECT:
        tree_object_name(tree, node->index, out);
        break;
    case TREE_IMAGE:
        snprintf(out, TREE_NAME_MAX, "%" PRIu32 ".raw", node->index);
        break;
    default:
        snprintf(out, TREE_NAME_MAX, "%s", tree_help);
        break;
    }
}

/* The offset in the name of a file of an object. */
static bool tree_name_offset(const char *name, uint64_t *out)
{
    uint64_t offset = 0;

    for (int i = 0; i < TREE_OFFSET_DIGITS; i++) {
        const int digit = hex_digit(name[i]);

        if (digit < 0)
            return false;
        offset = offset << 4 | (uint64_t)digit;
    }
    *out = offset;
    return true;
}

static bool tree_is(const struct tree *tree, const struct tree_node *node, const char *name)
{
    char text[TREE_NAME_MAX];

    tree_name(tree, node, text);
    return strcmp(text, name) == 0;
}

/* Among objects that lie by their offsets: it is one of those at the offset that the name has. */
struct tree_search {
    const struct tree *tree;
    const uint32_t *items;
    uint32_t count;
    enum tree_kind kind; /* TREE_OBJECT; TREE_DIR: of folders that have the names of their owners */
};

static uint64_t tree_search_offset(const struct tree_search *search, uint32_t at)
{
    const uint32_t item = search->items[at];

    return search->tree->objects[search->kind == TREE_DIR ? search->tree->dirs[item].owner : item]
        .offset;
}

static bool tree_search_name(const struct tree_search *search, const char *name,
                             struct tree_node *out)
{
    uint32_t low = 0, high = search->count;
    uint64_t offset;

    if (!tree_name_offset(name, &offset))
        return false;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (tree_search_offset(search, middle) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < search->count && tree_search_offset(search, low) == offset; low++) {
        *out = (struct tree_node){ search->kind, search->items[low] };
        if (tree_is(search->tree, out, name))
            return true;
    }
    return false;
}

static bool tree_search_kid(const struct tree *tree, const struct tree_dir *dir, const char *name,
                            struct tree_node *out)
{
    const uint32_t *kids = tree->kids + dir->first_kid;
    uint32_t low = 0, high = dir->kids;

    if (dir->kids > 0 && tree->dirs[kids[0]].name == NULL)
        return tree_search_name(&(struct tree_search){ tree, kids, dir->kids, TREE_DIR }, name,
                                out);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (strcmp(tree->dirs[kids[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *out = (struct tree_node){ TREE_DIR, low < dir->kids ? kids[low] : 0 };
    return low < dir->kids && strcmp(tree->dirs[kids[low]].name, name) == 0;
}

static bool tree_search_image(const struct tree *tree, const char *name, struct tree_node *out)
{
    char *end;
    const unsigned long number = strtoul(name, &end, 10);

    *out = (struct tree_node){ TREE_IMAGE, (uint32_t)number };
    return number >= 1 && number <= tree->images && tree_is(tree, out, name);
}

bool tree_lookup(const struct tree *tree, uint32_t at, const char *name, struct tree_node *out)
{
    const struct tree_dir *dir = &tree->dirs[at];

    if (dir->image != 0) {
        *out = (struct tree_node){ TREE_RANGE, dir->image };
        return true;
    }
    if (dir->lists_images)
        return tree_search_image(tree, name, out);
    if (dir->has_help && strcmp(name, tree_help) == 0) {
        *out = (struct tree_node){ TREE_HELP, 0 };
        return true;
    }
    return tree_search_kid(tree, dir, name, out) ||
           tree_search_name(&(struct tree_search){ tree, tree->items + dir->first_item, dir->items,
                                                   TREE_OBJECT },
                            name, out);
}

bool tree_list(const struct tree *tree, uint32_t index, uint64_t at, struct tree_node *out)
{
    const struct tree_dir *dir = &tree->dirs[index];

    if (at < dir->kids) {
        *out = (struct tree_node){ TREE_DIR, tree->kids[dir->first_kid + at] };
        return true;
    }
    at -= dir->kids;
    if (at < dir->items) {
        *out = (struct tree_node){ TREE_OBJECT, tree->items[dir->first_item + at] };
        return true;
    }
    at -= dir->items;
    *out = (struct tree_node){ dir->lists_images ? TREE_IMAGE : TREE_HELP, (uint32_t)at + 1 };
    return dir->lists_images ? at < tree->images : dir->has_help && at == 0;
}

uint64_t tree_inode(const struct tree *tree, const struct tree_node *node)
{
    switch (node->kind) {
    case TREE_DIR:
        return node->index == 0 ? 1 : (uint64_t)TREE_INODE_DIRS + node->index;
    case TREE_OBJECT:
        return TREE_INODE_OBJECTS + (uint64_t)tree->objects[node->index].id;
    case TREE_IMAGE:
        return (uint64_t)TREE_INODE_IMAGES + node->index;
    default:
        return TREE_INODE_HELP;
    }
}

bool tree_node_of(const struct tree *tree, uint64_t inode, struct tree_node *out)
{
    if (inode == 1 || (inode > TREE_INODE_DIRS && inode - TREE_INODE_DIRS < tree->dir_count)) {
        *out = (struct tree_node){ TREE_DIR, inode == 1 ? 0 : (uint32_t)(inode - TREE_INODE_DIRS) };
        return true;
    }
    if (inode >= TREE_INODE_OBJECTS && inode - TREE_INODE_OBJECTS <= TREE_ID_MAX) {
        *out = (struct tree_node){ TREE_OBJECT,
                                   tree_find(tree, (int64_t)(inode - TREE_INODE_OBJECTS)) };
        return out->index != TREE_NONE;
    }
    if (inode > TREE_INODE_IMAGES && inode - TREE_INODE_IMAGES <= tree->images) {
        *out = (struct tree_node){ TREE_IMAGE, (uint32_t)(inode - TREE_INODE_IMAGES) };
        return true;
    }
    *out = (struct tree_node){ TREE_HELP, 0 };
    return inode == TREE_INODE_HELP;
}
