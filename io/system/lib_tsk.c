/* SPDX-License-Identifier: Apache-2.0
 * io/system/lib_tsk.c - see lib_tsk.h. The build finds the name of its file and its package. */
#include "io/system/lib_tsk.h"
#include "io/system/shared.h"

#define LIB_TSK_FUNCTION(name) { #name, offsetof(struct io_tsk, name) },
static const struct io_shared_function lib_tsk_functions[] = { IO_TSK_FUNCTIONS(LIB_TSK_FUNCTION) };
static const struct io_shared lib_tsk_shared = {
    .file = BURIN_TSK_FILE,
    .package = BURIN_TSK_PACKAGE,
    .functions = lib_tsk_functions,
    .function_count = sizeof lib_tsk_functions / sizeof lib_tsk_functions[0],
};

enum err_code io_tsk_open(struct io_tsk *tsk, struct err *err)
{
    return io_shared_open(&lib_tsk_shared, tsk, err);
}

enum err_code io_tsk_load(struct err *err)
{
    struct io_tsk tsk;

    return io_tsk_open(&tsk, err);
}

bool io_tsk_find(struct io_tsk *tsk)
{
    return io_shared_find(&lib_tsk_shared, tsk);
}
