/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/volume.h - the bytes of a volume: which bytes of the image they are.
 *
 *   partition          one stretch of the image
 *   logical volume     stretches of other volumes, one behind another or in stripes
 *
 * A volume lies on volumes that were made before it, so that going down always ends.
 */
#ifndef BURIN_IO_FILESYSTEM_VOLUME_H
#define BURIN_IO_FILESYSTEM_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/filesystem/source.h"
#include "io/image.h"

enum {
    VOLUME_STRETCHES_MAX = 1 << 16, /* of one volume */
    VOLUME_STRIPES_MAX = 256,       /* of one stretch */
    VOLUME_DEPTH_MAX = 8,           /* volumes that lie on one another */
};

struct volume;

/* A place that bytes of a volume lie at. */
struct volume_place {
    const struct volume *on; /* NULL: of the image */
    uint64_t offset;         /* bytes in it */
};

/* Bytes [at, at + len) of a volume: in stripes of stripe_len bytes that lie on `stripes` places in
 * turn; with one stripe, one behind another. */
struct volume_stretch {
    uint64_t at, len, stripe_len;
    uint32_t stripes;
    struct volume_place *places; /* [stripes] */
};

struct volume {
    struct io_image *image;
    uint64_t size;                    /* bytes */
    struct volume_stretch *stretches; /* ascending, not over one another; there may be gaps */
    uint32_t count;
    size_t room;
    uint32_t depth; /* volumes beneath it */
};

/* A volume of `size` bytes of this image, still without a stretch. Release with volume_release. */
struct volume volume_begin(struct io_image *image, uint64_t size);
void volume_release(struct volume *volume);

/*
 * Adds a stretch behind those that the volume has; places: [stripes], copied. What lies behind the
 * volume's end is left out. Errors: ERR_INPUT for what is no such stretch; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code volume_add(struct volume *volume, const struct volume_stretch *stretch,
                                        struct err *err);

/* Image offset of the byte at `at`, and how many bytes follow each other there as they do in the
 * volume. False: no stretch has it, or it lies behind the image's end. */
bool volume_find(const struct volume *volume, uint64_t at, uint64_t *offset, uint64_t *len);

/* Reads bytes of the volume; false: they are not all there, or cannot be read. */
bool volume_read(const struct volume *volume, uint64_t at, void *out, uint32_t len);

/* The volume for readers; it must outlive what is returned. */
struct source volume_source(const struct volume *volume);

#endif
