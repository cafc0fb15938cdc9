/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_ewf.c - see lib_ewf.h. The build finds the name of its file and its package. */
#include "io/system/lib_ewf.h"
#include "io/system/shared.h"

#define LIB_EWF_FUNCTION(name) { #name, offsetof(struct io_ewf, name) },
static const struct io_shared_function lib_ewf_functions[] = { IO_EWF_FUNCTIONS(LIB_EWF_FUNCTION) };
static const struct io_shared lib_ewf_shared = {
    .file = BURIN_EWF_FILE,
    .package = BURIN_EWF_PACKAGE,
    .functions = lib_ewf_functions,
    .function_count = sizeof lib_ewf_functions / sizeof lib_ewf_functions[0],
};

enum err_code io_ewf_open(struct io_ewf *ewf, struct err *err)
{
    return io_shared_open(&lib_ewf_shared, ewf, err);
}

enum err_code io_ewf_load(struct err *err)
{
    struct io_ewf ewf;

    return io_ewf_open(&ewf, err);
}
