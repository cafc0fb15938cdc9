/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/plain_kind.c - see plain_kind.h. */
#include "signatures/text/plain_kind.h"

#include <string.h>

#include "signatures/lib/chars.h"

enum {
    PLAIN_LINES_MAX = 64,    /* lines that are looked at */
    PLAIN_TABLE_LINES = 3,   /* of a table with two separators a line and more, */
    PLAIN_TABLE_LINES_1 = 5, /* and with one: fewer prove nothing */
    PLAIN_LOG_LINES = 3,
    PLAIN_LOG_PERCENT = 60, /* of its lines begin with a date: others go on with the one before */
    PLAIN_WORDS = 2,        /* lines of a language: one alone may stand in any text */
};

struct plain_line {
    const uint8_t *chars;
    uint32_t len;
};

struct plain_lines {
    struct plain_line items[PLAIN_LINES_MAX]; /* that are not empty */
    uint32_t count;
};

/* The index of the first c from `at` on, or len. */
static uint32_t plain_find(const uint8_t *chars, uint32_t at, uint32_t len, uint8_t c)
{
    const uint8_t *found = memchr(chars + at, c, len - at);

    return found != NULL ? (uint32_t)(found - chars) : len;
}

static void plain_split(const uint8_t *chars, uint32_t len, bool whole, struct plain_lines *out)
{
    uint32_t feed = plain_find(chars, 0, len, '\n'), back = plain_find(chars, 0, len, '\r');

    out->count = 0;
    for (uint32_t at = 0; at < len && out->count < PLAIN_LINES_MAX;) {
        feed = feed < at ? plain_find(chars, at, len, '\n') : feed;
        back = back < at ? plain_find(chars, at, len, '\r') : back;
        const uint32_t end = feed < back ? feed : back;

        if (end > at && (end < len || whole))
            out->items[out->count++] = (struct plain_line){ chars + at, end - at };
        at = end + 1;
    }
}

/* Whether the line begins so: 0 is a digit, A a capital, a a small letter, all else itself. */
static bool plain_like(const struct plain_line *line, uint32_t from, const char *form)
{
    uint32_t i = from;

    for (; *form != '\0' && i < line->len; form++, i++) {
        const uint8_t c = line->chars[i];
        const bool fits = *form == '0'   ? chars_is_digit(c)
                          : *form == 'A' ? c >= 'A' && c <= 'Z'
                          : *form == 'a' ? c >= 'a' && c <= 'z'
                                         : c == (uint8_t)*form;

        if (!fits)
            return false;
    }
    return *form == '\0';
}

static bool plain_begins(const struct plain_line *line, const char *word)
{
    const size_t len = strlen(word);

    return line->len >= len && memcmp(line->chars, word, len) == 0;
}

static bool plain_ends(const struct plain_line *line, uint8_t c)
{
    uint32_t len = line->len;

    while (len > 0 && chars_is_space(line->chars[len - 1]))
        len--;
    return len > 0 && line->chars[len - 1] == c;
}

static bool plain_has(const struct plain_line *line, const char *word)
{
    return memmem(line->chars, line->len, word, strlen(word)) != NULL;
}

/* ISO 8601, syslog, the C library's ctime, Windows, web servers: there are no others to speak of.
 */
static bool plain_is_dated(const struct plain_line *line)
{
    static const char *const forms[] = {
        "0000-00-00",  "0000/00/00",      "0000.00.00",       "00.00.0000",  "00/00/0000",
        "00-00-0000",  "00/Aaa/0000",     "00-Aaa-0000",      "Aaa 00 00:0", "Aaa  0 00:0",
        "Aaa Aaa 00 ", "Aaa Aaa  0 00:0", "Aaa, 00 Aaa 0000", "00:00:00",
    };
    const uint32_t from = line->chars[0] == '[' || line->chars[0] == '<';
    bool dated = chars_is_digit(line->chars[0]) && plain_has(line, " - - [");

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        dated = dated || plain_like(line, from, forms[i]);
    return dated;
}

static bool plain_is_log(const struct plain_lines *lines)
{
    uint32_t dated = 0;

    for (uint32_t i = 0; i < lines->count; i++)
        dated += plain_is_dated(&lines->items[i]);
    return lines->count >= PLAIN_LOG_LINES && dated * 100 >= lines->count * PLAIN_LOG_PERCENT;
}

/* Separators of a line, but for those between quotes. */
static uint32_t plain_separators(const struct plain_line *line, uint8_t separator)
{
    bool quoted = false;
    uint32_t count = 0;

    for (uint32_t i = 0; i < line->len; i++) {
        quoted ^= line->chars[i] == '"';
        count += !quoted && line->chars[i] == separator;
    }
    return count;
}

