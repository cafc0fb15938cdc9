/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/markup.c - see markup.h. */
#include <string.h>

#include "base/utf8.h"
#include "signatures/facts/markup.h"

static bool markup_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The character of an entity at text ("&amp;"), and its bytes; 0: it is none. */
static size_t markup_entity(const char *text, size_t len, uint32_t *code)
{
    static const struct {
        const char *name;
        uint32_t code;
    } names[] = {
        { "amp;", '&' }, { "lt;", '<' }, { "gt;", '>' }, { "quot;", '"' }, { "apos;", '\'' }
    };
    const bool hex = len > 2 && text[1] == '#' && text[2] == 'x';
    size_t at = hex ? 3 : 2;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t size = strlen(names[i].name);

        *code = names[i].code;
        if (len > size && memcmp(text + 1, names[i].name, size) == 0)
            return size + 1;
    }
    *code = 0;
    if (len < 4 || text[1] != '#')
        return 0;
    for (; at < len && at < 12 && text[at] != ';'; at++) {
        const char c = text[at];
        const uint32_t digit = c >= '0' && c <= '9'          ? (uint32_t)(c - '0')
                               : hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                               : hex && c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                             : 99;

        if (digit == 99)
            return 0;
        *code = *code * (hex ? 16 : 10) + digit;
    }
    if (at == len || text[at] != ';' || *code == 0 || *code > 0x10ffff ||
        (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return at + 1;
}

/* Text up to `stop` becomes a value. */
static size_t markup_copy(const char *text, size_t len, char stop, char out[MARKUP_VALUE])
{
    size_t got = 0, at = 0;

    while (at < len && text[at] != stop && got + UTF8_MAX <= MARKUP_VALUE) {
        uint32_t code = 0;
        const size_t step = text[at] == '&' ? markup_entity(text + at, len - at, &code) : 0;

        if (step > 0)
            got += utf8_put(code, out + got);
        else
            out[got++] = text[at];
        at += step > 0 ? step : 1;
    }
    return got;
}

/* The value of the element whose name ends at text; of one that holds others the first text. */
static size_t markup_element(const char *text, size_t len, char out[MARKUP_VALUE])
{
    for (uint32_t depth = 0; depth < 4; depth++) {
        const char *open = memchr(text, '>', len);

        if (open == NULL || (open > text && open[-1] == '/'))
            return 0;
        len -= (size_t)(open + 1 - text);
        text = open + 1;
        while (len > 0 && markup_is_blank(*text)) {
            text++;
            len--;
        }
        if (len > 9 && memcmp(text, "<![CDATA[", 9) == 0)
            return markup_copy(text + 9, len - 9, ']', out);
        if (len < 2 || text[0] != '<' || text[1] == '/')
            return markup_copy(text, len, '<', out);
    }
    return 0;
}

/* name="value", where text is behind the name. */
static size_t markup_attribute(const char *text, size_t len, char out[MARKUP_VALUE])
{
    size_t at = 0;

    while (at < len && markup_is_blank(text[at]))
        at++;
    if (at == len || text[at++] != '=')
        return 0;
    while (at < len && markup_is_blank(text[at]))
        at++;
    if (at == len || (text[at] != '"' && text[at] != '\''))
        return 0;
    return markup_copy(text + at + 1, len - at - 1, text[at], out);
}

size_t markup_value(const struct markup *markup, const char *name, char out[MARKUP_VALUE])
{
    const size_t name_len = strlen(name);
    const char *text = markup->text, *end = text + markup->len;
    size_t got = 0;

    while (got == 0 && text < end) {
        const char *at = memmem(text, (size_t)(end - text), name, name_len);

        if (at == NULL)
            break;
        text = at + name_len;
        if (at == markup->text || text == end)
            continue;
        if (at[-1] == '<' && (*text == '>' || markup_is_blank(*text)))
            got = markup_element(text, (size_t)(end - text), out);
        else if (markup_is_blank(at[-1]))
            got = markup_attribute(text, (size_t)(end - text), out);
    }
    return got;
}

void markup_text(struct sig_facts *facts, enum sig_fact_key key, const struct markup *markup,
                 const char *name)
{
    char value[MARKUP_VALUE];
    const size_t len = markup_value(markup, name, value);

    tell_text(facts, key, value, len);
}

void markup_date(struct sig_facts *facts, enum sig_fact_key key, const struct markup *markup,
                 const char *name)
{
    char value[MARKUP_VALUE];
    const size_t len = markup_value(markup, name, value);

    tell_date(facts, key, value, len, "", 0);
}
