/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/tree_parts.h - what tree.c and tree_settle.c have in common. */
#ifndef BURIN_CARVER_MOUNT_TREE_PARTS_H
#define BURIN_CARVER_MOUNT_TREE_PARTS_H

#include "carver/mount/tree.h"

struct tree_parent {
    int64_t parent_id;
    uint32_t child;
};

#define TREE_ID_MAX (INT64_C(1) << 61) /* the greatest id of an object */

/* Makes room for one more item; array: the address of a pointer. Errors: ERR_INPUT too many;
 * ERR_ENV. */
ERR_MUST_CHECK enum err_code tree_grow(void *array, uint32_t count, uint32_t *room, size_t size,
                                       struct err *err);

void tree_dates_settle(struct tree *tree);

const char *tree_state_name(uint32_t state); /* static text */

#endif
