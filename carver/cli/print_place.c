/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_place.c - see print_place.h. */
#include "carver/cli/print_place.h"

#include <inttypes.h>
#include <string.h>

#include "carver/cli/print_safe.h"

void print_place(FILE *out, uint32_t partition, const char *file_system, const char *path,
                 const char *kind)
{
    if (partition != 0)
        fprintf(out, "p%" PRIu32 "/", partition);
    if (file_system[0] == '\0') {
        print_safe(out, kind);
        return;
    }
    print_safe(out, file_system);
    if (path[0] != '\0') {
        putc(':', out);
        print_safe(out, path);
    }
    if (strcmp(kind, "file") != 0) {
        fputs(" (", out);
        print_safe(out, kind);
        putc(')', out);
    }
}
