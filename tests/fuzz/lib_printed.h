/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/lib_printed.h - what must hold of a text that was printed, whatever was printed in it:
 * its form, by the standard of its format, read here by other code than the program's.
 */
#ifndef BURIN_TESTS_FUZZ_LIB_PRINTED_H
#define BURIN_TESTS_FUZZ_LIB_PRINTED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define must(right)                                                                                \
    do {                                                                                           \
        if (!(right)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #right);                    \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/*
 * Every byte is one of what a person may see: no control character but a line feed and those in
 * allowed, no form of UTF-8 that is none, no mark of direction, joiner or line separator
 * (Unicode 15.1, UAX 9, and general categories Zl, Zp and Cf up to U+206F).
 */
static inline void printed_is_seen(const char *text, size_t len, const char *allowed)
{
    for (size_t i = 0; i < len;) {
        const uint8_t first = (uint8_t)text[i];
        const size_t more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        uint32_t code = more == 0 ? first : first & (0x3fU >> more);

        must(first < 0x80 || (first >= 0xc2 && first < 0xf5));
        must(i + more < len);
        for (size_t k = 1; k <= more; k++) {
            must(((uint8_t)text[i + k] & 0xc0) == 0x80);
            code = code << 6 | ((uint8_t)text[i + k] & 0x3f);
        }
        must(code >= 0x20 || code == '\n' || (code != 0 && strchr(allowed, (int)code) != NULL));
        must(code < 0x7f || code > 0x9f);
        must(more < 2 || code >= (more == 2 ? 0x800 : 0x10000));
        must((code < 0xd800 || code > 0xdfff) && code <= 0x10ffff);
        must(code != 0x61c && !(code >= 0x200b && code <= 0x200f) &&
             !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2060 && code <= 0x206f) &&
             code != 0xfeff);
        i += more + 1;
    }
}

/* Each line has so many fields with this sign between them. Returns how many lines. */
static inline uint64_t printed_lines(const char *text, char sign, uint32_t fields)
{
    uint64_t lines = 0;

    for (const char *end; *text != '\0'; text = end + 1, lines++) {
        uint32_t count = 1;

        end = strchr(text, '\n');
        must(end != NULL);
        for (const char *at = text; at < end; at++)
            count += *at == sign;
        must(fields == 0 || count == fields);
    }
    return lines;
}

/* RFC 4180, 2: records of as many fields as the first one, which end with CR LF; no field begins a
 * formula. Returns how many records. */
static inline uint64_t printed_csv(const char *text)
{
    uint64_t records = 0;

    for (uint32_t count = 1, fields = 0; *text != '\0';) {
        const bool quoted = *text == '"';

        text += quoted;
        must(*text == '\0' || strchr("=+-@\t\r", *text) == NULL ||
             (*text == '\r' && text[1] == '\n'));
        for (;; text++) {
            if (quoted && *text == '"' && *++text != '"')
                break;
            if (!quoted && (*text == ',' || *text == '\r'))
                break;
            must(*text != '\0' && *text != '\r' && *text != '\n' && (quoted || *text != '"'));
        }
        if (*text == ',') {
            count++;
            text++;
            continue;
        }
        fields = records == 0 ? count : fields;
        must(text[0] == '\r' && text[1] == '\n' && count == fields);
        text += 2;
        count = 1;
        records++;
    }
    return records;
}

static inline const char *printed_blank(const char *at)
{
    return at + strspn(at, " \n");
}

static inline const char *printed_json_string(const char *at)
{
    must(*at++ == '"');
    for (; *at != '"'; at++) {
        must((uint8_t)*at >= 0x20);
        if (*at != '\\')
            continue;
        must(*++at != '\0' && strchr("\"\\/bfnrtu", *at) != NULL);
        if (*at == 'u') {
            must(strspn(at + 1, "0123456789abcdefABCDEF") >= 4);
            at += 4;
        }
    }
    return at + 1;
}

/* RFC 8259: one value. Returns what follows it. objects: how many objects stand at this depth. */
static inline const char *printed_json(const char *at, uint32_t depth, uint32_t objects_at,
                                       uint64_t *objects)
{
    at = printed_blank(at);
    must(depth < 32);
    if (*at == '"')
        return printed_json_string(at);
    if (*at == '{' || *at == '[') {
        const char closing = *at == '{' ? '}' : ']';

        *objects += *at == '{' && depth == objects_at;
        at = printed_blank(at + 1);
        while (*at != closing) {
            if (closing == '}') {
                at = printed_blank(printed_json_string(at));
                must(*at++ == ':');
            }
            at = printed_blank(printed_json(at, depth + 1, objects_at, objects));
            must(*at == ',' || *at == closing);
            if (*at == ',')
                must(*(at = printed_blank(at + 1)) != closing);
        }
        return at + 1;
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const words[] = { "true", "false", "null" };

        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    }
    const size_t number = strspn(at, "-+0123456789.eE");
    must(number > 0);
    return at + number;
}

/*
 * Elements that are opened are closed in order (void ones of HTML, declarations and comments
 * aside), and what is between them has no < and no & but of an entity. Returns how many elements
 * there are of this name.
 */
static inline uint64_t printed_elements(const char *at, const char *name)
{
    static const char *const empty[] = { "meta", "img", "input", "br", "hr", "col", "link" };
    char open[64][48];
    uint32_t depth = 0;
    uint64_t count = 0;

    while ((at = strpbrk(at, "<&")) != NULL) {
        if (*at == '&') {
            const size_t len = strspn(at + 1, "#abcdefghijklmnopqrstuvwxyz0123456789");

            must(len > 0 && at[len + 1] == ';');
            at += len + 2;
            continue;
        }
        if (at[1] == '!' || at[1] == '?') {
            must((at = strchr(at, '>')) != NULL);
            continue;
        }
        const bool closing = at[1] == '/';
        const char *tag = at + 1 + closing;
        const size_t len =
            strspn(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-");
        bool alone = false;

        must(len > 0 && len < sizeof open[0]);
        for (at = tag + len; *at != '>'; at++) { /* attributes */
            must(*at != '\0' && *at != '<');
            if (*at == '"')
                must((at = strchr(at + 1, '"')) != NULL);
            alone = *at == '/';
        }
        for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
            alone |= strlen(empty[i]) == len && strncmp(empty[i], tag, len) == 0;
        if (closing) {
            must(depth > 0 && strlen(open[depth - 1]) == len &&
                 strncmp(open[depth - 1], tag, len) == 0);
            depth--;
            continue;
        }
        count += strlen(name) == len && strncmp(name, tag, len) == 0;
        if (alone)
            continue;
        must(depth < sizeof open / sizeof open[0]);
        memcpy(open[depth], tag, len);
        open[depth++][len] = '\0';
        if (strncmp(tag, "script", len) == 0 || strncmp(tag, "style", len) == 0) {
            /* HTML 13.1.2.6: raw text, which ends with </ and its name */
            char end[16];

            snprintf(end, sizeof end, "</%s", open[depth - 1]);
            must((at = strstr(at, end)) != NULL);
        }
    }
    must(depth == 0);
    return count;
}

#endif
