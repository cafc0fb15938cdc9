/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/lib_yara.h - the functions of libyara, which is loaded for rules of YARA alone, and
 * works in a process without rights (yara_rules.h). See io/system/shared.h.
 */
#ifndef BURIN_CARVER_YARA_LIB_YARA_H
#define BURIN_CARVER_YARA_LIB_YARA_H

#include <stdbool.h>
#include <yara.h>

#include "base/err.h"

#define LIB_YARA_FUNCTIONS(X)                                                                      \
    X(yr_initialize)                                                                               \
    X(yr_compiler_create)                                                                          \
    X(yr_compiler_destroy)                                                                         \
    X(yr_compiler_set_callback)                                                                    \
    X(yr_compiler_set_include_callback)                                                            \
    X(yr_compiler_add_string)                                                                      \
    X(yr_compiler_get_rules)                                                                       \
    X(yr_rules_destroy)                                                                            \
    X(yr_scanner_create)                                                                           \
    X(yr_scanner_destroy)                                                                          \
    X(yr_scanner_set_callback)                                                                     \
    X(yr_scanner_set_flags)                                                                        \
    X(yr_scanner_set_timeout)                                                                      \
    X(yr_scanner_scan_mem)

/* Each by its own name. */
struct lib_yara {
#define LIB_YARA_POINTER(name) __typeof__(name) *name;
    LIB_YARA_FUNCTIONS(LIB_YARA_POINTER)
#undef LIB_YARA_POINTER
};

/* As io_shared_open, and initializes the library. */
ERR_MUST_CHECK enum err_code lib_yara_open(struct lib_yara *yara, struct err *err);

#endif
