/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_ewf.h - the functions of libewf, which reads E01 and S01 images, and is loaded when
 * one is there (io/ only). See shared.h.
 */
#ifndef BURIN_IO_SYSTEM_LIB_EWF_H
#define BURIN_IO_SYSTEM_LIB_EWF_H

#include <libewf.h>

#include "base/err.h"

#define IO_EWF_FUNCTIONS(X)                                                                        \
    X(libewf_error_free)                                                                           \
    X(libewf_error_sprint)                                                                         \
    X(libewf_glob)                                                                                 \
    X(libewf_glob_free)                                                                            \
    X(libewf_handle_close)                                                                         \
    X(libewf_handle_free)                                                                          \
    X(libewf_handle_get_bytes_per_sector)                                                          \
    X(libewf_handle_get_checksum_error)                                                            \
    X(libewf_handle_get_chunk_size)                                                                \
    X(libewf_handle_get_media_size)                                                                \
    X(libewf_handle_get_md5_hash)                                                                  \
    X(libewf_handle_get_number_of_checksum_errors)                                                 \
    X(libewf_handle_get_sha1_hash)                                                                 \
    X(libewf_handle_get_utf8_hash_value)                                                           \
    X(libewf_handle_get_utf8_header_value)                                                         \
    X(libewf_handle_initialize)                                                                    \
    X(libewf_handle_open)                                                                          \
    X(libewf_handle_read_random)                                                                   \
    X(libewf_handle_set_header_values_date_format)

/* Each by its own name. */
struct io_ewf {
#define IO_EWF_POINTER(name) __typeof__(name) *name;
    IO_EWF_FUNCTIONS(IO_EWF_POINTER)
#undef IO_EWF_POINTER
};

/* As io_shared_open. */
ERR_MUST_CHECK enum err_code io_ewf_open(struct io_ewf *ewf, struct err *err);
/* Loads it, for an io_ewf_open that comes when nothing can be loaded any more. */
ERR_MUST_CHECK enum err_code io_ewf_load(struct err *err);

#endif
