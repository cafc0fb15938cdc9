/* SPDX-License-Identifier: Apache-2.0
 * base/late.h - items nearly all of which come in their order: those that come late are set apart
 * by the caller, and put back here, which takes much less than to sort all of them. */
#ifndef BURIN_BASE_LATE_H
#define BURIN_BASE_LATE_H

#include <stddef.h>

/*
 * Puts the late ones where they belong. compare: as of qsort.
 *
 * items  [count], in their order, with room for late_count more. An item that compares equal to a
 *        late one stays before it.
 * late   [late_count], in any order; sorted afterwards.
 */
void late_put_back(void *items, size_t count, void *late, size_t late_count, size_t bytes,
                   int (*compare)(const void *a, const void *b));

#endif
