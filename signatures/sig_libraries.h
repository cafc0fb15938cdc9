/* signatures/sig_libraries.h - which libraries signatures/ stands on. */
#ifndef BURIN_SIGNATURES_SIG_LIBRARIES_H
#define BURIN_SIGNATURES_SIG_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Fills out and returns how many. Any thread. */
uint32_t sig_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
