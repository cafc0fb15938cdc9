/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_tree.h - the tree of a case: all of its objects, and which of them were
 * chosen. */
#ifndef BURIN_CARVER_MOUNT_MOUNT_TREE_H
#define BURIN_CARVER_MOUNT_MOUNT_TREE_H

#include "base/err.h"
#include "carver/carve/carve_choice.h"
#include "carver/mount/tree.h"
#include "db/case.h"

/*
 * Fills a tree that was begun with the images of the case, and settles it. choice is open.
 * case_path: of db; dates are read from it in a thread of their own, which has ended then. Errors:
 * those of the case file; ERR_INTERRUPTED; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code mount_tree_load(struct tree *tree, struct db_case *db,
                                             const char *case_path, struct carve_choice *choice,
                                             struct err *err);

#endif
