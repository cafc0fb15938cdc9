/* SPDX-License-Identifier: Apache-2.0
 * carver/report/put_text.c - see put_text.h. */
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/report/put_text.h"

static const char *put_text_csv(uint32_t code)
{
    return code == '"' ? "\"\"" : NULL;
}

void put_csv(FILE *out, const char *text)
{
    /* One that had a ' of its own gets another one: what was there can be had back. */
    const char first = text[strspn(text, "'")];
    const bool formula = first != '\0' && strchr("=+-@", first) != NULL;
    const bool quoted = strpbrk(text, "\",") != NULL;

    if (quoted)
        putc('"', out);
    if (formula)
        putc('\'', out);
    print_safe_with(out, text, quoted ? put_text_csv : NULL);
    if (quoted)
        putc('"', out);
}

static const char *put_text_body(uint32_t code)
{
    return code == '|' ? "\\x7C" : NULL;
}

void put_body(FILE *out, const char *text)
{
    print_safe_with(out, text, put_text_body);
}
