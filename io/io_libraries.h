/* io/io_libraries.h - which libraries io/ stands on. */
#ifndef BURIN_IO_IO_LIBRARIES_H
#define BURIN_IO_IO_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Fills out and returns how many. Any thread. */
uint32_t io_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
