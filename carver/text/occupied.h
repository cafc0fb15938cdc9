/* SPDX-License-Identifier: Apache-2.0
 * carver/text/occupied.h - which bytes of an image objects have already, and where its clusters
 * begin.
 *
 * Threads: one thread loads it; then any number may ask.
 */
#ifndef BURIN_CARVER_TEXT_OCCUPIED_H
#define BURIN_CARVER_TEXT_OCCUPIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/unread.h"
#include "db/case.h"
#include "io/reader.h"

/* Zeroed is empty. */
struct occupied {
    struct io_range *items; /* [count]: ascending, not touching */
    size_t count, room;
    uint32_t cluster, phase; /* files begin at multiples of cluster, plus phase: bytes */
    bool done;               /* the image has objects of the signature already */
};

/*
 * Loads what all objects of the image have, embedded ones and pieces too, and what could not be
 * read. Inside a transaction. Errors: those of the case file; ERR_ENV. On an error *out needs no
 * release.
 */
ERR_MUST_CHECK enum err_code occupied_load(struct db_case *db, int64_t image_id,
                                           int64_t signature_id, const struct unread *unread,
                                           struct occupied *out, struct err *err);
void occupied_release(struct occupied *occupied);

/*
 * The first range that ends behind the image offset: the one with the byte there, or the next one.
 * NULL: there is none.
 */
const struct io_range *occupied_at(const struct occupied *occupied, uint64_t offset);

/* The first cluster that begins at or behind the image offset. */
uint64_t occupied_cluster(const struct occupied *occupied, uint64_t offset);

#endif
