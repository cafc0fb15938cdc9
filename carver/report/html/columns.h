/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/columns.h - all objects of a page, as columns that its script reads.
 *
 * Written, they are one block: bytes of a JSON text (u32), that text, and the columns it names in
 * their order, little-endian, the wide ones first; packed as gzip, in base64, so that nothing of
 * them can be taken for markup.
 */
#ifndef BURIN_CARVER_REPORT_HTML_COLUMNS_H
#define BURIN_CARVER_REPORT_HTML_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "carver/report/html/texts.h"
#include "carver/report/report.h"

enum {
    COLUMNS_SHA256 = 32, /* bytes */
    COLUMNS_PIECES = 64, /* pieces of an object that are told; the rest is counted */
};

/* How an object is; the order is that of the words that the page has for them. */
enum columns_state { STATE_COMPLETE, STATE_FOOTER, STATE_TRUNCATED, STATE_FRAGMENTED, STATE_OTHER };
enum columns_place {
    PLACE_UNKNOWN,
    PLACE_FILE,
    PLACE_DELETED,
    PLACE_SLACK,
    PLACE_UNALLOCATED,
    PLACE_ALLOCATED,
    PLACE_METADATA,
    PLACE_UNPARTITIONED,
    PLACE_OTHER,
    PLACE_COUNT
};

/* An object. Texts are numbers of the texts. */
struct columns_row {
    int64_t id, parent; /* parent 0: none */
    uint64_t offset, len;
    uint32_t type, folder, tail; /* its name is folder, offset as 16 hex digits, tail */
    uint32_t reason, volume, path, pieces, image;
    uint32_t facts;
    int64_t date;                /* seconds since 1970, where it is dated */
    int32_t latitude, longitude; /* degrees times 10^7, where it is located */
    uint8_t state, known, category, place;
    uint8_t dated; /* 1: in UTC, 2: in a zone that is not known; 0: it is not */
    bool located, hashed;
    uint8_t sha256[COLUMNS_SHA256];
};

struct columns {
    struct columns_row *rows; /* owned; in the order of the report */
    size_t count, room;
    struct texts texts;
    uint64_t hashed; /* rows that have a hash */
};

/* A struct of zeros has no rows. ERR_ENV: no memory; ERR_FULL: see texts.h, or 2^31 objects. */
ERR_MUST_CHECK enum err_code columns_add(struct columns *columns,
                                         const struct report_object *object, struct err *err);
void columns_close(struct columns *columns); /* of a zeroed one: a no-op */

/* A block of the page: what stands in an element is its base64. */
struct columns_block {
    uint8_t *bytes; /* owned */
    size_t len;
};
/* The columns, and the hashes by themselves: 32 bytes a row, zeros where there is none. */
ERR_MUST_CHECK enum err_code columns_pack(const struct columns *columns, struct columns_block *out,
                                          struct err *err);
ERR_MUST_CHECK enum err_code columns_pack_hashes(const struct columns *columns,
                                                 struct columns_block *out, struct err *err);
void columns_block_close(struct columns_block *block); /* of a zeroed one: a no-op */

#endif
