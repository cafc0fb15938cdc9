/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/content.h - the bytes of what a mount shows: of objects, of ranges, of images.
 *
 * Only bytes that were read now, and could be read when the image was scanned, are given. For
 * others there is an error and never zeros. Any number of threads.
 */
#ifndef BURIN_CARVER_MOUNT_CONTENT_H
#define BURIN_CARVER_MOUNT_CONTENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carver/case/carve_images.h"
#include "carver/mount/case_facts.h"
#include "carver/mount/tree.h"

/* A file: its bytes from pieces[i].start on lie at pieces[i].offset of the image. */
struct content_file {
    uint32_t image; /* from 1 */
    const struct ranges_piece *pieces;
    uint32_t count;
    uint64_t len;
};

struct content {
    const struct carve_images *images;
    const struct tree *tree;
    struct case_facts *facts;
    bool check_all;           /* --check; else objects of images that are known to have changed */
    _Atomic uint8_t *checked; /* of each object: enum content_state; NULL: none is compared */
};

/* On an error *out needs no close. ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code content_open(const struct carve_images *images,
                                          const struct tree *tree, struct case_facts *facts,
                                          bool check_all, struct content *out, struct err *err);
void content_close(struct content *content);

/* What a node is; one holds its piece where it has but one. */
struct content_file content_of(const struct content *content, const struct tree_node *node,
                               struct ranges_piece *one);

/*
 * Reads up to len bytes from this place on; *done is how many, fewer at the end of the file. part:
 * where a byte cannot be read, those before it are given, if there are any. Returns 0 or an errno:
 * EIO, a byte could not be read.
 */
int content_read(const struct content *content, const struct content_file *file, uint64_t at,
                 uint8_t *to, size_t len, bool part, size_t *done);

/*
 * Where len bytes of the file from this place on, all within it, lie as they are in one file of the
 * image. False: they do not, or some of them could not be read: content_read gives them.
 */
bool content_stored(const struct content *content, const struct content_file *file, uint64_t at,
                    size_t len, struct io_span *out);

/* The descriptor of the one file that is the image as it is, of which all could be read, and still
 * is as long as then; else -1. It stays the image's. */
int content_whole_file(const struct content *content, uint32_t image);

/*
 * Whether the object is what was scanned, where that is to be looked at: reads all of it, once.
 * Returns 0 or an errno: EIO, its bytes changed; ESTALE, the case says something else of it now.
 */
int content_check(const struct content *content, uint32_t object);

#endif
