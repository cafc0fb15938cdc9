/* SPDX-License-Identifier: Apache-2.0
 * carver/yara/lib_yara.c - see lib_yara.h. The build finds the name of its file and its package. */
#include <stddef.h>

#include "carver/yara/lib_yara.h"
#include "io/system/shared.h"

#define LIB_YARA_FUNCTION(name) { #name, offsetof(struct lib_yara, name) },
static const struct io_shared_function lib_yara_functions[] = { LIB_YARA_FUNCTIONS(
    LIB_YARA_FUNCTION) };
static const struct io_shared lib_yara_shared = {
    .file = BURIN_YARA_FILE,
    .package = BURIN_YARA_PACKAGE,
    .functions = lib_yara_functions,
    .function_count = sizeof lib_yara_functions / sizeof lib_yara_functions[0],
};

enum err_code lib_yara_open(struct lib_yara *yara, struct err *err)
{
    const enum err_code rc = io_shared_open(&lib_yara_shared, yara, err);

    if (rc == ERR_OK && yara->yr_initialize() != ERROR_SUCCESS)
        return ERR_RAISE(err, ERR_ENV, "libyara cannot begin its work");
    return rc;
}
