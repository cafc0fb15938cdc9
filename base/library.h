/* SPDX-License-Identifier: Apache-2.0
 * base/library.h - the libraries that the modules use, with the versions that run, for the case
 * file's record.
 */
#ifndef BURIN_BASE_LIBRARY_H
#define BURIN_BASE_LIBRARY_H

#include <stdint.h>

/* Bytes of a version with its NUL; most libraries of one module. */
enum { LIBRARY_VERSION_MAX = 32, LIBRARY_COUNT_MAX = 5 };

struct library {
    const char *name; /* static text */
    char version[LIBRARY_VERSION_MAX];
};

/*
 * Writes the libraries of a module to out and returns their number. Any thread may call it. Each
 * module that uses some has its own in MODULE_libraries.c.
 */
typedef uint32_t library_list(struct library out[LIBRARY_COUNT_MAX]);

library_list io_libraries, sig_libraries, db_libraries;

/*
 * Loads those libraries that io loads only when an image needs them, so that io_libraries tells the
 * versions that run. Of one that is not loaded it tells the version that burin was built for.
 */
void io_libraries_load(void);

#endif
