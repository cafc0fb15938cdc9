/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/tree_hash.h - the tree hash of an image: SHA-256 of each MiB, and SHA-256 of these.
 *
 *   leaf i = SHA-256 of bytes [i MiB, (i + 1) MiB) of the image, the last one of what is left
 *   root   = SHA-256 of all leaves, 32 bytes each, one behind another
 *
 * An image of no bytes has no leaf. Leaves need nothing of one another, so that threads make many
 * at a time, and what is kept of them says later which MiB is not what it was. No other program
 * prints this hash; docs/reference/case-file.md has a short one that computes it.
 *
 *   tree_hash_put ──► buffers of a MiB ──► threads ──► leaves
 *
 * Threads: put may be called by any thread, those who put take turns; tree_hash_done and
 * tree_hash_leaves by any; the others are for one thread.
 */
#ifndef BURIN_CARVER_SCAN_TREE_HASH_H
#define BURIN_CARVER_SCAN_TREE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/scan/midstate.h"

enum {
    TREE_HASH_LEAF = 1 << 20,  /* bytes of the image */
    TREE_HASH_SIZE = 32,       /* bytes of a leaf's digest */
    TREE_HASH_THREADS_MAX = 8, /* a thread makes some 1 to 2 GB/s of leaves */
};

struct tree_hash; /* owned by the caller of tree_hash_open */

/* Memory: a MiB for each thread and two more, and 32 bytes for each MiB put. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code tree_hash_open(uint32_t threads, struct tree_hash **out,
                                            struct err *err);
void tree_hash_close(struct tree_hash *tree); /* ends its threads; NULL is a no-op */

/* Begins with `count` leaves that were made before; before anything is put. Errors: ERR_ENV. */
ERR_MUST_CHECK enum err_code tree_hash_begin(struct tree_hash *tree, const uint8_t *leaves,
                                             uint64_t count, struct err *err);

/* The image's next bytes. Waits while all buffers are full. Lack of memory: see tree_hash_finish.
 */
void tree_hash_put(struct tree_hash *tree, const uint8_t *bytes, size_t len);

/* Leaves from the first one on that are made. */
uint64_t tree_hash_done(struct tree_hash *tree);

/* Copies `count` leaves from number `first` on, which are made, to out. */
void tree_hash_leaves(struct tree_hash *tree, uint64_t first, uint64_t count, uint8_t *out);

/* Makes the last leaf and waits for all: *count, and the root. No more can be put. Errors: ERR_ENV:
 * there was no memory for a leaf. */
ERR_MUST_CHECK enum err_code tree_hash_finish(struct tree_hash *tree, uint64_t *count,
                                              char root[MIDSTATE_TEXT], struct err *err);

#endif
