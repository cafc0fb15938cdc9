/* base/library.h - a library that a module stands on, with the version that is running, for the record. */
#ifndef BURIN_BASE_LIBRARY_H
#define BURIN_BASE_LIBRARY_H

enum { LIBRARY_VERSION_MAX = 32, LIBRARY_COUNT_MAX = 4 /* of one module */ };

struct library {
    const char *name; /* static */
    char version[LIBRARY_VERSION_MAX];
};

#endif
