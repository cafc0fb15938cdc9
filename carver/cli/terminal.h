/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/terminal.h - what a stream shows itself on: how wide, and whether in colours. */
#ifndef BURIN_CARVER_CLI_TERMINAL_H
#define BURIN_CARVER_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Columns of the terminal behind out; else those of $COLUMNS, else 80. At least 1. */
uint32_t terminal_columns(FILE *out);

bool terminal_is(FILE *out);

/* What --color says. */
enum terminal_color { TERMINAL_COLOR_AUTO, TERMINAL_COLOR_ALWAYS, TERMINAL_COLOR_NEVER };

/* ERR_ARG: the word is none of auto, always and never. */
ERR_MUST_CHECK enum err_code terminal_color_word(const char *word, enum terminal_color *out,
                                                 struct err *err);

/*
 * Whether out gets colours: with auto, where it is a terminal that has them ($TERM is set and not
 * "dumb") and nobody has said no ($NO_COLOR is not set, or empty; https://no-color.org).
 */
bool terminal_has_color(enum terminal_color color, FILE *out);

#endif
