/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_tsk.h - the functions of libtsk, which reads AFF, VMDK and VHD images and file
 * systems, and is loaded when they are there (io/ only). See shared.h.
 */
#ifndef BURIN_IO_SYSTEM_LIB_TSK_H
#define BURIN_IO_SYSTEM_LIB_TSK_H

#include <stdbool.h>
#include <tsk/libtsk.h>

#include "base/err.h"

#define IO_TSK_FUNCTIONS(X)                                                                        \
    X(tsk_error_get)                                                                               \
    X(tsk_error_reset)                                                                             \
    X(tsk_fs_block_walk)                                                                           \
    X(tsk_fs_close)                                                                                \
    X(tsk_fs_dir_walk)                                                                             \
    X(tsk_fs_file_attr_get_idx)                                                                    \
    X(tsk_fs_file_attr_getsize)                                                                    \
    X(tsk_fs_open_img)                                                                             \
    X(tsk_fs_type_toname)                                                                          \
    X(tsk_img_close)                                                                               \
    X(tsk_img_open_external)                                                                       \
    X(tsk_img_open_utf8_sing)                                                                      \
    X(tsk_img_read)                                                                                \
    X(tsk_pool_open_img_sing)                                                                      \
    X(tsk_pool_unallocated_runs)                                                                   \
    X(tsk_version_get_str)                                                                         \
    X(tsk_vs_close)                                                                                \
    X(tsk_vs_open)                                                                                 \
    X(tsk_vs_part_walk)

/* Each by its own name. */
struct io_tsk {
#define IO_TSK_POINTER(name) __typeof__(name) *name;
    IO_TSK_FUNCTIONS(IO_TSK_POINTER)
#undef IO_TSK_POINTER
};

/* As io_shared_open. */
ERR_MUST_CHECK enum err_code io_tsk_open(struct io_tsk *tsk, struct err *err);
/* Loads it, for an io_tsk_open that comes when nothing can be loaded any more. */
ERR_MUST_CHECK enum err_code io_tsk_load(struct err *err);
/* False: this process has not loaded it. */
bool io_tsk_find(struct io_tsk *tsk);

#endif