/* How many separators each line has; 0: not all have equally many, or too few lines have them. One
 * comma with a space behind it is prose. */
static uint32_t plain_table(const struct plain_lines *lines, uint8_t separator)
{
    const uint32_t each = lines->count > 0 ? plain_separators(&lines->items[0], separator) : 0;

    for (uint32_t i = 1; each > 0 && i < lines->count; i++)
        if (plain_separators(&lines->items[i], separator) != each ||
            (each == 1 && plain_has(&lines->items[i], separator == ',' ? ", " : "; ")))
            return 0;
    return lines->count >= (each > 1 ? PLAIN_TABLE_LINES : PLAIN_TABLE_LINES_1) ? each : 0;
}

/* What runs the text, by a first line "#!/usr/bin/env NAME" or "#!/bin/NAME". */
static enum plain_kind plain_script(const struct plain_line *line)
{
    static const struct {
        const char *name;
        enum plain_kind kind;
    } names[] = {
        { "python", PLAIN_PYTHON }, { "perl", PLAIN_PERL },  { "ruby", PLAIN_RUBY },
        { "bash", PLAIN_SHELL },    { "dash", PLAIN_SHELL }, { "ksh", PLAIN_SHELL },
        { "zsh", PLAIN_SHELL },     { "ash", PLAIN_SHELL },  { "sh", PLAIN_SHELL },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t len = strlen(names[i].name);
        const uint8_t *at = memmem(line->chars, line->len, names[i].name, len);
        const uint8_t *end = line->chars + line->len;

        if (at != NULL && (at[-1] == '/' || at[-1] == ' ') &&
            (at + len == end || !chars_is_letter(at[len])))
            return names[i].kind;
    }
    return PLAIN_TXT;
}

/* How many lines only this language has. */
static uint32_t plain_words(const struct plain_lines *lines,
                            bool (*is)(const struct plain_line *line))
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lines->count; i++)
        count += is(&lines->items[i]);
    return count;
}

static bool plain_line_c(const struct plain_line *line)
{
    return plain_begins(line, "#include <") || plain_begins(line, "#include \"") ||
           plain_begins(line, "#define ") || plain_begins(line, "#ifndef ") ||
           plain_begins(line, "#pragma ") || plain_begins(line, "#endif");
}

static bool plain_line_python(const struct plain_line *line)
{
    return ((plain_begins(line, "def ") || plain_begins(line, "class ")) &&
            plain_ends(line, ':')) ||
           (plain_begins(line, "from ") && plain_has(line, " import ")) ||
           (plain_begins(line, "import ") && !plain_ends(line, ';') && !plain_ends(line, '.'));
}

static bool plain_line_java(const struct plain_line *line)
{
    return (plain_begins(line, "package ") || plain_begins(line, "import ")) &&
           plain_ends(line, ';') && !plain_has(line, "::") && plain_has(line, ".");
}

static bool plain_line_perl(const struct plain_line *line)
{
    return plain_begins(line, "use strict;") || plain_begins(line, "use warnings;") ||
           (plain_begins(line, "package ") && plain_ends(line, ';') && plain_has(line, "::"));
}

static bool plain_line_ruby(const struct plain_line *line)
{
    return plain_begins(line, "require '") || plain_begins(line, "require_relative ") ||
           plain_begins(line, "# frozen_string_literal: true");
}

enum plain_kind plain_kind(const uint8_t *chars, uint32_t len, bool whole)
{
    static const struct {
        bool (*is)(const struct plain_line *line);
        enum plain_kind kind;
    } languages[] = {
        { plain_line_c, PLAIN_C },       { plain_line_python, PLAIN_PYTHON },
        { plain_line_java, PLAIN_JAVA }, { plain_line_perl, PLAIN_PERL },
        { plain_line_ruby, PLAIN_RUBY },
    };
    struct plain_lines lines;

    plain_split(chars, len, whole, &lines);
    if (lines.count > 0 && plain_begins(&lines.items[0], "#!"))
        return plain_script(&lines.items[0]);
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
        if (plain_words(&lines, languages[i].is) >= PLAIN_WORDS)
            return languages[i].kind;
    const bool log = plain_is_log(&lines);
    const uint32_t commas = plain_table(&lines, ','), semicolons = plain_table(&lines, ';'),
                   tabs = plain_table(&lines, '\t'), most = log ? 1 : 0;

    if (tabs > most)
        return PLAIN_TSV;
    if (commas > most || semicolons > most)
        return PLAIN_CSV;
    return log ? PLAIN_LOG : PLAIN_TXT;
}
