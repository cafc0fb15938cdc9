/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/image_hash.h - hashes of a whole image, while it is scanned.
 *
 *   threads that read, in the order of the image ──► image_hash_put ──► ring ──► a thread a kind
 *
 * What is put is copied into a ring of IMAGE_HASH_RING bytes. A hash that is slower than the scan
 * fills the ring, and then image_hash_put waits: memory stays the same.
 *
 * At every few MiB the states of all kinds are kept, until a place behind it has been recorded. So
 * image_hash_save has states from before any place that a scan can go on at. The leaves of a tree
 * hash before such a place are for the caller to keep: image_hash_leaves.
 *
 * Threads: put, save and finish may be called by any thread; those who put take turns, in the order
 * of the image. The others are for one thread.
 */
#ifndef BURIN_CARVER_SCAN_IMAGE_HASH_H
#define BURIN_CARVER_SCAN_IMAGE_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pack.h"
#include "carver/scan/midstate.h"
#include "io/image.h"
#include "io/reader.h"

enum {
    IMAGE_HASH_RING = 32 << 20,                /* bytes between those who read and those who hash */
    IMAGE_HASH_STORED = 1 << DIGEST_KINDS,     /* in a set of kinds: those that the container has */
    IMAGE_HASH_TREE = 1 << (DIGEST_KINDS + 1), /* and the tree hash: see tree_hash.h */
};

struct image_hash; /* owned by the caller of image_hash_open */

struct image_hash_result {
    uint32_t kinds; /* 1 << enum digest_kind, or'ed, and IMAGE_HASH_TREE; 0: there is no result */
    char digests[DIGEST_KINDS][MIDSTATE_TEXT];
    char root[MIDSTATE_TEXT]; /* of the tree hash */
    uint8_t *leaves;          /* [leaf_count * TREE_HASH_SIZE]; the caller's to free */
    uint64_t leaf_first;      /* number of the first of them: image_hash_leaves gave the others */
    uint64_t leaf_count;
    uint64_t bytes;  /* of the image */
    uint64_t filled; /* of them, that zeros stood in for */
};

/*
 * Reads a list of kinds, "md5,sha256", "tree", or "stored" (IMAGE_HASH_STORED). Errors: ERR_ARG.
 */
ERR_MUST_CHECK enum err_code image_hash_kinds(const char *option, const char *list, uint32_t *kinds,
                                              struct err *err);

/* Starts a thread for each of the kinds, and some for the tree, at image offset 0. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code image_hash_open(uint32_t kinds, struct image_hash **out,
                                             struct err *err);
void image_hash_close(struct image_hash *hash); /* ends its threads; NULL is a no-op */

/*
 * Bytes of the image at `offset`: those from image_hash_position on are taken. Nothing is taken
 * where offset lies behind it: what lies between has not been read. bad: ranges, ascending, that
 * zeros stand in for. Waits while the ring is full.
 */
void image_hash_put(struct image_hash *hash, uint64_t offset, const uint8_t *bytes, uint64_t len,
                    const struct io_bad_range *bad, uint32_t bad_count);
uint64_t image_hash_position(struct image_hash *hash);

/*
 * Writes down what is needed to go on at an image offset that has been recorded, and at all that
 * lie behind it. The image's bytes from the place of the states to that offset will have to be put
 * again, which image_hash_restore does: those in bad, ascending, as zeros. leaves: those that
 * image_hash_leaves gave, [leaf_count].
 *
 * Errors: those of reading the image; ERR_INTERRUPTED; ERR_INPUT: there are not as many leaves as
 * the state says. What else is wrong with the bytes is in in->failed.
 */
void image_hash_save(struct image_hash *hash, uint64_t position, struct pack *out);
ERR_MUST_CHECK enum err_code image_hash_restore(struct image_hash *hash, uint64_t position,
                                                struct io_image *image, const struct io_range *bad,
                                                uint32_t bad_count, const uint8_t *leaves,
                                                uint64_t leaf_count, struct unpack *in,
                                                struct err *err);

/*
 * Leaves of the tree hash that image_hash_save has counted on since this was called last: *out is
 * the caller's to free, NULL where there are none; *first: the number of the first one. Errors:
 * ERR_ENV.
 */
ERR_MUST_CHECK enum err_code image_hash_leaves(struct image_hash *hash, uint8_t **out,
                                               uint64_t *first, uint64_t *count, struct err *err);

/*
 * Waits until all that was put is hashed. out->kinds is 0 where that is not the whole image, of
 * `size` bytes. The last call but image_hash_close. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code image_hash_finish(struct image_hash *hash, uint64_t size,
                                               struct image_hash_result *out, struct err *err);

#endif
