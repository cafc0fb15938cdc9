/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/terminal.c - see terminal.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "carver/cli/terminal.h"

enum { TERMINAL_COLUMNS = 80, TERMINAL_COLUMNS_MAX = 10000 };

uint32_t terminal_columns(FILE *out)
{
    struct winsize size = { 0 };
    const char *said = getenv("COLUMNS");

    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const long columns = said != NULL ? strtol(said, NULL, 10) : 0;
    return columns > 0 && columns <= TERMINAL_COLUMNS_MAX ? (uint32_t)columns : TERMINAL_COLUMNS;
}

bool terminal_is(FILE *out)
{
    return isatty(fileno(out)) == 1;
}

enum err_code terminal_color_word(const char *word, enum terminal_color *out, struct err *err)
{
    static const char *const words[] = { "auto", "always", "never" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (enum terminal_color)i;
            return ERR_OK;
        }
    return ERR_RAISE(err, ERR_ARG, "--color '%s': one of auto, always and never", word);
}

bool terminal_has_color(enum terminal_color color, FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (color != TERMINAL_COLOR_AUTO)
        return color == TERMINAL_COLOR_ALWAYS;
    return terminal_is(out) && (no == NULL || no[0] == '\0') && term != NULL && term[0] != '\0' &&
           strcmp(term, "dumb") != 0;
}
