/* io/io_libraries.h - the libraries that io/ uses, with their versions. */
#ifndef BURIN_IO_IO_LIBRARIES_H
#define BURIN_IO_IO_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Writes the libraries to out and returns their number. Any thread may call it. */
uint32_t io_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
