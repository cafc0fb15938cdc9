/* signatures/sig_libraries.c - the libraries that signatures/ uses. See base/library.h. */
#include <isa-l.h>
#include <stdio.h>

#include "base/library.h"

uint32_t sig_libraries(struct library out[LIBRARY_COUNT_MAX])
{
    out[0] = (struct library){ .name = "libisal" }; /* tells only what it was compiled against */
    snprintf(out[0].version, sizeof out[0].version, "%d.%d.%d", ISAL_MAJOR_VERSION,
             ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
    return 1;
}
