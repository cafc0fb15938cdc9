/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/settle.h - how the folders of a tree are made: what tree_settle.c and tree_views.c
 * have in common.
 *
 * A view is made of files in the order of their paths: each path shares a beginning with the one
 * before it, and the folders behind that are new. Folders are numbered in that order.
 */
#ifndef BURIN_CARVER_MOUNT_SETTLE_H
#define BURIN_CARVER_MOUNT_SETTLE_H

#include "carver/mount/tree.h"

/* A step of a path: a name, which is the same address wherever it is the same, or a file's. */
struct settle_step {
    const char *name;
    uint32_t owner;
};

/* The tree while its folders are made. */
struct settle {
    struct tree *tree;
    uint32_t *ranks;  /* of folders: where they stand among all */
    uint32_t *sorted; /* folders, in that order */
    uint32_t *order;  /* objects by their folders */
    uint32_t *keys;   /* of objects in a view: the number of its group */
    uint32_t *grouped;
    struct words groups; /* of a view */
    struct settle_step path[TREE_DEPTH];
    uint32_t dirs[TREE_DEPTH]; /* the folders of path */
    uint32_t depth;
    struct err *err;
};

/* Names of folders; a step is the same where its name is at the same address. */
extern const char settle_by[], settle_inside[];

/*
 * Puts the items into out, by the key of each, and those of one key as they are. key_count: keys
 * are below it.
 */
ERR_MUST_CHECK enum err_code settle_sort(const uint32_t *items, uint32_t count,
                                         const uint32_t *keys, uint32_t key_count, uint32_t *out,
                                         struct err *err);

/* The folders of this path are there, and the next file goes into the last one. */
ERR_MUST_CHECK enum err_code settle_open(struct settle *settle, const struct settle_step *path,
                                         uint32_t depth);
ERR_MUST_CHECK enum err_code settle_file(struct settle *settle, uint32_t object);
/* The last folder of the path has the files that another one has. */
void settle_share(struct settle *settle, const struct tree_folder *folder);

/* Puts the steps of the folder behind those that path has; how many it has now. */
uint32_t settle_add_steps(struct settle_step *path, uint32_t depth,
                          const struct tree_folder *folder);

/* by/category/, by/state/, ...: all that is listed, once for each property. */
ERR_MUST_CHECK enum err_code settle_views_all(struct settle *settle);
/* inside/ */
ERR_MUST_CHECK enum err_code settle_inside_view(struct settle *settle);

#endif
