/* carver/evidence.h - nothing is ever written onto the evidence. */
#ifndef BURIN_CARVER_EVIDENCE_H
#define BURIN_CARVER_EVIDENCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/image.h"

/*
 * ERR_INPUT when writing at path would change the image: path is a part of it, or lies in a file system whose device is a part
 * of it, is a partition of one, is built on one (device mapper, md), or is a loop device over one. path need not exist; its
 * nearest folder decides then. what names the output in the message ("the case file").
 */
ERR_MUST_CHECK enum err_code evidence_refuse_output(const struct io_image *image, const char *path, const char *what,
                                                    struct err *err);

/* The devices half, with the place of sysfs given: whether dev leads to a part of the image. For tests. */
bool evidence_holds_device(const char *sysfs, const struct io_image *image, dev_t dev);

#endif
