/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/hdf5.h - what the parts of the HDF5 validator share: sizes, and the list of
 * structures that are still to be looked at. */
#ifndef BURIN_SIGNATURES_SCIENCE_HDF5_H
#define BURIN_SIGNATURES_SCIENCE_HDF5_H

#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    HDF5_TODO_MAX = 4096,     /* structures known of and not looked at; more are left out */
    HDF5_PART_MAX = 60 << 10, /* bytes of an object header or a node that are read at a time */
};
#define HDF5_NONE UINT64_MAX /* an address that is not there */

enum hdf5_kind {
    HDF5_OBJECT,        /* header of a group or a data set; size is not known before */
    HDF5_MORE,          /* continuation of one of version 1 */
    HDF5_MORE_2,        /* of version 2 */
    HDF5_GROUP_TREE,    /* version 1 B-tree whose leaves are symbol nodes */
    HDF5_CHUNK_TREE,    /* whose leaves are chunks of data */
    HDF5_DEFLATED_TREE, /* likewise, deflated ones */
    HDF5_SYMBOLS,
    HDF5_NAMES,        /* local heap */
    HDF5_FRACTAL_HEAP, /* only its magic is looked at; likewise the next */
    HDF5_TREE_2,
};

struct hdf5_part {
    uint64_t at;
    uint32_t len;        /* of a continuation */
    uint8_t kind, extra; /* dimensions of the chunks, flags of the header that goes on */
};

/* What the messages of one part of an object's header say. */
struct hdf5_object {
    uint64_t chunks; /* address of the B-tree; HDF5_NONE: none */
    uint8_t dimensions;
    bool deflated;
};

/* Kept between calls; zeroed before the first. */
struct hdf5_state {
    struct hdf5_part todo[HDF5_TODO_MAX];
    uint32_t count;
    bool begun;
    uint8_t offsets, lengths; /* bytes of an address and of a length */
    uint64_t end;
    uint64_t entry;            /* of the node being read: chunks of it that were looked at */
    uint64_t part_len;         /* bytes of the structure looked at last, as far as they were read */
    uint64_t looked;           /* bytes of all structures looked at so far */
    uint64_t reach;            /* object offset behind the farthest of them */
    struct hdf5_object object; /* of the part read last */
};

/* Notes a structure; an address that is none is passed over. False: it lies outside of the file. */
bool hdf5_add(struct hdf5_state *state, enum hdf5_kind kind, uint64_t at, uint64_t len,
              uint8_t extra);
uint64_t hdf5_number(const uint8_t *bytes, uint32_t size);
/* Reads the object header or the continuation `part`. */
enum step hdf5_object(struct sig_input *in, struct hdf5_state *state, const struct hdf5_part *part,
                      const char **why);
uint32_t hdf5_hash(const uint8_t *bytes, uint32_t len);

#endif
