/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_parse_set.c - brackets and classes of bytes; see regex_parse.h. */
#include <stddef.h>
#include <string.h>

#include "base/hex.h"
#include "match/regex/regex_parse.h"

/* Classes of the C locale as ranges of bytes. */
static const struct parse_class {
    const char *name;
    uint8_t ranges[4][2];
} parse_classes[] = {
    { "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
    { "alpha", { { 'A', 'Z' }, { 'a', 'z' } } },
    { "blank", { { '\t', '\t' }, { ' ', ' ' } } },
    { "cntrl", { { 0x00, 0x1f }, { 0x7f, 0x7f } } },
    { "digit", { { '0', '9' } } },
    { "graph", { { '!', '~' } } },
    { "lower", { { 'a', 'z' } } },
    { "print", { { ' ', '~' } } },
    { "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } } },
    { "space", { { '\t', '\r' }, { ' ', ' ' } } },
    { "upper", { { 'A', 'Z' } } },
    { "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } } },
};

static void parse_add_range(struct regex_set *set, uint8_t from, uint8_t to)
{
    for (uint32_t c = from; c <= to; c++)
        regex_set_add(set, (uint8_t)c);
}

bool regex_parse_class(const char *name, size_t len, struct regex_set *out)
{
    for (size_t i = 0; i < sizeof parse_classes / sizeof parse_classes[0]; i++) {
        const struct parse_class *class = &parse_classes[i];

        if (strlen(class->name) != len || memcmp(class->name, name, len) != 0)
            continue;
        for (uint32_t k = 0; k < 4; k++)
            if (class->ranges[k][1] != 0)
                parse_add_range(out, class->ranges[k][0], class->ranges[k][1]);
        return true;
    }
    return false;
}

void regex_parse_fold(struct regex_set *set)
{
    for (uint8_t c = 'a'; c <= 'z'; c++) {
        const uint8_t capital = c - 'a' + 'A';

        if (regex_set_has(set, c))
            regex_set_add(set, capital);
        else if (regex_set_has(set, capital))
            regex_set_add(set, c);
    }
}

static bool parse_fails(struct regex_fault *fault, uint32_t at, const char *why)
{
    *fault = (struct regex_fault){ .at = at, .syntax = true, .why = why };
    return false;
}

/* [:alpha:] at text[*at]. */
static bool parse_named(const uint8_t *text, uint32_t len, uint32_t *at, struct regex_set *out,
                        struct regex_fault *fault)
{
    const uint32_t name = *at + 2;
    uint32_t end = name;

    while (end < len && text[end] != ':')
        end++;
    if (end + 1 >= len || text[end + 1] != ']' ||
        !regex_parse_class((const char *)text + name, end - name, out))
        return parse_fails(
            fault, *at,
            "there is no such class; write [:alnum:], [:digit:] or another one of POSIX");
    *at = end + 2;
    return true;
}

bool regex_parse_escaped_class(uint8_t c, struct regex_set *out)
{
    static const char letters[] = "dDsSwW";
    static const char *const names[] = { "digit", "space", "alnum" };
    const char *letter = c == 0 ? NULL : strchr(letters, c);
    struct regex_set set = { { 0 } };

    if (letter == NULL)
        return false;
    const size_t which = (size_t)(letter - letters);
    (void)regex_parse_class(names[which / 2], strlen(names[which / 2]), &set);
    if (which / 2 == 2)
        regex_set_add(&set, '_');
    for (uint32_t i = 0; i < 4; i++)
        out->bits[i] |= which % 2 == 1 ? ~set.bits[i] : set.bits[i];
    return true;
}

/* HH or {HH} at text[*at], behind the backslash and the x. */
static bool parse_hex(const uint8_t *text, uint32_t len, uint32_t *at, uint8_t *out,
                      struct regex_fault *fault)
{
    const uint32_t begin = *at - 2;
    const bool braces = *at < len && text[*at] == '{';
    uint32_t value = 0;

    *at += braces;
    for (uint32_t digits = 0;
         *at < len && hex_digit((char)text[*at]) >= 0 && (braces || digits < 2); digits++) {
        value = value << 4 | (uint32_t)hex_digit((char)text[(*at)++]);
        if (value > 0xff)
            return parse_fails(fault, begin, "that is no byte; write two hexadecimal digits");
    }
    if (braces && (*at == len || text[*at] != '}'))
        return parse_fails(fault, begin, "\\x{ without its }");
    *at += braces;
    *out = (uint8_t)value;
    return true;
}

bool regex_parse_escaped_byte(const uint8_t *text, uint32_t len, uint32_t *at, uint8_t *out,
                              struct regex_fault *fault)
{
    static const char letters[] = "tnrfae", values[] = "\t\n\r\f\a\033";
    const uint8_t c = text[*at + 1];
    const char *letter = c == 0 ? NULL : strchr(letters, c);

    *at += 2;
    if (c == 'x')
        return parse_hex(text, len, at, out, fault);
    *out = letter != NULL ? (uint8_t)values[letter - letters] : c;
    return true;
}

/* One byte of a bracket, which may be the end of a range. */
static bool parse_member(const uint8_t *text, uint32_t len, uint32_t *at, bool escapes,
                         uint8_t *out, struct regex_fault *fault)
{
    if (escapes && text[*at] == '\\' && *at + 1 < len)
        return regex_parse_escaped_byte(text, len, at, out, fault);
    *out = text[(*at)++];
    return true;
}

/* One item of a bracket that began at text[first]. */
static bool parse_item(const uint8_t *text, uint32_t len, uint32_t *at, uint32_t first,
                       bool escapes, struct regex_set *out, struct regex_fault *fault)
{
    const uint32_t begin = *at;
    const uint8_t c = text[begin];
    const uint8_t next = begin + 1 < len ? text[begin + 1] : 0;
    const bool range = next == '-' && begin + 2 < len && text[begin + 2] != ']';
    uint8_t low, high;

    if (escapes && c == '\\' && regex_parse_escaped_class(next, out)) {
        *at += 2;
        return true;
    }
    if (c == '[' && !range && (next == '.' || next == '='))
        return parse_fails(fault, begin,
                           "collating elements [. .] and [= =] are not supported; write the bytes");
    if (c == '[' && !range && next == ':')
        return parse_named(text, len, at, out, fault);
    if (c == '-' && !range && next != ']' && begin != first)
        return parse_fails(fault, begin,
                           "a - inside must stand first or last, or between the ends of a range");
    if (!parse_member(text, len, at, escapes, &low, fault))
        return false;
    high = low;
    if (*at + 1 < len && text[*at] == '-' && text[*at + 1] != ']') {
        const uint32_t end = ++*at;

        if (escapes && text[end] == '\\' && end + 1 < len &&
            regex_parse_escaped_class(text[end + 1], &(struct regex_set){ { 0 } }))
            return parse_fails(fault, begin, "a range ends with a byte, and not with a class");
        if (!parse_member(text, len, at, escapes, &high, fault))
            return false;
    }
    if (low > high)
        return parse_fails(fault, begin, "the range ends before it begins");
    parse_add_range(out, low, high);
    return true;
}

bool regex_parse_bracket(const uint8_t *text, uint32_t len, uint32_t *at, bool fold, bool escapes,
                         struct regex_set *out, struct regex_fault *fault)
{
    const uint32_t opening = *at - 1;
    const bool negated = *at < len && text[*at] == '^';

    *out = (struct regex_set){ { 0 } };
    *at += negated;
    for (const uint32_t first = *at;;) {
        if (*at >= len)
            return parse_fails(fault, opening, "a [ without its ]");
        if (text[*at] == ']' && *at > first)
            break;
        if (!parse_item(text, len, at, first, escapes, out, fault))
            return false;
    }
    ++*at;
    if (fold)
        regex_parse_fold(out);
    for (uint32_t i = 0; i < 4 && negated; i++)
        out->bits[i] = ~out->bits[i];
    return true;
}
