/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_volume.h - a file of an AFF4 image: a ZIP of segments with metadata in RDF (io/
 * only).
 *
 * A segment's name is its IRI, from which the volume's own is left out. Source: Schatz, Cohen,
 * "Advanced Forensic Format 4" Standard 1.0a, sections 1, 2 and 5.
 */
#ifndef BURIN_IO_IMAGE_AFF4_VOLUME_H
#define BURIN_IO_IMAGE_AFF4_VOLUME_H

#include "io/image/turtle.h"
#include "io/image/zip_directory.h"

#define AFF4 "http://aff4.org/Schema#"
#define AFF4_RDF_TYPE "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

enum { AFF4_IRI_MAX = 1024 }; /* bytes of an IRI that names a segment, the NUL included */

struct aff4_volume {
    struct io_zip zip;
    struct turtle turtle;
    char iri[AFF4_IRI_MAX]; /* its own */
    char tool[64];          /* that wrote it; "": not told */
};

/*
 * Reads the directory and the metadata of part `file`, which is at path and has size bytes. *out,
 * zeroed, is to be given to io_aff4_volume_release, whatever is returned.
 * Errors  ERR_INPUT  it is damaged; it is of another version than 1.0 and 1.1.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_aff4_volume_open(const struct io_pieces *pieces, uint32_t file,
                                                 const char *path, uint64_t size,
                                                 struct aff4_volume *out, struct err *err);

/* As the first step of it: only the directory and the IRI. */
ERR_MUST_CHECK enum err_code io_aff4_volume_name(const struct io_pieces *pieces, uint32_t file,
                                                 const char *path, uint64_t size,
                                                 struct aff4_volume *out, struct err *err);

/* The segment of an IRI and what follows it; NULL: there is none. */
const struct io_zip_member *io_aff4_segment(const struct aff4_volume *volume, const char *iri,
                                            const char *rest);

/* Whether the subject has the type aff4:TYPE. */
bool io_aff4_is(const struct aff4_volume *volume, const char *subject, const char *type);

/* The first value of aff4:NAME that the subject has; NULL: none. */
const char *io_aff4_text(const struct aff4_volume *volume, const char *subject, const char *name);

/* The same as a number without a sign; false: there is none, or it is no such number. */
bool io_aff4_number(const struct aff4_volume *volume, const char *subject, const char *name,
                    uint64_t *value);

void io_aff4_volume_release(struct aff4_volume *volume);

#endif
