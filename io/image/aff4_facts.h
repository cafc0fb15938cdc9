/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_facts.h - what the metadata of an AFF4 say of its image besides its bytes (io/
 * only). */
#ifndef BURIN_IO_IMAGE_AFF4_FACTS_H
#define BURIN_IO_IMAGE_AFF4_FACTS_H

#include "io/image/aff4_volume.h"
#include "io/image/facts.h"

struct aff4_about {
    const struct aff4_volume *volume;
    const char *image, *stream; /* IRIs: of the image, or NULL; of what has its bytes */
    bool whole;                 /* every byte of the image is known */
};

/*
 * Adds the facts to those of the image. A hash of the image is added under its own name where the
 * image is whole. Otherwise other bytes stand in for those that are not known, and the name says
 * so. ERR_ENV: no memory.
 */
ERR_MUST_CHECK enum err_code io_aff4_facts(const struct aff4_about *about, struct io_facts *facts,
                                           struct err *err);

#endif
