/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/table.h - a table for people: cells of fixed width, lines that fit.
 *
 * Texts may come from outside: they are printed as print_safe does. What a cell or a line has no
 * room for is cut, with an ellipsis at the end.
 */
#ifndef BURIN_CARVER_CLI_TABLE_H
#define BURIN_CARVER_CLI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { TABLE_GAP = 2 /* columns between two cells */ };

enum table_paint { TABLE_PLAIN, TABLE_BOLD, TABLE_RED, TABLE_GREEN, TABLE_YELLOW, TABLE_CYAN };

struct table {
    FILE *out;
    uint32_t columns; /* of a line, at most */
    bool color;
    uint32_t used, owed; /* columns of this line that are printed; blanks before the next cell */
    FILE *cell;          /* what the present cell says is written here; owned */
    char *text;
    size_t size;
};

/* ERR_ENV: no memory. On an error *table needs no close. */
ERR_MUST_CHECK enum err_code table_open(struct table *table, FILE *out, uint32_t columns,
                                        bool color, struct err *err);
void table_close(struct table *table); /* of a zeroed one, and more than once: a no-op */

/* The stream for the next cell, which table_put prints: at least width columns, or as many as the
 * line has left with width 0; with right, blanks stand before the text and not behind it. */
FILE *table_cell(struct table *table);
void table_put(struct table *table, uint32_t width, bool right, enum table_paint paint);

/* Both at once, through print_safe. */
void table_text(struct table *table, const char *text, uint32_t width, bool right,
                enum table_paint paint);
void table_line(struct table *table); /* ends the line */

/* Columns that a text takes at most on a terminal, as print_safe prints it it takes more. */
uint32_t table_width(const char *text, size_t len);

#endif
