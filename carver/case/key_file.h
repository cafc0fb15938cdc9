/* SPDX-License-Identifier: Apache-2.0
 * carver/case/key_file.h - the option that names the key of encrypted images: it is the same in all
 * commands that read images.
 */
#ifndef BURIN_CARVER_CASE_KEY_FILE_H
#define BURIN_CARVER_CASE_KEY_FILE_H

#include "base/err.h"
#include "carver/cli/args.h"

#define KEY_FILE_TEXT                                                                              \
    "  --key-file FILE      the key of a LUKS image: all bytes of FILE (see NOTES of burin(1))\n"

#define KEY_FILE_TYPE "luks" /* the type of image that a key is for */

enum { KEY_FILE = ARGS_LONG + 512 /* its id, between those of a command and of a selection */ };
#define KEY_FILE_OPTION                                                                            \
    {                                                                                              \
        "key-file", KEY_FILE, "FILE"                                                               \
    }

/*
 * Hands the file to the process that starts servers (io/reach.h): no other reads it. Before the
 * command confines itself and has threads. Errors: ERR_ARG: this names no file; those of
 * io_reach_key.
 */
ERR_MUST_CHECK enum err_code key_file_take(const char *value, struct err *err);

#endif
