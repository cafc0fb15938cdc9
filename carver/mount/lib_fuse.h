/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/lib_fuse.h - the functions of libfuse3, which the kernel's file systems of programs
 * speak through, and which is loaded for `burin mount` alone. See io/system/shared.h.
 */
#ifndef BURIN_CARVER_MOUNT_LIB_FUSE_H
#define BURIN_CARVER_MOUNT_LIB_FUSE_H

#define FUSE_USE_VERSION 35
#include <fuse3/fuse_lowlevel.h>

#include "base/err.h"

#define LIB_FUSE_FUNCTIONS(X)                                                                      \
    X(fuse_add_direntry)                                                                           \
    X(fuse_add_direntry_plus)                                                                      \
    X(fuse_opt_add_arg)                                                                            \
    X(fuse_opt_free_args)                                                                          \
    X(fuse_reply_attr)                                                                             \
    X(fuse_reply_buf)                                                                              \
    X(fuse_reply_data)                                                                             \
    X(fuse_reply_entry)                                                                            \
    X(fuse_reply_err)                                                                              \
    X(fuse_reply_none)                                                                             \
    X(fuse_reply_open)                                                                             \
    X(fuse_reply_statfs)                                                                           \
    X(fuse_reply_xattr)                                                                            \
    X(fuse_session_destroy)                                                                        \
    X(fuse_session_exited)                                                                         \
    X(fuse_session_fd)                                                                             \
    X(fuse_session_mount)                                                                          \
    X(fuse_session_new)                                                                            \
    X(fuse_session_process_buf)                                                                    \
    X(fuse_session_receive_buf)                                                                    \
    X(fuse_set_log_func)

/* Each by its own name. */
struct lib_fuse {
#define LIB_FUSE_POINTER(name) __typeof__(name) *name;
    LIB_FUSE_FUNCTIONS(LIB_FUSE_POINTER)
#undef LIB_FUSE_POINTER
};

/* As io_shared_open. */
ERR_MUST_CHECK enum err_code lib_fuse_open(struct lib_fuse *fuse, struct err *err);

#endif
