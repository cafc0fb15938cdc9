/* SPDX-License-Identifier: Apache-2.0
 * io/image/facts.h - what a container says of the image in it and of how it was made (io/ only).
 *
 * Source of the names: io_image_fact in io/image.h.
 */
#ifndef BURIN_IO_IMAGE_FACTS_H
#define BURIN_IO_IMAGE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/image.h"

enum {
    IO_FACTS_MAX = 32,       /* of an image */
    IO_FACT_NAME_MAX = 32,   /* bytes, the NUL included */
    IO_FACT_VALUE_MAX = 4096 /* likewise; what is longer is cut */
};

/* Zeroed is empty. */
struct io_facts {
    char *names[IO_FACTS_MAX], *values[IO_FACTS_MAX]; /* owned */
    uint32_t count;
};

/*
 * Adds one, copied. What cannot be is left out: an empty value, a name of other bytes than small
 * letters, digits and blanks, a name that is there, a hash that is none, one more than there is
 * room for. false: there was no memory.
 */
bool io_facts_add(struct io_facts *facts, const char *name, const char *value);
void io_facts_release(struct io_facts *facts);

#endif
