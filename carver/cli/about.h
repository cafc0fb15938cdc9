/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/about.h - what this program is and stands on, for info, the case file and the reports.
 */
#ifndef BURIN_CARVER_CLI_ABOUT_H
#define BURIN_CARVER_CLI_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/library.h"

enum {
    ABOUT_LIBRARIES_MAX = 16,
    ABOUT_LIBRARIES_TEXT =
        512, /* bytes; enough for ABOUT_LIBRARIES_MAX names and versions as they are today */
    ABOUT_TIME_MAX = 32,
    ABOUT_NAME_MAX = 256,
};

const char *about_version(void);  /* "0.1.0" */
const char *about_build(void);    /* commit of the source, or "unknown" */
const char *about_compiler(void); /* "GNU 12.2.0" */

/* Every library the modules name, in the order io, match, signatures, db. Returns how many. */
uint32_t about_libraries(struct library out[ABOUT_LIBRARIES_MAX]);
/* The same as one line for struct db_run: "libtsk built for 4.11.1, libaio so.1.0.2, …". */
void about_libraries_text(char out[ABOUT_LIBRARIES_TEXT]);

/* A time in seconds since 1970, in the same form; false: its year has not four digits. */
bool about_time(int64_t seconds, char out[ABOUT_TIME_MAX]);

/* Now, UTC, ISO 8601: "2026-11-21T03:40:00Z". */
void about_now(char out[ABOUT_TIME_MAX]);

/* Name of this host, and of the user who runs this (or the number where it has no name). */
void about_host(char out[ABOUT_NAME_MAX]);
void about_user(char out[ABOUT_NAME_MAX]);

#endif
