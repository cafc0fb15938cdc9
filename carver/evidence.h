/* carver/evidence.h - nothing is ever written onto the evidence. */
#ifndef BURIN_CARVER_EVIDENCE_H
#define BURIN_CARVER_EVIDENCE_H

#include "base/err.h"
#include "io/image.h"

/*
 * ERR_INPUT when writing at path would change the image: path is a part of it, or lies in a file system on a block device that
 * is a part of it. path need not exist; its folder decides then. what names the output in the message.
 */
ERR_MUST_CHECK enum err_code evidence_refuse_output(const struct io_image *image, const char *path, const char *what,
                                                    struct err *err);

#endif
