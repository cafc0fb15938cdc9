/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/lvm.h - LVM2: which extents of which physical volumes a logical volume consists of.
 *
 * A physical volume has a label in one of its first four sectors, with its UUID and the places of
 * its metadata: a text that describes the whole group. Source: lvm2's lib/format_text (layout.h,
 * import_vsn1.c) and lvm(8).
 *
 * Memory  At most LVM_TEXT_MAX bytes of text, and the tables below.
 */
#ifndef BURIN_IO_FILESYSTEM_LVM_H
#define BURIN_IO_FILESYSTEM_LVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/filesystem/source.h"

enum {
    LVM_TEXT_MAX = 4 << 20, /* bytes of a group's description */
    LVM_NAME_MAX = 128,     /* bytes of a name, with its NUL */
    LVM_UUID_MAX = 33,      /* 32 letters and digits, and the NUL */
    LVM_VOLUMES_MAX = 1024, /* physical ones, and logical ones */
    LVM_SEGMENTS_MAX = 1 << 16,
    LVM_STRIPES_MAX = 64,
};

struct lvm_physical {
    char name[LVM_NAME_MAX]; /* in the text: pv0, pv1, ... */
    char uuid[LVM_UUID_MAX]; /* without its hyphens */
    uint64_t start;          /* bytes: where its first extent begins */
};

/* Extents of a logical volume, from its extent number `start` on. */
struct lvm_segment {
    uint64_t start, count;            /* extents */
    uint64_t stripe_len;              /* bytes; with one stripe not used */
    uint32_t stripes;                 /* 0: of a kind that is not read here */
    uint32_t place[LVM_STRIPES_MAX];  /* index of a physical volume */
    uint64_t extent[LVM_STRIPES_MAX]; /* its extent that the stripe begins at */
    char type[LVM_NAME_MAX];          /* "striped", "thin", "raid5", ... */
};

struct lvm_logical {
    char name[LVM_NAME_MAX];
    bool visible;
    uint32_t first, count; /* segments */
};

struct lvm_group {
    char name[LVM_NAME_MAX];
    char uuid[LVM_UUID_MAX];
    uint64_t extent_len; /* bytes */
    struct lvm_physical *physical;
    struct lvm_logical *logical;
    struct lvm_segment *segments;
    uint32_t physical_count, logical_count, segment_count;
    size_t physical_room, logical_room, segment_room;
};

/* What a physical volume says of itself. */
struct lvm_label {
    char uuid[LVM_UUID_MAX];
    uint64_t metadata, metadata_len; /* bytes: its first area of metadata; length 0: it has none */
};

/* False: the source is no physical volume. */
bool lvm_label(const struct source *source, struct lvm_label *out);

/*
 * Reads the description of the group from the label's area of metadata. *out is released with
 * lvm_release, on an error too. Errors: ERR_INPUT, which says what is wrong; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code lvm_read(const struct source *source, const struct lvm_label *label,
                                      struct lvm_group *out, struct err *err);

/* As lvm_read, of a text: text[len] is a NUL. */
ERR_MUST_CHECK enum err_code lvm_parse(const char *text, uint32_t len, struct lvm_group *out,
                                       struct err *err);
void lvm_release(struct lvm_group *group);

#endif
