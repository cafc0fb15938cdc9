/* SPDX-License-Identifier: Apache-2.0
 * io/image/turtle.c - see turtle.h. */
#include "io/image/turtle.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

#define RDF_TYPE "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
#define XSD "http://www.w3.org/2001/XMLSchema#"

enum { TURTLE_NAME_MAX = 4096, TURTLE_UTF8_MAX = 4 };

struct prefix {
    const char *name, *iri;
};

struct reader {
    const char *path;
    const char *at, *end;
    const char *begin;
    struct turtle *out;
    struct prefix prefixes[TURTLE_PREFIXES_MAX];
    uint32_t prefix_count;
    const char *base;
    char *text; /* room for the longest text, owned */
    struct err *err;
};

static enum err_code turtle_wrong(const struct reader *r, const char *what)
{
    uint32_t line = 1;

    for (const char *at = r->begin; at < r->at; at++)
        line += *at == '\n';
    return ERR_RAISE(r->err, ERR_INPUT, "%s: its metadata are damaged: line %" PRIu32 ": %s",
                     r->path, line, what);
}

static enum err_code turtle_copy(const struct reader *r, const char *text, size_t len,
                                 const char **out)
{
    if (memchr(text, 0, len) != NULL)
        return turtle_wrong(r, "a text has a byte 0");
    *out = arena_copy(&r->out->arena, text, len);
    return *out == NULL ? turtle_wrong(r, "there is too much of them") : ERR_OK;
}

static bool turtle_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void turtle_skip(struct reader *r)
{
    while (r->at < r->end && (turtle_is_blank(*r->at) || *r->at == '#')) {
        const bool comment = *r->at == '#';

        do {
            r->at++;
        } while (comment && r->at < r->end && *r->at != '\n');
    }
}

/* Whether these bytes come next; then they are passed. */
static bool turtle_take(struct reader *r, const char *word)
{
    const size_t len = strlen(word);

    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

/* A character of a name: of ASCII, or a byte of another one. */
static bool turtle_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (uint8_t)c >= 0x80;
}

/* Writes a character as UTF-8; returns its bytes, 0 where it is none. */
static size_t turtle_utf8(uint32_t c, char out[TURTLE_UTF8_MAX])
{
    const size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[len] | c);
    return len;
}

/* What follows a backslash; *used: bytes of text so far. */
static enum err_code turtle_escape(struct reader *r, size_t *used, bool in_iri)
{
    static const char from[] = "tbnrf\"'\\", to[] = "\t\b\n\r\f\"'\\";
    const char c = r->at < r->end ? *r->at++ : 0;
    const char *const known = c == 0 ? NULL : strchr(from, c);
    const uint32_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t value = 0;

    if (known != NULL && !in_iri) {
        r->text[(*used)++] = to[known - from];
        return ERR_OK;
    }
    if (digits == 0 || (size_t)(r->end - r->at) < digits)
        return turtle_wrong(r, "an escape is not known");
    for (uint32_t i = 0; i < digits; i++) {
        const int digit = hex_digit(*r->at++);

        if (digit < 0)
            return turtle_wrong(r, "an escape is not known");
        value = value << 4 | (uint32_t)digit;
    }
    const size_t len = turtle_utf8(value, r->text + *used);
    *used += len;
    return len == 0 ? turtle_wrong(r, "an escape is not known") : ERR_OK;
}

/* <IRI>; what has no scheme is behind the base. */
static enum err_code turtle_iri(struct reader *r, const char **out)
{
    size_t used = 0;
    enum err_code rc = ERR_OK;

    r->at++;
    while (rc == ERR_OK && r->at < r->end && *r->at != '>') {
        const char c = *r->at++;

        if (c == '\\')
            rc = turtle_escape(r, &used, true);
        else if ((uint8_t)c <= ' ' || strchr("<\"{}|^`", c) != NULL)
            rc = turtle_wrong(r, "an IRI has a character that none may have");
        else
            r->text[used++] = c;
    }
    if (rc == ERR_OK && !turtle_take(r, ">"))
        rc = turtle_wrong(r, "an IRI does not end");
    if (rc != ERR_OK || r->base == NULL || memchr(r->text, ':', used) != NULL)
        return rc == ERR_OK ? turtle_copy(r, r->text, used, out) : rc;
    const size_t len = strlen(r->base);
    char *whole = arena_alloc(&r->out->arena, len + used + 1);
    if (whole == NULL)
        return turtle_wrong(r, "there is too much of them");
    memcpy(whole, r->base, len);
    memcpy(whole + len, r->text, used);
    *out = whole;
    return ERR_OK;
}

/* prefix:name, or the name of a blank node, which stays as it is. */
static enum err_code turtle_name(struct reader *r, const char **out)
{
    const char *begin = r->at, *colon;
    size_t used = 0;

