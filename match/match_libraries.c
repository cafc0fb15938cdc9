/* match/match_libraries.c - see match_libraries.h. */
#include <stdio.h>
#include <string.h>
#include <tre/tre.h>

#include "match/match_libraries.h"

uint32_t match_libraries(struct library out[LIBRARY_COUNT_MAX])
{
    const char *text = tre_version(); /* "TRE 0.8.0 (BSD)" */
    const char *number = text + strcspn(text, "0123456789");

    out[0] = (struct library){ .name = "libtre" };
    snprintf(out[0].version, sizeof out[0].version, "%.*s", (int)strcspn(number, " "), number);
    return 1;
}
