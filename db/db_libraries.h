/* db/db_libraries.h - which libraries db/ stands on. */
#ifndef BURIN_DB_DB_LIBRARIES_H
#define BURIN_DB_DB_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Fills out and returns how many. Any thread. */
uint32_t db_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
