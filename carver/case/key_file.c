/* SPDX-License-Identifier: Apache-2.0
 * carver/case/key_file.c - see key_file.h. */
#include "carver/case/key_file.h"
#include "io/reach.h"

enum err_code key_file_take(const char *value, struct err *err)
{
    const enum err_code rc = args_file("--key-file", value, err);

    return rc == ERR_OK ? io_reach_key(value, err) : rc;
}
