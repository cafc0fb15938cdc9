/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_context.c - see keyword_context.h. */
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "carver/cli/print_safe.h"
#include "carver/keyword/keyword_context.h"

enum {
    CONTEXT_BLOCK = 1 << 20, /* bytes read at a time: hits stand close together or far apart */
    CONTEXT_SPAN_MAX = 2 * KEYWORD_CONTEXT_MAX + LIMIT_REGEX_MATCH_LEN + KEYWORD_CHAR_MAX,
    CONTEXT_TEXT_MAX = 4 * CONTEXT_SPAN_MAX + 1, /* "\xHH" for every byte */
    CONTEXT_CHAR_MAX = 4, /* bytes of a character of the encodings that text is kept in */
};

struct context_decoder {
    const struct keyword_encoding *encoding;
    iconv_t converter; /* to UTF-32LE */
    uint32_t
        alone[256]; /* the character that a byte is by itself and that can be printed; 0: none */
};

struct keyword_context {
    struct io_image *image;
    struct context_decoder decoders[LIMIT_ENCODINGS]; /* of the set's encodings */
    uint32_t decoder_count;
    locale_t locale;
    uint64_t block_offset;
    uint32_t block_len;
    uint8_t block[CONTEXT_BLOCK];
    char text[CONTEXT_TEXT_MAX];
};

/* The character that len bytes are, if they are one that can be printed; else 0. */
static uint32_t context_decode(const struct keyword_context *context,
                               const struct context_decoder *decoder, const uint8_t *bytes,
                               uint32_t len, bool *is_char)
{
    uint8_t wide[4 * CONTEXT_CHAR_MAX];
    char *from = (char *)(uintptr_t)bytes, *to = (char *)wide;
    size_t left = len, room = sizeof wide;

    iconv(decoder->converter, NULL, NULL, NULL, NULL);
    *is_char = iconv(decoder->converter, &from, &left, &to, &room) != (size_t)-1 &&
               sizeof wide - room == 4;
    if (!*is_char)
        return 0;
    const uint32_t code =
        wide[0] | (uint32_t)wide[1] << 8 | (uint32_t)wide[2] << 16 | (uint32_t)wide[3] << 24;
    return iswprint_l((wint_t)code, context->locale) && !utf8_hides(code) ? code : 0;
}

static enum err_code context_open_decoder(struct keyword_context *context,
                                          const struct keyword_encoding *encoding, struct err *err)
{
    struct context_decoder *decoder = &context->decoders[context->decoder_count];
    bool is_char = false;

    decoder->encoding = encoding;
    decoder->converter = iconv_open("UTF-32LE", encoding->name);
    if (decoder->converter == (iconv_t)-1)
        return ERR_RAISE(err, ERR_ENV, "text in %s cannot be turned into UTF-8 here",
                         encoding->name);
    context->decoder_count++;
    for (uint32_t byte = 0; byte < 256 && encoding->unit == 1; byte++)
        decoder->alone[byte] =
            context_decode(context, decoder, &(uint8_t){ (uint8_t)byte }, 1, &is_char);
    return ERR_OK;
}

enum err_code keyword_context_open(struct io_image *image, const struct keyword_set *keywords,
                                   struct keyword_context **out, struct err *err)
{
    struct keyword_context *context = calloc(1, sizeof *context);
    enum err_code rc = ERR_OK;

    *out = context;
    if (context == NULL)
        return ERR_NO_MEMORY(err, sizeof *context);
    context->image = image;
    context->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (context->locale == (locale_t)0)
        rc = ERR_RAISE(err, ERR_ENV,
                       "the locale C.UTF-8, which knows what can be printed, is not available");
    for (uint32_t i = 0; rc == ERR_OK && i < keywords->encoding_count; i++)
        rc = context_open_decoder(context, &keywords->encodings[i], err);
    if (rc != ERR_OK) {
        keyword_context_close(context);
        *out = NULL;
    }
    return rc;
}

void keyword_context_close(struct keyword_context *context)
{
    if (context == NULL)
        return;
    for (uint32_t i = 0; i < context->decoder_count; i++)
        iconv_close(context->decoders[i].converter);
    if (context->locale != (locale_t)0)
        freelocale(context->locale);
    free(context);
}

