/* SPDX-License-Identifier: Apache-2.0
 * io/image/turtle.h - a small reader of RDF in Turtle, for the metadata of images (io/ and tests
 * only).
 *
 * What is read: prefixes and bases; statements with ";" and ","; IRIs, prefixed names, "a";
 * literals in quotes of either kind and length, with a type or a language; numbers and booleans;
 * names of blank nodes. Blank nodes in brackets, which nobody writes into an image, and lists end
 * it with an error, and so does whatever is no Turtle: what is read is exactly what stands there.
 * Source: W3C, RDF 1.1 Turtle.
 */
#ifndef BURIN_IO_IMAGE_TURTLE_H
#define BURIN_IO_IMAGE_TURTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum {
    TURTLE_BYTES_MAX = 32 << 20,
    TURTLE_MEMORY_MAX = 128 << 20, /* bytes of all texts */
    TURTLE_TRIPLES_MAX = 1 << 17,
    TURTLE_PREFIXES_MAX = 64,
};

struct turtle_term {
    const char *text; /* an IRI without its brackets, or the text of a literal */
    const char *type; /* IRI of a literal's type; "": none. NULL: the term is an IRI */
};

struct turtle_triple {
    const char *subject, *predicate; /* IRIs */
    struct turtle_term object;
};

struct turtle {
    struct arena arena;          /* has all texts */
    struct turtle_triple *items; /* in the order of the file, owned */
    uint32_t count;
    size_t room;
};

/*
 * Reads bytes, of len; path is for messages. *out is to be given to io_turtle_release, whatever is
 * returned.
 * Errors  ERR_INPUT  they are not what is read here; the line is told.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_turtle_read(const char *path, const uint8_t *bytes, size_t len,
                                            struct turtle *out, struct err *err);

/* The nth object, from 0, that the subject has by this predicate; NULL: there is none. */
const struct turtle_term *io_turtle_get(const struct turtle *turtle, const char *subject,
                                        const char *predicate, uint32_t nth);

void io_turtle_release(struct turtle *turtle);

#endif
