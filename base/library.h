/*
 * base/library.h - a library that a module uses and the version that runs, for the case file's
 * record.
 */
#ifndef BURIN_BASE_LIBRARY_H
#define BURIN_BASE_LIBRARY_H

/* Bytes of a version with its NUL; most libraries of one module. */
enum { LIBRARY_VERSION_MAX = 32, LIBRARY_COUNT_MAX = 4 };

struct library {
    const char *name; /* static text */
    char version[LIBRARY_VERSION_MAX];
};

#endif
