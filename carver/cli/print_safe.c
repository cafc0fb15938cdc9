/* SPDX-License-Identifier: Apache-2.0
 * carver/cli/print_safe.c - see print_safe.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/print_safe.h"

bool utf8_hides(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        { 0x00, 0x1f },       { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x61c, 0x61c },
        { 0x180e, 0x180e },   { 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
        { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },   { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 },
        { 0x1d173, 0x1d17a }, { 0xe0000, 0xe007f },
    };

    if (code >= 0x20 && code < 0x7f)
        return false;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code <= ranges[i].last)
            return code >= ranges[i].first;
    return false;
}

static void text_put_hex(FILE *out, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fprintf(out, "\\x%02X", (uint8_t)bytes[i]);
}

/* The text of a sequence that is more than itself in XML, or NULL. */
static const char *text_entity(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/* How many characters from text on are ASCII and stay as they are: most texts are only these. */
static size_t text_plain(const char *text, bool keep_backslash, print_instead_fn instead)
{
    size_t len = 0;

    while (text[len] >= 0x20 && text[len] < 0x7f && (text[len] != '\\' || keep_backslash) &&
           (instead == NULL || instead((uint8_t)text[len]) == NULL))
        len++;
    return len;
}

static void text_write(FILE *out, const char *text, bool keep_backslash, print_instead_fn instead)
{
    for (;;) {
        const size_t plain = text_plain(text, keep_backslash, instead);

        if (plain > 0)
            fwrite(text, 1, plain, out);
        text += plain;
        if (*text == '\0')
            return;
        uint32_t code;
        const size_t len = utf8_sequence(text, strnlen(text, UTF8_MAX), &code);
        const size_t step = len == 0 ? 1 : len;
        const bool control = len == 0 || utf8_hides(code);
        const char *entity = instead != NULL && !control ? instead(code) : NULL;

        if (control || (code == '\\' && !keep_backslash) ||
            (instead == text_entity && (code == 0xfffe || code == 0xffff)))
            text_put_hex(out, text, step);
        else if (entity != NULL)
            fputs(entity, out);
        else
            fwrite(text, 1, step, out);
        text += step;
    }
}

void print_safe(FILE *out, const char *text)
{
    text_write(out, text, false, NULL);
}

void print_safe_message(FILE *out, const char *text)
{
    text_write(out, text, true, NULL);
}

void print_safe_line(FILE *out, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    const int len = vasprintf(&text, format, args);
    va_end(args);
    print_safe_message(out, len >= 0 ? text : format); /* no memory: at least what it is about */
    putc('\n', out);
    if (len >= 0)
        free(text);
}

void print_safe_xml(FILE *out, const char *text)
{
    text_write(out, text, false, text_entity);
}

void print_safe_with(FILE *out, const char *text, print_instead_fn instead)
{
    text_write(out, text, false, instead);
}
