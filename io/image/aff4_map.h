/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_map.h - the map of an AFF4 image: which bytes of which stream each byte of it is
 * (io/ only).
 *
 * A map is a segment of entries of 28 bytes: u64le place in the image, u64le length, u64le place in
 * the target, u32le number of the target, which is a line of a second segment. A target is an image
 * stream, or stands for bytes that are all alike, were not read, or could not be read. Source: AFF4
 * Standard 1.0a, section 4.
 */
#ifndef BURIN_IO_IMAGE_AFF4_MAP_H
#define BURIN_IO_IMAGE_AFF4_MAP_H

#include "io/image/aff4_stream.h"

enum { AFF4_TARGETS_MAX = 1024 };

enum aff4_target_kind {
    AFF4_FILL,       /* one byte, again and again */
    AFF4_UNKNOWN,    /* nobody tried to read these */
    AFF4_UNREADABLE, /* reading these failed */
    AFF4_STREAM,
};

struct aff4_target {
    enum aff4_target_kind kind;
    uint8_t fill;    /* FILL */
    uint32_t stream; /* STREAM: number among the image's; set by who opens them */
    const char *iri; /* STREAM; belongs to the map */
};

/* Bytes of the image up to where the next entry begins. */
struct aff4_entry {
    uint64_t offset, at; /* in the image; in the target */
    uint32_t target;
};

struct aff4_map {
    uint64_t size;            /* bytes of the image */
    struct aff4_entry *items; /* ascending, without a gap from 0 to size, owned */
    uint32_t count;
    size_t room;
    struct aff4_target *targets; /* [target_count], owned */
    uint32_t target_count;
    char *lines; /* the texts of the targets, owned */
};

/*
 * Reads the map iri of a volume. *out, zeroed, is to be given to io_aff4_map_release, whatever is
 * returned.
 * Errors  ERR_INPUT  it is damaged, or not known here.
 *         ERR_ENV    no memory.
 */
ERR_MUST_CHECK enum err_code io_aff4_map_open(const struct aff4_volume *volume, const char *iri,
                                              struct aff4_map *out, struct err *err);

/* A map of an image that is all of one stream, of size bytes. ERR_ENV: no memory. */
ERR_MUST_CHECK enum err_code io_aff4_map_whole(const char *iri, uint64_t size, struct aff4_map *out,
                                               struct err *err);

/* The number of the entry that holds a byte of the image, and where it ends. */
uint32_t io_aff4_map_find(const struct aff4_map *map, uint64_t offset, uint64_t *end);

void io_aff4_map_release(struct aff4_map *map);

#endif
