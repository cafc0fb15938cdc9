/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/compare.h - two case files, compared object by object: diff.h for what they hold.
 *
 *   OLD, NEW ──compare_open──► images by path, what NEW has read of each
 *            ──compare_objects──► the objects of both, each with its change
 *
 * An object's content is its type and its SHA-256; where it has none, its type, its length and its
 * CRC-64. Images are the same when their paths are, or when each case file has one image.
 */
#ifndef BURIN_CARVER_AUDIT_COMPARE_H
#define BURIN_CARVER_AUDIT_COMPARE_H

#include "carver/audit/diff.h"
#include "carver/case/unread.h"
#include "db/case.h"

enum { COMPARE_IMAGES_MAX = 65536 };

/* What a case file has read of an image. */
struct compare_image {
    char *path;    /* owned */
    int64_t id[2]; /* in OLD and in NEW; 0: it is not there */
    /* In NEW: */
    struct unread bad;       /* could not be read */
    struct unread looked_at; /* the scan has gone over it: ranges, as of unread */
    struct unread chosen;    /* where hits counted, of a scan of some bytes alone */
    bool some;               /* it was such a scan */
    uint64_t size;           /* bytes */
};

struct compare {
    struct db_case *db[2]; /* OLD, which may be NULL, and NEW: the caller's */
    struct compare_image *images;
    uint32_t image_count;
    char **types; /* names of types, by their numbers in items */
    uint32_t type_count;
    size_t type_room;
    struct diff_side sides[2]; /* objects; ids are those of the case files */
};

/*
 * Images of both, and what NEW has read. The case files stay the caller's, open until
 * compare_close. Errors: those of the case files; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code compare_open(struct db_case *old, struct db_case *now,
                                          struct compare *out, struct err *err);
void compare_close(struct compare *compare); /* of a zeroed one, or after a failed open: fine */

/* Fills both sides. ERR_INTERRUPTED when a stop was asked for. */
ERR_MUST_CHECK enum err_code compare_objects(struct compare *compare, struct err *err);

/* The number of an image in items, by its id in OLD (which 0) or NEW (which 1). */
uint32_t compare_image_number(const struct compare *compare, uint32_t which, int64_t id);

/* A diff_read_fn: whether NEW has read the bytes; arg is the struct compare. */
bool compare_was_read(void *arg, const struct diff_item *item);

/* Bytes of all images that NEW has gone over, and of them those that could not be read. */
void compare_bytes(const struct compare *compare, uint64_t *read, uint64_t *unreadable);

#endif
