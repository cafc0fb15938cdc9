/* SPDX-License-Identifier: Apache-2.0
 * carver/report/lib_turbojpeg.h - the functions of libturbojpeg, which is loaded for the
 * pictures of a page alone, and works in a process without rights (shrinker.h). See
 * io/system/shared.h.
 */
#ifndef BURIN_CARVER_REPORT_LIB_TURBOJPEG_H
#define BURIN_CARVER_REPORT_LIB_TURBOJPEG_H

#include <stdbool.h>
#include <turbojpeg.h>

#include "base/err.h"

#define LIB_TURBOJPEG_FUNCTIONS(X)                                                                 \
    X(tjCompress2)                                                                                 \
    X(tjDecompress2)                                                                               \
    X(tjDecompressHeader3)                                                                         \
    X(tjDestroy)                                                                                   \
    X(tjGetErrorCode)                                                                              \
    X(tjInitCompress)                                                                              \
    X(tjInitDecompress)

/* Each by its own name. */
struct lib_turbojpeg {
#define LIB_TURBOJPEG_POINTER(name) __typeof__(name) *name;
    LIB_TURBOJPEG_FUNCTIONS(LIB_TURBOJPEG_POINTER)
#undef LIB_TURBOJPEG_POINTER
};

/* As io_shared_open. */
ERR_MUST_CHECK enum err_code lib_turbojpeg_open(struct lib_turbojpeg *jpeg, struct err *err);
/* As io_shared_find: once the process is confined. */
bool lib_turbojpeg_find(struct lib_turbojpeg *jpeg);

#endif
