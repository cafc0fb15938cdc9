/* SPDX-License-Identifier: Apache-2.0
 * carver/case/evidence.h - nothing is ever written onto the evidence. */
#ifndef BURIN_CARVER_CASE_EVIDENCE_H
#define BURIN_CARVER_CASE_EVIDENCE_H

#include "base/err.h"
#include "io/image.h"

/*
 * ERR_INPUT when writing at path would change the image: path is a part of it, or lies in a file
 * system one of whose devices is a part of it, is a partition of one, is built on one (device
 * mapper, md), or is a loop device over one; or in an overlay that writes there. ERR_INPUT too when
 * the devices behind path cannot be found and the evidence is a device, or has a loop device over
 * it: it may be that one.
 *
 * path need not exist; its nearest folder decides then. what names the output in the message ("the
 * case file").
 */
ERR_MUST_CHECK enum err_code evidence_refuse_output(const struct io_image *image, const char *path,
                                                    const char *what, struct err *err);

#endif
