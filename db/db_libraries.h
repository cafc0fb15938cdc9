/* db/db_libraries.h - the libraries that db/ uses, with their versions. */
#ifndef BURIN_DB_DB_LIBRARIES_H
#define BURIN_DB_DB_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Writes the libraries to out and returns their number. Any thread may call it. */
uint32_t db_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
