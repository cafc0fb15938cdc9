/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/map.h - a disk as cells, row by row, each coloured by what most of its found
 * bytes are: pictures, documents, ...; bytes that could not be read, or were not, come first.
 *
 * Objects inside others are not counted beside those that hold them. An object costs the same,
 * however many cells it covers: what whole cells get is kept as differences.
 */
#ifndef BURIN_CARVER_REPORT_HTML_MAP_H
#define BURIN_CARVER_REPORT_HTML_MAP_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "signatures/category.h"

enum {
    MAP_COLUMNS = 160,
    MAP_ROWS = 24,
    MAP_CELLS = MAP_COLUMNS * MAP_ROWS,
    MAP_BAD = SIG_CATEGORY_COUNT, /* classes behind the categories */
    MAP_READ,
    MAP_CLASSES,
};

struct map {
    uint64_t size, cell; /* bytes: of the image, of a cell */
    uint32_t cells;
    uint64_t (*bytes)[MAP_CLASSES]; /* owned: of each cell, at its borders; see map_settle */
    int64_t (*whole)[MAP_CLASSES];  /* owned: whole cells that begin and end */
    uint64_t all[MAP_CLASSES];      /* bytes of each class */
};

ERR_MUST_CHECK enum err_code map_open(struct map *map, uint64_t size, struct err *err);
void map_close(struct map *map); /* of a zeroed one: a no-op */
/* class: a category, MAP_BAD, or MAP_READ: the scan went over these bytes. */
void map_add(struct map *map, uint32_t class, uint64_t offset, uint64_t len);
/* Behind the last map_add: bytes holds all. */
void map_settle(struct map *map);

/* The map as SVG, with a table of its classes. number: of the image on the page, for ids. */
void map_put(FILE *out, const struct map *map, uint32_t number);

#endif
