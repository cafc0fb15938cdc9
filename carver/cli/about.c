/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/about.c - see about.h. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/library.h"
#include "carver/cli/about.h"
#include "version.h"

const char *about_version(void)
{
    return BURIN_VERSION;
}

const char *about_build(void)
{
    return BURIN_BUILD;
}

const char *about_compiler(void)
{
    return BURIN_COMPILER;
}

uint32_t about_libraries(struct library out[ABOUT_LIBRARIES_MAX])
{
    _Static_assert(3 * LIBRARY_COUNT_MAX <= ABOUT_LIBRARIES_MAX,
                   "the libraries of three modules fit");
    uint32_t count = io_libraries(out);

    count += sig_libraries(out + count);
    return count + db_libraries(out + count);
}

void about_libraries_text(char out[ABOUT_LIBRARIES_TEXT])
{
    struct library all[ABOUT_LIBRARIES_MAX];
    const uint32_t count = about_libraries(all);
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < count && at < ABOUT_LIBRARIES_TEXT; i++)
        at += (size_t)snprintf(out + at, ABOUT_LIBRARIES_TEXT - at, "%s%s %s", i == 0 ? "" : ", ",
                               all[i].name, all[i].version);
}

bool about_time(int64_t seconds, char out[ABOUT_TIME_MAX])
{
    const time_t time = seconds;
    struct tm tm;

    return gmtime_r(&time, &tm) != NULL && tm.tm_year >= 1000 - 1900 && tm.tm_year <= 9999 - 1900 &&
           strftime(out, ABOUT_TIME_MAX, "%FT%TZ", &tm) > 0;
}

void about_now(char out[ABOUT_TIME_MAX])
{
    const time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc) == NULL ||
        strftime(out, ABOUT_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        snprintf(out, ABOUT_TIME_MAX, "1970-01-01T00:00:00Z");
}

void about_host(char out[ABOUT_NAME_MAX])
{
    if (gethostname(out, ABOUT_NAME_MAX) != 0)
        snprintf(out, ABOUT_NAME_MAX, "unknown");
    out[ABOUT_NAME_MAX - 1] = '\0';
}

void about_user(char out[ABOUT_NAME_MAX])
{
    char space[4096];
    struct passwd entry, *found = NULL;

    if (getpwuid_r(geteuid(), &entry, space, sizeof space, &found) == 0 && found != NULL)
        snprintf(out, ABOUT_NAME_MAX, "%s", found->pw_name);
    else
        snprintf(out, ABOUT_NAME_MAX, "%u", (unsigned)geteuid());
}