    while (r->at < r->end && (turtle_is_name(*r->at) || *r->at == '.'))
        r->at++;
    colon = r->at;
    if (!turtle_take(r, ":"))
        return turtle_wrong(r, "there is no statement that is known here");
    const size_t prefix_len = (size_t)(colon - begin);
    const char *iri = prefix_len == 1 && *begin == '_' ? "_:" : NULL;
    for (uint32_t i = 0; iri == NULL && i < r->prefix_count; i++)
        if (strlen(r->prefixes[i].name) == prefix_len &&
            memcmp(r->prefixes[i].name, begin, prefix_len) == 0)
            iri = r->prefixes[i].iri;
    if (iri == NULL)
        return turtle_wrong(r, "a prefix was not named before");
    while (r->at < r->end && used < TURTLE_NAME_MAX) {
        const char c = *r->at;
        const bool dot = c == '.' && r->end - r->at > 1 && turtle_is_name(r->at[1]);

        if (c == '\\' && r->end - r->at > 1)
            r->at++;
        else if (!turtle_is_name(c) && c != ':' && c != '%' && !dot)
            break;
        r->text[used++] = *r->at++;
    }
    if (memchr(r->text, 0, used) != NULL)
        return turtle_wrong(r, "a name has a byte 0");
    const size_t len = strlen(iri);
    char *whole = arena_alloc(&r->out->arena, len + used + 1);
    if (whole == NULL)
        return turtle_wrong(r, "there is too much of them");
    memcpy(whole, iri, len);
    memcpy(whole + len, r->text, used);
    *out = whole;
    return ERR_OK;
}

/* An IRI in one of its forms. */
static enum err_code turtle_resource(struct reader *r, const char **out)
{
    turtle_skip(r);
    if (r->at == r->end)
        return turtle_wrong(r, "they end inside of a statement");
    return *r->at == '<' ? turtle_iri(r, out) : turtle_name(r, out);
}

/* The text between quotes, of which there are one or three on each side. */
static enum err_code turtle_quoted(struct reader *r, const char **out)
{
    const char quote[] = { *r->at, *r->at, *r->at, 0 }, one[] = { *r->at, 0 };
    const bool is_long = turtle_take(r, quote);
    size_t used = 0;
    enum err_code rc = ERR_OK;

    if (!is_long)
        r->at++;
    while (rc == ERR_OK && !turtle_take(r, is_long ? quote : one)) {
        const char c = r->at < r->end ? *r->at++ : 0;

        if (c == 0 || (!is_long && (c == '\n' || c == '\r')))
            rc = turtle_wrong(r, "a text does not end");
        else if (c == '\\')
            rc = turtle_escape(r, &used, false);
        else
            r->text[used++] = c;
    }
    return rc == ERR_OK ? turtle_copy(r, r->text, used, out) : rc;
}

/* A number or a boolean. */
static enum err_code turtle_bare(struct reader *r, struct turtle_term *out)
{
    const char *begin = r->at;

    while (r->at < r->end && (turtle_is_name(*r->at) || *r->at == '+' ||
                              (*r->at == '.' && r->end - r->at > 1 && turtle_is_name(r->at[1]))))
        r->at++;
    const size_t len = (size_t)(r->at - begin);
    const bool truth =
        (len == 4 && memcmp(begin, "true", 4) == 0) || (len == 5 && memcmp(begin, "false", 5) == 0);
    for (size_t i = 0; i < len && !truth; i++)
        if (begin[i] != '-' && begin[i] != '+' && begin[i] != '.' && begin[i] != 'e' &&
            begin[i] != 'E' && (begin[i] < '0' || begin[i] > '9'))
            return turtle_wrong(r, "a value is not known");
    out->type = truth ? XSD "boolean" : XSD "decimal";
    return turtle_copy(r, begin, len, &out->text);
}

static bool turtle_is_bare(const struct reader *r)
{
    const char c = *r->at;
    const size_t left = (size_t)(r->end - r->at);
    const size_t len = left >= 4 && memcmp(r->at, "true", 4) == 0    ? 4
                       : left >= 5 && memcmp(r->at, "false", 5) == 0 ? 5
                                                                     : 0;

    if (len > 0)
        return left == len || (!turtle_is_name(r->at[len]) && r->at[len] != ':');
    return (c >= '0' && c <= '9') || c == '-' || c == '+';
}

static enum err_code turtle_object(struct reader *r, struct turtle_term *out)
{
    enum err_code rc;

    *out = (struct turtle_term){ 0 };
    turtle_skip(r);
    if (r->at < r->end && turtle_is_bare(r))
        return turtle_bare(r, out);
    if (r->at == r->end || (*r->at != '"' && *r->at != '\''))
        return turtle_resource(r, &out->text);
    rc = turtle_quoted(r, &out->text);
    out->type = "";
    if (rc == ERR_OK && turtle_take(r, "^^"))
        rc = turtle_resource(r, &out->type);
    else if (rc == ERR_OK && turtle_take(r, "@"))
        while (r->at < r->end && turtle_is_name(*r->at))
            r->at++;
    return rc;
}

static enum err_code turtle_add(struct reader *r, const struct turtle_triple *triple)
{
    struct turtle *out = r->out;

