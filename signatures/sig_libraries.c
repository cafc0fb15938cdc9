/* SPDX-License-Identifier: Apache-2.0
 * signatures/sig_libraries.c - the libraries that signatures/ uses. See base/library.h. */
#include <isa-l.h>
#include <lzma.h>
#include <stdio.h>

#include "base/library.h"

uint32_t sig_libraries(struct library out[LIBRARY_COUNT_MAX])
{
    out[0] = (struct library){ .name = "libisal" }; /* tells only what it was compiled against */
    snprintf(out[0].version, sizeof out[0].version, "%d.%d.%d", ISAL_MAJOR_VERSION,
             ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
    out[1] = (struct library){ .name = "liblzma" };
    snprintf(out[1].version, sizeof out[1].version, "%s", lzma_version_string());
    return 2;
}
