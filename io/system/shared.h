/* SPDX-License-Identifier: Apache-2.0
 * io/system/shared.h - libraries that are loaded when an image needs them (io/ and tests only).
 *
 * libtsk brings libcurl, Kerberos and LDAP along: linked, they would take four fifths of the time
 * in which the program starts, and most images need none of them. Each such library has a file of
 * its own, with a table of the functions that are called. A library stays loaded once it is.
 */
#ifndef BURIN_IO_SYSTEM_SHARED_H
#define BURIN_IO_SYSTEM_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct io_shared_function {
    const char *name;
    size_t at; /* of its pointer in the table, bytes */
};

struct io_shared {
    const char *file;    /* "libtsk.so.19": the name that the dynamic linker knows it by */
    const char *package; /* of Debian, that has it */
    const struct io_shared_function *functions;
    uint32_t function_count;
};

/*
 * Loads the library, unless this process has it already, and fills the table of its functions,
 * which is the caller's. A process that confines itself must have loaded it before. Any thread may
 * call it. ERR_ENV: it is not there, or is another one than burin was built for; the text names the
 * package.
 */
ERR_MUST_CHECK enum err_code io_shared_open(const struct io_shared *shared, void *table,
                                            struct err *err);
/* The same for a library that is loaded; loads none. False: this process does not have it. */
bool io_shared_find(const struct io_shared *shared, void *table);

#endif
