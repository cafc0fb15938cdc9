/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_nbd.h - the functions of libnbd, which speaks with servers of images, and is loaded
 * when one is named (io/ only). See shared.h.
 */
#ifndef BURIN_IO_SYSTEM_LIB_NBD_H
#define BURIN_IO_SYSTEM_LIB_NBD_H

#include <libnbd.h>

#include "base/err.h"

#define IO_NBD_FUNCTIONS(X)                                                                        \
    X(nbd_add_meta_context)                                                                        \
    X(nbd_aio_command_completed)                                                                   \
    X(nbd_aio_get_direction)                                                                       \
    X(nbd_aio_get_fd)                                                                              \
    X(nbd_aio_connect_socket)                                                                      \
    X(nbd_aio_block_status)                                                                        \
    X(nbd_aio_is_connecting)                                                                       \
    X(nbd_aio_is_ready)                                                                            \
    X(nbd_aio_notify_read)                                                                         \
    X(nbd_aio_notify_write)                                                                        \
    X(nbd_aio_pread_structured)                                                                    \
    X(nbd_can_df)                                                                                  \
    X(nbd_can_meta_context)                                                                        \
    X(nbd_can_multi_conn)                                                                          \
    X(nbd_close)                                                                                   \
    X(nbd_create)                                                                                  \
    X(nbd_get_block_size)                                                                          \
    X(nbd_get_errno)                                                                               \
    X(nbd_get_error)                                                                               \
    X(nbd_get_size)                                                                                \
    X(nbd_set_export_name)                                                                         \
    X(nbd_set_pread_initialize)

/* Each by its own name. */
struct io_nbd {
#define IO_NBD_POINTER(name) __typeof__(name) *name;
    IO_NBD_FUNCTIONS(IO_NBD_POINTER)
#undef IO_NBD_POINTER
};

/* As io_shared_open. */
ERR_MUST_CHECK enum err_code io_nbd_open(struct io_nbd *nbd, struct err *err);
/* Loads it, for an io_nbd_open that comes when nothing can be loaded any more. */
ERR_MUST_CHECK enum err_code io_nbd_load(struct err *err);

#endif
