/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/table.c - see table.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/cli/table.h"

static const uint32_t TABLE_WIDE = 0x1100; /* the first letters that may take two columns */
static const char table_ellipsis[] = "\xe2\x80\xa6";

enum err_code table_open(struct table *table, FILE *out, uint32_t columns, bool color,
                         struct err *err)
{
    *table = (struct table){ .out = out, .columns = columns, .color = color };
    table->cell = open_memstream(&table->text, &table->size);
    return table->cell != NULL ? ERR_OK : ERR_NO_MEMORY(err, BUFSIZ);
}

void table_close(struct table *table)
{
    if (table->cell != NULL)
        fclose(table->cell);
    free(table->text);
    *table = (struct table){ 0 };
}

/* A letter of some scripts is said to be wider than it is: then a line is shorter than it could be.
 */
static size_t table_letter(const char *text, size_t len, uint32_t *columns)
{
    uint32_t code;
    const size_t bytes = utf8_sequence(text, len < UTF8_MAX ? len : UTF8_MAX, &code);

    *columns = code >= TABLE_WIDE ? 2 : 1;
    return bytes > 0 ? bytes : 1;
}

uint32_t table_width(const char *text, size_t len)
{
    uint32_t width = 0, columns;

    for (size_t at = 0; at < len; width += columns)
        at += table_letter(text + at, len - at, &columns);
    return width;
}

/* How many bytes of the text have room in so many columns; *columns: what they take. */
static size_t table_fit(const char *text, size_t len, uint32_t room, uint32_t *columns)
{
    size_t at = 0;
    uint32_t letter;

    *columns = 0;
    while (at < len) {
        const size_t step = table_letter(text + at, len - at, &letter);

        if (*columns + letter > room)
            break;
        *columns += letter;
        at += step;
    }
    return at;
}

static void table_paint(const struct table *table, enum table_paint paint, bool on)
{
    static const char *const codes[] = { [TABLE_BOLD] = "1",
                                         [TABLE_RED] = "1;31",
                                         [TABLE_GREEN] = "32",
                                         [TABLE_YELLOW] = "33",
                                         [TABLE_CYAN] = "36" };

    if (table->color && paint != TABLE_PLAIN)
        fprintf(table->out, "\033[%sm", on ? codes[paint] : "0");
}

FILE *table_cell(struct table *table)
{
    fseeko(table->cell, 0, SEEK_SET);
    return table->cell;
}

static void table_blanks(struct table *table, uint32_t count)
{
    fprintf(table->out, "%*s", (int)count, "");
    table->used += count;
}

void table_put(struct table *table, uint32_t width, bool right, enum table_paint paint)
{
    fflush(table->cell);
    const size_t len = (size_t)ftello(table->cell);
    const uint32_t left =
        table->used + table->owed < table->columns ? table->columns - table->used - table->owed : 0;
    const uint32_t room = width == 0 || width > left ? left : width;
    uint32_t columns;
    size_t fits = table_fit(table->text, len, room, &columns);
    const bool cut = fits < len && room > 0;

    if (room == 0)
        return;
    if (cut)
        fits = table_fit(table->text, len, room - 1, &columns);
    table_blanks(table, table->owed);
    if (right)
        table_blanks(table, room - columns - cut);
    table_paint(table, paint, true);
    fwrite(table->text, 1, fits, table->out);
    if (cut)
        fputs(table_ellipsis, table->out);
    table_paint(table, paint, false);
    table->used += columns + cut;
    table->owed = (right || width == 0 ? 0 : room - columns - cut) + TABLE_GAP;
}

void table_text(struct table *table, const char *text, uint32_t width, bool right,
                enum table_paint paint)
{
    print_safe(table_cell(table), text);
    table_put(table, width, right, paint);
}

void table_line(struct table *table)
{
    putc('\n', table->out);
    table->used = table->owed = 0;
}
