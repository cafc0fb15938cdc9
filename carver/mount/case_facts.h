/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/case_facts.h - what the case file says of an object, asked for when somebody wants
 * to know: as extended attributes (xattr(7)) of its file.
 *
 * user.burin.id, .image, .type, .category, .state, .reason, .offset, .length, .extents, .known, and
 * where there is one .parent, .sha256, .crc64, .bad_bytes. Each is text without a NUL. The case may
 * be written to while it is mounted: what it says of an object that is another one now is not told.
 */
#ifndef BURIN_CARVER_MOUNT_CASE_FACTS_H
#define BURIN_CARVER_MOUNT_CASE_FACTS_H

#include <pthread.h>
#include <stddef.h>

#include "base/err.h"
#include "carver/case/carve_images.h"
#include "carver/mount/tree.h"
#include "db/case.h"

enum { CASE_FACTS_VALUE_MAX = 65536 /* bytes of a value: Linux has no longer ones */ };

/* Zeroed, but for what case_facts_open sets: any number of threads, one at a time. */
struct case_facts {
    struct db_case *db; /* the caller's, opened for reading; facts' as long as it is open */
    const struct tree *tree;
    const struct carve_images *images;
    pthread_mutex_t lock;
};

void case_facts_open(struct case_facts *facts, struct db_case *db, const struct tree *tree,
                     const struct carve_images *images);
/* The case belongs to the calling thread again. No other thread uses it any more. */
void case_facts_close(struct case_facts *facts);

/*
 * Calls each with what the case says of the object. Returns 0 or an errno: ESTALE, it is no more
 * what it was when the tree was made; EIO.
 */
int case_facts_object(struct case_facts *facts, const struct tree_object *object,
                      void (*each)(void *arg, const struct db_object *object), void *arg);

/*
 * The value of an attribute, by its whole name ("user.burin.id"), in out: *len bytes. Returns 0 or
 * an errno: ENODATA, it has none of this name.
 */
int case_facts_value(struct case_facts *facts, const struct tree_object *object, const char *name,
                     char out[CASE_FACTS_VALUE_MAX], size_t *len);

/* All names, each with its NUL, in out: *len bytes. As case_facts_value. */
int case_facts_names(struct case_facts *facts, const struct tree_object *object,
                     char out[CASE_FACTS_VALUE_MAX], size_t *len);

#endif
