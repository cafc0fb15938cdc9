/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_nbd.c - see lib_nbd.h. The build finds the name of its file and its package. */
#include "io/system/lib_nbd.h"
#include "io/system/shared.h"

#define LIB_NBD_FUNCTION(name) { #name, offsetof(struct io_nbd, name) },
static const struct io_shared_function lib_nbd_functions[] = { IO_NBD_FUNCTIONS(LIB_NBD_FUNCTION) };
static const struct io_shared lib_nbd_shared = {
    .file = BURIN_NBD_FILE,
    .package = BURIN_NBD_PACKAGE,
    .functions = lib_nbd_functions,
    .function_count = sizeof lib_nbd_functions / sizeof lib_nbd_functions[0],
};

enum err_code io_nbd_open(struct io_nbd *nbd, struct err *err)
{
    return io_shared_open(&lib_nbd_shared, nbd, err);
}

enum err_code io_nbd_load(struct err *err)
{
    struct io_nbd nbd;

    return io_nbd_open(&nbd, err);
}
