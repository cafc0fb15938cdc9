/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/npy.c - arrays of NumPy.
 *
 *   0x93 "NUMPY" | version 1, 2, 3 | 0 | u16le (from version 2 on u32le) length of the header | the
 * header, a dictionary as Python writes it: 'descr', 'fortran_order', 'shape'; spaces, line feed |
 * the elements
 *
 * descr is the kind of an element, or a list of the fields of a record: (name, kind [, shape]),
 * where a kind may be a list again. Pickled objects ("O") have no length.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    NPY_HEAD = 12,
    NPY_HEADER_MIN = 40, /* bytes of the shortest dictionary with the three keys */
    NPY_DEPTH_MAX = 8,
    NPY_FIELDS_MAX = 4096,
    NPY_DIMENSIONS_MAX = 64,
};
#define NPY_SIZE_MAX (UINT64_C(1) << 40)

/* The rest of the header's text. */
struct npy_text {
    const char *at, *end;
    uint32_t fields; /* of records, read so far */
};

static bool npy_sign(struct npy_text *text, char sign)
{
    while (text->at < text->end && *text->at == ' ')
        text->at++;
    if (text->at == text->end || *text->at != sign)
        return false;
    text->at++;
    return true;
}

static bool npy_word(struct npy_text *text, const char *word)
{
    const size_t len = strlen(word);

    while (text->at < text->end && *text->at == ' ')
        text->at++;
    if ((size_t)(text->end - text->at) < len || memcmp(text->at, word, len) != 0)
        return false;
    text->at += len;
    return true;
}

static bool npy_number(struct npy_text *text, uint64_t *number)
{
    const char *from;

    while (text->at < text->end && *text->at == ' ')
        text->at++;
    from = text->at;
    for (*number = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        *number = *number * 10 + (uint64_t)(*text->at - '0');
        if (*number > NPY_SIZE_MAX)
            return false;
    }
    if (text->at < text->end && *text->at == 'L') /* Python 2 */
        text->at++;
    return text->at > from;
}

/* *product becomes itself times factor. */
static bool npy_times(uint64_t *product, uint64_t factor)
{
    if (factor != 0 && *product > NPY_SIZE_MAX / factor)
        return false;
    *product *= factor;
    return true;
}

/* "(3, 4)": *count is multiplied by each number. */
static bool npy_shape(struct npy_text *text, uint64_t *count)
{
    if (!npy_sign(text, '('))
        return false;
    for (uint32_t i = 0; i < NPY_DIMENSIONS_MAX; i++) {
        uint64_t number;

        if (npy_sign(text, ')'))
            return true;
        if (!npy_number(text, &number) || !npy_times(count, number))
            return false;
        if (!npy_sign(text, ','))
            return i > 0 && npy_sign(text, ')');
    }
    return npy_sign(text, ')');
}

/* A text in quotes, the name of a field. */
static bool npy_name(struct npy_text *text)
{
    const char quote = npy_sign(text, '\'') ? '\'' : npy_sign(text, '"') ? '"' : 0;

    if (quote == 0)
        return false;
    for (; text->at < text->end && *text->at != quote; text->at++)
        if (*text->at == '\\' && text->end - text->at > 1)
            text->at++;
    return npy_sign(text, quote);
}

/* '<f8' */
static bool npy_plain(struct npy_text *text, uint64_t *size)
{
    if (!npy_sign(text, '\'') || text->end - text->at < 4 || strchr("<>|=", *text->at) == NULL ||
        strchr("biufcSaUVmM", text->at[1]) == NULL)
        return false;
    const char kind = text->at[1];
    text->at += 2;
    if (!npy_number(text, size) || (kind == 'U' && !npy_times(size, 4)) ||
        (strchr("biufcmM", kind) != NULL && (*size == 0 || *size > 32)))
        return false;
    if ((kind == 'm' || kind == 'M') && npy_sign(text, '[')) {
        while (text->at < text->end && *text->at != ']' && *text->at != '\'')
            text->at++;
        if (!npy_sign(text, ']'))
            return false;
    }
    return npy_sign(text, '\'');
}

/* The bytes of an element: '<f8', or a list of fields. */
static bool npy_kind(struct npy_text *text, uint32_t depth, uint64_t *size)
{
    if (!npy_sign(text, '['))
        return npy_plain(text, size);
    for (*size = 0; depth < NPY_DEPTH_MAX && text->fields++ < NPY_FIELDS_MAX;) {
        uint64_t field;

        if (!npy_sign(text, '('))
            return npy_sign(text, ']');
        if (npy_sign(text, '(')) { /* a title and a name */
            if (!npy_name(text) || !npy_sign(text, ',') || !npy_name(text) || !npy_sign(text, ')'))
                return false;
        } else if (!npy_name(text)) {
            return false;
        }
        if (!npy_sign(text, ',') || !npy_kind(text, depth + 1, &field) ||
            (npy_sign(text, ',') && !npy_shape(text, &field)) || !npy_sign(text, ')'))
            return false;
        *size += field;
        if (*size > NPY_SIZE_MAX)
            return false;
        if (!npy_sign(text, ','))
            return npy_sign(text, ']');
    }
    return false;
}

/* The whole header. *bytes: those of all elements. */
static bool npy_header(struct npy_text *text, uint64_t *bytes)
{
    bool kind = false, order = false, shape = false;
    uint64_t size = 0, count = 1;

    if (text->end[-1] != '\n' || !npy_sign(text, '{'))
        return false;
    text->end--;
    for (uint32_t i = 0; i < 3; i++) {
        if (!kind && npy_word(text, "'descr':"))
            kind = npy_kind(text, 0, &size);
        else if (!order && npy_word(text, "'fortran_order':"))
            order = npy_word(text, "False") || npy_word(text, "True");
        else if (!shape && npy_word(text, "'shape':"))
            shape = npy_shape(text, &count);
        if (!npy_sign(text, ','))
            break;
    }
    if (!kind || !order || !shape || !npy_sign(text, '}'))
        return false;
    while (text->at < text->end && *text->at == ' ')
        text->at++;
    *bytes = count;
    return text->at == text->end && npy_times(bytes, size);
}

static struct sig_result npy_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NPY_HEAD);
    uint64_t bytes;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t head = p[6] == 1 ? 10 : 12;
    const uint32_t len = p[6] == 1 ? bytes_u16le(p + 8) : bytes_u32le(p + 8);
    if (len < NPY_HEADER_MIN || len > SIG_BYTES_MAX)
        return sig_reject("invalid length of the header");
    p = sig_bytes(in, head, len);
    if (p == NULL)
        return sig_short(in);
    struct npy_text text = { .at = (const char *)p, .end = (const char *)p + len };
    if (!npy_header(&text, &bytes))
        return sig_reject("the header is no description of an array");
    sig_valid(in, (uint64_t)head + len);
    return sig_believe(in, head + len + bytes, "the shape and the kind of element give the length");
}

const struct sig sig_npy = {
    .name = "npy",
    .what = "array of NumPy",
    .proves = "the header is a dictionary of kind, order and shape; they give the length",
    .source = "NumPy Reference: numpy.lib.format; NEP 1",
    .types = (const struct sig_type[]){ { "npy", "npy" }, { 0 } },
    .headers = { SIG_PATTERN("\x93NUMPY\1\0"),
                 SIG_MASKED("\x93NUMPY\2\0", "\xff\xff\xff\xff\xff\xff\xfe\xff") },
    .size_min = 10 + NPY_HEADER_MIN,
    .size_max = NPY_SIZE_MAX,
    .check = npy_check,
};
