/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_blocks.h - one stream of an AFF4 by itself, as an image (io/ only). */
#ifndef BURIN_IO_IMAGE_AFF4_BLOCKS_H
#define BURIN_IO_IMAGE_AFF4_BLOCKS_H

#include "io/image/aff4_volume.h"

enum { AFF4_VOLUMES_MAX = 64 /* stripes */ };

struct io_aff4_alone {
    struct io_image *image; /* its bytes; NULL: there is no such stream */
    char iri[AFF4_IRI_MAX]; /* its name */
    uint32_t chunk, per_bevvy;
    struct aff4_volume *volumes[AFF4_VOLUMES_MAX]; /* owned; read from the image's files */
    uint32_t volume_count;
};

/* Opens stream `number` of those that the map leads to. *out is to be given to
 * io_aff4_alone_release, whatever is returned. Errors: those of opening the image. */
ERR_MUST_CHECK enum err_code io_aff4_alone(const char *path, uint32_t number,
                                           struct io_aff4_alone *out, struct err *err);
void io_aff4_alone_release(struct io_aff4_alone *alone);

#endif
