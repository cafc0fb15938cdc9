/* signatures/sig_libraries.h - the libraries that signatures/ uses, with their versions. */
#ifndef BURIN_SIGNATURES_SIG_LIBRARIES_H
#define BURIN_SIGNATURES_SIG_LIBRARIES_H

#include <stdint.h>

#include "base/library.h"

/* Writes the libraries to out and returns their number. Any thread may call it. */
uint32_t sig_libraries(struct library out[LIBRARY_COUNT_MAX]);

#endif
