/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/lib_fuse.c - see lib_fuse.h. The build finds the name of its file and its package.
 */
#include <stddef.h>

#include "carver/mount/lib_fuse.h"
#include "io/system/shared.h"

#define LIB_FUSE_FUNCTION(name) { #name, offsetof(struct lib_fuse, name) },
static const struct io_shared_function lib_fuse_functions[] = { LIB_FUSE_FUNCTIONS(
    LIB_FUSE_FUNCTION) };
static const struct io_shared lib_fuse_shared = {
    .file = BURIN_FUSE_FILE,
    .package = BURIN_FUSE_PACKAGE,
    .functions = lib_fuse_functions,
    .function_count = sizeof lib_fuse_functions / sizeof lib_fuse_functions[0],
};

enum err_code lib_fuse_open(struct lib_fuse *fuse, struct err *err)
{
    return io_shared_open(&lib_fuse_shared, fuse, err);
}
