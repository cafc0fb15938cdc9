/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_tsk.h - containers that libtsk decodes (io/ only). */
#ifndef BURIN_IO_IMAGE_IMAGE_TSK_H
#define BURIN_IO_IMAGE_IMAGE_TSK_H

#include "io/image/container.h"

enum io_tsk_type { IO_TSK_AFF, IO_TSK_VMDK };

/*
 * Opens path as the given type, never as what libtsk may find it to be: it would fall back to raw
 * bytes.
 * Errors  ERR_INPUT  libtsk cannot open it; its reason is in the text.
 */
ERR_MUST_CHECK enum err_code io_image_tsk_open(const struct io_container *container,
                                               enum io_tsk_type type, const char *path,
                                               struct io_image **out, struct err *err);

#endif
