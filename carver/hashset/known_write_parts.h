/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_write_parts.h - what known_write.c and known_write_finish.c share: a set
 * that is being made. Not for other files. */
#ifndef BURIN_CARVER_HASHSET_KNOWN_WRITE_PARTS_H
#define BURIN_CARVER_HASHSET_KNOWN_WRITE_PARTS_H

#include "base/limits.h"
#include "carver/hashset/known_out.h"
#include "carver/hashset/known_sort.h"
#include "carver/hashset/known_write.h"

struct known_write {
    struct known_write_options options;
    char path[LIMIT_PATH], part[LIMIT_PATH + 16], folder[LIMIT_PATH];
    bool made; /* part is there */
    struct known_sort *sort;
    struct known_out set, names, refs;
    char last_name[KNOWN_NAME_MAX + 1];
    size_t last_len;
    uint64_t last_at;
    bool any_name;
    uint64_t *index; /* hashes that begin with i, then positions */
    struct known_about about;
};

#endif
