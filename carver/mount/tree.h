/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree.h - the folders and files of a mount, as compact arrays: pure, no kernel, no
 * case file, no image.
 *
 *   tree_init(&tree, image_count)
 *   tree_add(&tree, &object, &path, ...)   for each object of the case, in the order of a cursor
 *   tree_place(&tree, id, ...)             what file systems say of its place, if anything
 *   tree_date(&tree, id, seconds)          the date that it says is its own, if any
 *   tree_settle(&tree)                     all folders are known; nothing is added any more
 *   tree_lookup, tree_list, tree_name      what a kernel asks; any number of threads
 *
 *   jpg/0000000000001000.jpg        what carve writes, by the same names
 *   by/state/truncated/jpg/...      everything that list prints, by one property (TREE_VIEWS)
 *   inside/jpg/0000000000001000.jpg/png/0000000000001234.png    what lies in an object
 *   carvpath/  image/  README.txt
 *
 * Names of files are computed when they are asked for. An object takes 48 bytes, and 4 in each view
 * of more than one group; a piece of an object in pieces takes 16.
 */
#ifndef BURIN_CARVER_MOUNT_TREE_H
#define BURIN_CARVER_MOUNT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/object_names.h"
#include "carver/mount/ranges.h"
#include "carver/mount/words.h"
#include "db/case.h"

enum {
    TREE_STEPS = 4,    /* of the folder of an object: image, truncated, type, number */
    TREE_DEPTH = 8,    /* of the folders, the root included */
    TREE_GROUPS = 256, /* places, and partitions, that have names of their own */
    TREE_NAME_MAX = OBJECT_PATH_MAX,
    TREE_NONE = UINT32_MAX, /* no object, no piece */
};

/* A file of the case. Bit fields: 2^18 extensions are more than OBJECT_NAMES_KINDS. */
struct tree_object {
    int64_t id;
    uint64_t offset, len; /* bytes; offset of the first one in its image */
    uint32_t piece;       /* its first one in pieces; TREE_NONE: it lies at offset in one piece */
    uint32_t folder, parent, number; /* parent: an object, or TREE_NONE */
    uint32_t extension : 18, state : 3, known : 3, category : 4;
    uint32_t top : 1, listed : 1; /* carve writes it; list prints it */
    uint16_t place, partition;    /* numbers of words; 0: nothing is known */
};

/* The date that an object says is its own: seconds since 1970. */
struct tree_date {
    int64_t object; /* its id; behind tree_settle its number */
    int64_t seconds;
};

/* Where carve puts objects, a folder that holds files. */
struct tree_folder {
    const char *steps[TREE_STEPS];
    uint32_t step_count, image; /* image: from 1 */
    uint32_t first, count;      /* its objects that are listed, in items */
};

/* A folder of the mount. */
struct tree_dir {
    const char *name; /* NULL: that of the file owner */
    uint32_t parent, owner;
    uint32_t first_kid, kids;    /* in kids */
    uint32_t first_item, items;  /* in items */
    uint32_t image;              /* of a folder of ranges; else 0 */
    bool lists_images, has_help; /* it has the files of images; README.txt */
};

struct tree {
    struct tree_object *objects; /* in the order of the case */
    uint32_t count, room;
    struct ranges_piece *pieces; /* of an object: how many there are, in the place of start; them */
    uint32_t piece_count, piece_room;
    struct words folder_paths, extensions, names, places, partitions;
    struct tree_folder *folders; /* by the numbers of folder_paths */
    struct tree_dir *dirs;       /* the first one is the root */
    uint32_t dir_count, dir_room;
    uint32_t *kids;  /* folders in folders, by name */
    uint32_t *items; /* objects in folders, by name */
    uint32_t item_count, item_room;
    uint32_t *by_id;         /* objects by id; NULL: as they are */
    struct tree_date *dates; /* behind tree_settle by object */
    uint32_t date_count, date_room;
    struct tree_parent *parents; /* until tree_settle: of objects inside others */
    uint32_t parent_count, parent_room;
    uint32_t images;
    uint64_t *image_sizes; /* bytes; the caller writes them behind tree_init */
};

enum tree_kind { TREE_DIR, TREE_OBJECT, TREE_IMAGE, TREE_HELP, TREE_RANGE };

/* Something in the tree. index: of the folder; of the object; of the image, from 1 (TREE_RANGE
 * too). */
struct tree_node {
    enum tree_kind kind;
    uint32_t index;
};

/* ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code tree_init(struct tree *tree, uint32_t images, struct err *err);
void tree_close(struct tree *tree);

/*
 * path: its name. ERR_INPUT: more objects or pieces than there are numbers for; ERR_ENV: no memory.
 */
ERR_MUST_CHECK enum err_code tree_add(struct tree *tree, const struct db_object *object,
                                      const struct object_path *path, bool top, bool listed,
                                      struct err *err);
/* An object of no such id is left alone. Before the first one tree_find_ready. */
ERR_MUST_CHECK enum err_code tree_find_ready(struct tree *tree, struct err *err);
ERR_MUST_CHECK enum err_code tree_place(struct tree *tree, const struct db_found_in *place,
                                        struct err *err);
/* At any time; another thread may do so while objects are added. */
ERR_MUST_CHECK enum err_code tree_date(struct tree *tree, int64_t id, int64_t seconds,
                                       struct err *err);
ERR_MUST_CHECK enum err_code tree_settle(struct tree *tree, struct err *err);

/* The object of this id, or TREE_NONE. */
uint32_t tree_find(const struct tree *tree, int64_t id);

/* Behind tree_settle. False: the object has no date of its own. */
bool tree_date_of(const struct tree *tree, uint32_t object, int64_t *seconds);

/* What the folder has by this name; in a folder of ranges a name is not looked at. */
bool tree_lookup(const struct tree *tree, uint32_t dir, const char *name, struct tree_node *out);
/* What the folder has at this place, from 0 on; false: no more. A folder of ranges has none. */
bool tree_list(const struct tree *tree, uint32_t dir, uint64_t at, struct tree_node *out);
void tree_name(const struct tree *tree, const struct tree_node *node, char out[TREE_NAME_MAX]);

/* Numbers for the kernel, the same in every mount of the same case file; below TREE_FREE. */
#define TREE_FREE (UINT64_C(1) << 62)
uint64_t tree_inode(const struct tree *tree, const struct tree_node *node);
bool tree_node_of(const struct tree *tree, uint64_t inode, struct tree_node *out);

/* Its pieces, count of them, and where they have no array of their own, in *one. */
const struct ranges_piece *tree_pieces(const struct tree *tree, const struct tree_object *object,
                                       struct ranges_piece *one, uint32_t *count);

#endif