    if (out->count >= TURTLE_TRIPLES_MAX)
        return turtle_wrong(r, "there is too much of them");
    const enum err_code rc =
        grow_items(&out->items, out->count, &out->room, sizeof *out->items, r->err);

    if (rc == ERR_OK)
        out->items[out->count++] = *triple;
    return rc;
}

/* A predicate and its objects. */
static enum err_code turtle_predicate(struct reader *r, const char *subject)
{
    struct turtle_triple triple = { .subject = subject, .predicate = RDF_TYPE };
    enum err_code rc = ERR_OK;

    if (r->end - r->at > 1 && *r->at == 'a' && (turtle_is_blank(r->at[1]) || r->at[1] == '<'))
        r->at++;
    else
        rc = turtle_resource(r, &triple.predicate);
    do {
        if (rc == ERR_OK)
            rc = turtle_object(r, &triple.object);
        if (rc == ERR_OK)
            rc = turtle_add(r, &triple);
        turtle_skip(r);
    } while (rc == ERR_OK && turtle_take(r, ","));
    return rc;
}

/* A subject and all that is said of it, to the dot. */
static enum err_code turtle_statement(struct reader *r)
{
    const char *subject = NULL;
    enum err_code rc = turtle_resource(r, &subject);

    turtle_skip(r);
    while (rc == ERR_OK && !turtle_take(r, ".")) {
        if (r->at == r->end)
            return turtle_wrong(r, "they end inside of a statement");
        rc = turtle_predicate(r, subject);
        turtle_skip(r);
        if (rc == ERR_OK && r->at < r->end && *r->at != ';' && *r->at != '.')
            rc = turtle_wrong(r, "a statement does not end");
        while (rc == ERR_OK && turtle_take(r, ";"))
            turtle_skip(r);
    }
    return rc;
}

/* @prefix name: <IRI> . or @base <IRI> . */
static enum err_code turtle_prefix(struct reader *r, bool base)
{
    struct prefix *prefix = &r->prefixes[r->prefix_count];
    const char *begin, *iri = NULL;
    enum err_code rc = ERR_OK;

    turtle_skip(r);
    begin = r->at;
    while (r->at < r->end && turtle_is_name(*r->at))
        r->at++;
    if (!base) {
        if (r->prefix_count == TURTLE_PREFIXES_MAX)
            return turtle_wrong(r, "there are too many prefixes");
        rc = turtle_copy(r, begin, (size_t)(r->at - begin), &prefix->name);
        if (rc == ERR_OK && !turtle_take(r, ":"))
            rc = turtle_wrong(r, "a prefix has no name");
    }
    turtle_skip(r);
    if (rc == ERR_OK && (r->at == r->end || *r->at != '<'))
        rc = turtle_wrong(r, "a prefix has no IRI");
    if (rc == ERR_OK)
        rc = turtle_iri(r, &iri);
    if (rc != ERR_OK)
        return rc;
    if (base) {
        r->base = iri;
    } else {
        /* One that is named again has its new meaning from here on. */
        prefix->iri = iri;
        for (uint32_t i = 0; i < r->prefix_count; i++)
            if (strcmp(r->prefixes[i].name, prefix->name) == 0)
                prefix = &r->prefixes[i];
        prefix->iri = iri;
        r->prefix_count += prefix == &r->prefixes[r->prefix_count];
    }
    turtle_skip(r);
    return turtle_take(r, ".") ? ERR_OK : turtle_wrong(r, "a prefix does not end");
}

enum err_code io_turtle_read(const char *path, const uint8_t *bytes, size_t len, struct turtle *out,
                             struct err *err)
{
    struct reader r = { .path = path, .out = out, .err = err };
    enum err_code rc = ERR_OK;

    *out = (struct turtle){ 0 };
    arena_init(&out->arena, TURTLE_MEMORY_MAX);
    r.begin = r.at = (const char *)bytes;
    r.end = r.begin + len;
    if (len > TURTLE_BYTES_MAX)
        return turtle_wrong(&r, "there is too much of them");
    r.text = malloc(len + TURTLE_UTF8_MAX);
    if (r.text == NULL)
        return ERR_NO_MEMORY(err, len);
    turtle_skip(&r);
    while (rc == ERR_OK && r.at < r.end) {
        rc = turtle_take(&r, "@prefix") ? turtle_prefix(&r, false)
             : turtle_take(&r, "@base") ? turtle_prefix(&r, true)
                                        : turtle_statement(&r);
        turtle_skip(&r);
    }
    free(r.text);
    return rc;
}

const struct turtle_term *io_turtle_get(const struct turtle *turtle, const char *subject,
                                        const char *predicate, uint32_t nth)
{
    for (uint32_t i = 0; i < turtle->count; i++) {
        const struct turtle_triple *triple = &turtle->items[i];

        if (strcmp(triple->subject, subject) == 0 && strcmp(triple->predicate, predicate) == 0 &&
            nth-- == 0)
            return &triple->object;
    }
    return NULL;
}

void io_turtle_release(struct turtle *turtle)
{
    arena_release(&turtle->arena);
    free(turtle->items);
    turtle->items = NULL;
    turtle->count = 0;
}
