/* SPDX-License-Identifier: Apache-2.0
 * io/image/e01_facts.h - what an E01 says of its image besides the bytes: hashes of the medium, and
 * what who made it wrote down (io/ and tests only).
 */
#ifndef BURIN_IO_IMAGE_E01_FACTS_H
#define BURIN_IO_IMAGE_E01_FACTS_H

#include "io/image/ewf_segments.h"

/* Called with a name and a text of UTF-8. False: there was no memory; that ends it. */
typedef bool (*io_e01_fact_fn)(void *arg, const char *name, const char *value);

/*
 * Gives what a section says; other sections, and those that are damaged, say nothing.
 *
 * "md5", "sha1"    a hash of the whole medium, in lower-case hex digits
 * "case number", "evidence number", "description", "examiner", "notes", "acquired", "system date",
 * "system", "tool", "model", "serial number"    as who made the image wrote them down; times are
 *                  UTC where the section has seconds, and else as it has them
 *
 * An image has most of them in several sections: the first one to come is the fullest.
 */
bool io_e01_facts(const struct io_ewf_section *section, io_e01_fact_fn add, void *arg);

#endif
