/* SPDX-License-Identifier: Apache-2.0
 * carver/report/lib_turbojpeg.c - see lib_turbojpeg.h. The build finds the name of its file
 * and its package.
 */
#include <stddef.h>

#include "carver/report/lib_turbojpeg.h"
#include "io/system/shared.h"

#define LIB_TURBOJPEG_FUNCTION(name) { #name, offsetof(struct lib_turbojpeg, name) },
static const struct io_shared_function lib_turbojpeg_functions[] = { LIB_TURBOJPEG_FUNCTIONS(
    LIB_TURBOJPEG_FUNCTION) };
static const struct io_shared lib_turbojpeg_shared = {
    .file = BURIN_TURBOJPEG_FILE,
    .package = BURIN_TURBOJPEG_PACKAGE,
    .functions = lib_turbojpeg_functions,
    .function_count = sizeof lib_turbojpeg_functions / sizeof lib_turbojpeg_functions[0],
};

enum err_code lib_turbojpeg_open(struct lib_turbojpeg *jpeg, struct err *err)
{
    return io_shared_open(&lib_turbojpeg_shared, jpeg, err);
}

bool lib_turbojpeg_find(struct lib_turbojpeg *jpeg)
{
    return io_shared_find(&lib_turbojpeg_shared, jpeg);
}
