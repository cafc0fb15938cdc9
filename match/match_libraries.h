/* match/match_libraries.h - which libraries match/ stands on. */
#ifndef BURIN_MATCH_MATCH_LIBRARIES_H
#define BURIN_MATCH_MATCH_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Fills out and returns how many. Any thread. */
uint32_t match_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
