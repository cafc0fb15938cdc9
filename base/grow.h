/* SPDX-License-Identifier: Apache-2.0
 * base/grow.h - an array that gets room for one more item. */
#ifndef BURIN_BASE_GROW_H
#define BURIN_BASE_GROW_H

#include <stddef.h>

#include "base/err.h"

/*
 * items: the address of the pointer to the array, which free releases and may be NULL. It has count
 * items of `bytes` bytes each, and *room for so many; afterwards *room is more than count. Errors:
 * ERR_ENV, with the array as it was.
 */
ERR_MUST_CHECK enum err_code grow_items(void *items, size_t count, size_t *room, size_t bytes,
                                        struct err *err);

#endif
