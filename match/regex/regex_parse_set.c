/* match/regex/regex_parse_set.c - brackets and classes of bytes; see regex_parse.h. */
#include <stddef.h>

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

/* One item of a bracket that began at text[first]. */
static bool parse_item(const uint8_t *text, uint32_t len, uint32_t *at, uint32_t first,
                       struct regex_set *out, struct regex_fault *fault)
{
    const uint8_t c = text[*at];
    const uint8_t next = *at + 1 < len ? text[*at + 1] : 0;

    if (next == '-' && *at + 2 < len && text[*at + 2] != ']') {
        if (c > text[*at + 2])
            return parse_fails(fault, *at, "the range ends before it begins");
        parse_add_range(out, c, text[*at + 2]);
        *at += 3;
        return true;
    }
    if (c == '[' && (next == '.' || next == '='))
        return parse_fails(fault, *at,
                           "collating elements [. .] and [= =] are not supported; write the bytes");
    if (c == '[' && next == ':')
        return parse_named(text, len, at, out, fault);
    if (c == '-' && next != ']' && *at != first)
        return parse_fails(fault, *at,
                           "a - inside must stand first or last, or between the ends of a range");
    regex_set_add(out, c);
    ++*at;
    return true;
}

bool regex_parse_bracket(const uint8_t *text, uint32_t len, uint32_t *at, bool fold,
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
        if (!parse_item(text, len, at, first, out, fault))
            return false;
    }
    ++*at;
    if (fold)
        regex_parse_fold(out);
    for (uint32_t i = 0; i < 4 && negated; i++)
        out->bits[i] = ~out->bits[i];
    return true;
}
