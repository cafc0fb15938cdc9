/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_fault.h - an image that fails on cue, over one that does not. For tests only.
 */
#ifndef BURIN_IO_IMAGE_IMAGE_FAULT_H
#define BURIN_IO_IMAGE_IMAGE_FAULT_H

#include "io/image.h"

enum io_fault_kind {
    IO_FAULT_FAIL,  /* reads that touch the range fail at once */
    IO_FAULT_SHORT, /* the bytes before the range arrive, and then the read fails */
    IO_FAULT_LATE,  /* reads that touch the range take their time */
};

struct io_fault {
    uint64_t offset, len; /* bytes of the image */
    enum io_fault_kind kind;
    int cause;         /* errno of a failed read */
    uint32_t times;    /* how many reads it strikes; 0: all */
    uint32_t delay_us; /* of a late one */
};

struct io_fault_script {
    const struct io_fault *faults; /* copied */
    uint32_t count;
    bool map; /* hand the inner image's map on, so that the asynchronous backends take the image */
};

/* inner stays the caller's and must outlive *out. */
ERR_MUST_CHECK enum err_code io_image_open_fault(struct io_image *inner,
                                                 const struct io_fault_script *script,
                                                 struct io_image **out, struct err *err);

/* Reads asked of an image of io_image_open_fault so far, failed ones too. */
uint64_t io_image_fault_reads(const struct io_image *image);

#endif