/* len bytes (at most CONTEXT_SPAN_MAX) of the image. */
enum err_code keyword_context_bytes(struct keyword_context *context, uint64_t offset, uint32_t len,
                                    const uint8_t **bytes, struct err *err)
{
    const uint64_t size = io_image_size(context->image),
                   sector = io_image_sector_size(context->image);
    enum err_code rc = ERR_OK;

    if (offset < context->block_offset ||
        offset + len > context->block_offset + context->block_len) {
        const uint64_t start = offset - offset % sector, left = size - start;

        context->block_len = 0;
        const uint32_t want = left < CONTEXT_BLOCK ? (uint32_t)left : CONTEXT_BLOCK;
        rc = io_salvage_read(context->image, start, context->block, want, NULL, NULL, err);
        if (rc == ERR_OK) {
            context->block_offset = start;
            context->block_len = want;
        }
    }
    *bytes = context->block + (offset - context->block_offset);
    return rc;
}

/* The character at bytes that can be printed: its length in bytes and itself; 0: none. */
static uint32_t context_char(const struct keyword_context *context,
                             const struct context_decoder *decoder, const uint8_t *bytes,
                             uint32_t len, uint32_t *code)
{
    bool is_char = false;

    *code = decoder->alone[bytes[0]];
    if (*code != 0)
        return 1;
    const uint32_t unit = decoder->encoding->unit;
    for (uint32_t take = unit; take <= CONTEXT_CHAR_MAX && take <= len && !is_char; take += unit) {
        *code = context_decode(context, decoder, bytes, take, &is_char);
        if (*code != 0)
            return take;
    }
    return 0;
}

static uint32_t context_ascii(const uint8_t *bytes, uint32_t *code)
{
    *code = bytes[0];
    return bytes[0] >= 0x20 && bytes[0] < 0x7f;
}

static const struct context_decoder *context_decoder(const struct keyword_context *context,
                                                     const struct keyword *keyword)
{
    for (uint32_t i = 0; i < context->decoder_count; i++)
        if (strcmp(context->decoders[i].encoding->name, keyword->encoding) == 0)
            return &context->decoders[i];
    return NULL; /* a hexadecimal one */
}

enum err_code keyword_context_text(struct keyword_context *context, uint64_t offset,
                                   uint32_t matched, uint32_t around, const struct keyword *keyword,
                                   const char **text, struct err *err)
{
    const struct context_decoder *decoder = context_decoder(context, keyword);
    const uint32_t unit = decoder != NULL ? decoder->encoding->unit : 1;
    const uint64_t size = io_image_size(context->image), end = offset + matched;
    const uint64_t lead = offset < around ? offset : around;
    const uint64_t start = offset - lead / unit * unit;
    const uint64_t stop = size - end < around ? size : end + around;
    const uint32_t len = (uint32_t)(stop - start);
    const uint8_t *bytes;
    char *out = context->text;
    enum err_code rc = keyword_context_bytes(context, start, len, &bytes, err);

    for (uint32_t at = 0; rc == ERR_OK && at < len;) {
        uint32_t code, step = decoder != NULL
                                  ? context_char(context, decoder, bytes + at, len - at, &code)
                                  : context_ascii(bytes + at, &code);

        if (step > 0) {
            if (code == '\\')
                *out++ = '\\';
            out += utf8_put(code, out);
        } else {
            step = unit < len - at ? unit : len - at;
            for (uint32_t i = 0; i < step; i++)
                out += sprintf(out, "\\x%02X", bytes[at + i]);
        }
        at += step;
    }
    *out = '\0';
    *text = context->text;
    return rc;
}

enum err_code keyword_context_put(struct keyword_context *context, uint64_t offset, uint32_t len,
                                  uint32_t around, const struct keyword *keyword, struct json *json,
                                  FILE *out, struct err *err)
{
    static const char *const names[] = { "context", "match" };
    const uint32_t beside[] = { around, 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < 2 && rc == ERR_OK; i++) {
        const char *text = "";

        rc = keyword_context_text(context, offset, len, beside[i], keyword, &text, err);
        if (rc == ERR_OK && json != NULL)
            json_string(json, names[i], text);
        else if (rc == ERR_OK)
            fprintf(out, "\t%s", text);
    }
    return rc;
}
