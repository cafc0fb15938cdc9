/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/dicom.h - what the parts of the DICOM validator share: where the walk is, and
 * what it has learnt of the picture. */
#ifndef BURIN_SIGNATURES_SCIENCE_DICOM_H
#define BURIN_SIGNATURES_SCIENCE_DICOM_H

#include <isa-l/igzip_lib.h>

#include "signatures/lib/raster.h"
#include "signatures/sig.h"

enum {
    DICOM_DEPTH_MAX =
        32, /* sequences and items inside of each other; the deepest in use have some 12 */
};

/* What the fragments of a compressed picture are made of. */
enum dicom_codec { DICOM_OTHER, DICOM_RLE, DICOM_JPEG, DICOM_JPEG_LS, DICOM_JPEG_2000 };

enum dicom_frame_kind { DICOM_SEQUENCE, DICOM_ITEM, DICOM_FRAGMENTS };

/* A sequence, an item, or the fragments of a compressed picture, that the walk is inside of. */
struct dicom_frame {
    enum dicom_frame_kind kind;
    uint64_t end;  /* object offset; UINT64_MAX: a delimiter ends it */
    uint32_t last; /* tag of the element before, in an item */
    bool implicit; /* no VRs inside */
};

/* Kept between calls; zeroed before the first. */
struct dicom_state {
    uint64_t at; /* object offset of the next element; 0: not begun */
    uint64_t meta_end;
    uint64_t tail; /* where the last element or delimiter began */
    uint32_t last; /* tag of the element before, outside of sequences */
    uint32_t depth;
    struct dicom_frame frames[DICOM_DEPTH_MAX];
    bool body; /* behind the group of meta elements */
    bool implicit, big, deflated, encapsulated;
    enum dicom_codec codec;
    bool subsampled; /* YBR_FULL_422: two of three samples are there */
    bool image;      /* of a class that has a picture */
    bool has_pixels;
    uint32_t elements; /* of the body, outside of sequences */
    uint32_t fragments;
    uint32_t rows, columns, samples, allocated, stored, is_signed, planes;
    uint64_t pictures;              /* Number of Frames; 0: not given */
    uint64_t pixels_at, pixels_end; /* of a picture that is not compressed; 0: not in it */
    struct raster raster;
    struct plausible plausible;
    uint64_t scan_at; /* how far a fragment or the samples were read; 0: not begun */
    bool in_scan;     /* among the codes of a JPEG picture */
    bool inflating;
    struct inflate_state inflate;
};
_Static_assert(sizeof(struct dicom_state) <= SIG_STATE_MAX, "the state of ISA-L fits");

/* As enum step, and: the sequence, the item or the data set ends. */
enum dicom_step { DICOM_DONE, DICOM_WAIT, DICOM_BAD, DICOM_END };

/* Looks at the pixels between state->pixels_at and state->pixels_end. */
enum dicom_step dicom_pixels(struct sig_input *in, struct dicom_state *state, const char **why);
/* Looks at a fragment of a compressed picture: len bytes at object offset at. */
enum dicom_step dicom_fragment(struct sig_input *in, struct dicom_state *state, uint64_t at,
                               uint32_t len, const char **why);
/* Inflates the rest of the file from state->at on; DONE: state->at is behind it. */
enum dicom_step dicom_inflate(struct sig_input *in, struct dicom_state *state, const char **why);

#endif
