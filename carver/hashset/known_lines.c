/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_lines.c - the lines of a list. See known_read.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/interrupt.h"
#include "carver/hashset/known_read.h"

enum { KNOWN_CHUNK = 1 << 18 }; /* bytes read at a time */

enum err_code known_lines_open(const struct known_list *list, struct known_lines *out,
                               struct err *err)
{
    *out = (struct known_lines){ .path = list->path, .in = list->in };
    out->buffer = malloc(KNOWN_LINE_MAX + KNOWN_CHUNK);
    return out->buffer != NULL ? ERR_OK : ERR_NO_MEMORY(err, KNOWN_LINE_MAX + KNOWN_CHUNK);
}

void known_lines_close(struct known_lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

enum err_code known_lines_wrong(const struct known_lines *lines, size_t column, struct err *err,
                                const char *format, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ERR_RAISE(err, ERR_INPUT, "%s:%" PRIu64 ":%zu: %s", lines->path, lines->number, column,
                     text);
}

/*
 * As many bytes as there are, 0 at the end; false on an error. Nobody else reads what is not in
 * memory.
 */
static bool known_lines_read(struct known_lines *lines, size_t *got)
{
    char *to = lines->buffer + lines->have;
    const int fd = fileno(lines->in);

    if (fd < 0) {
        *got = fread(to, 1, KNOWN_CHUNK, lines->in);
        return !ferror(lines->in);
    }
    const ssize_t some = stop_read(fd, to, KNOWN_CHUNK);
    *got = some > 0 ? (size_t)some : 0;
    return some >= 0;
}

/* Moves what is left to the front and reads on. */
static enum err_code known_lines_fill(struct known_lines *lines, struct err *err)
{
    memmove(lines->buffer, lines->buffer + lines->at, lines->have - lines->at);
    lines->have -= lines->at;
    lines->at = 0;
    size_t got;
    const bool ok = known_lines_read(lines, &got);
    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
    lines->have += got;
    lines->ended = got == 0;
    if (!ok)
        return ERR_RAISE(err, ERR_INPUT, "%s: cannot be read behind line %" PRIu64 ": %s",
                         lines->path, lines->number, strerror(errno));
    return ERR_OK;
}

/* What begins a text of another kind. */
static enum err_code known_lines_start(struct known_lines *lines, const char **line, size_t *len,
                                       struct err *err)
{
    const unsigned char *bytes = (const unsigned char *)*line;

    if (*len >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf) {
        *line += 3;
        *len -= 3;
    }
    if (*len >= 2 && (bytes[0] ^ bytes[1]) == 1 && bytes[0] >= 0xfe)
        return known_lines_wrong(
            lines, 1, err, "this is UTF-16; turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8");
    return ERR_OK;
}

enum err_code known_lines_next(struct known_lines *lines, const char **line, size_t *len,
                               struct err *err)
{
    const char *end = NULL;
    enum err_code rc = ERR_OK;

    *line = NULL;
    *len = 0;
    while (rc == ERR_OK && end == NULL) {
        const size_t left = lines->have - lines->at;

        end = left > 0 ? memchr(lines->buffer + lines->at, '\n', left) : NULL;
        if (end == NULL && lines->ended) {
            if (left == 0)
                return ERR_OK;
            end = lines->buffer + lines->have;
        } else if (end == NULL && left < KNOWN_LINE_MAX) {
            rc = known_lines_fill(lines, err);
        } else if (end == NULL || (size_t)(end - (lines->buffer + lines->at)) >= KNOWN_LINE_MAX) {
            lines->number++;
            return known_lines_wrong(
                lines, KNOWN_LINE_MAX, err,
                "the line is longer than %d bytes; is this a text, and is --format right?",
                KNOWN_LINE_MAX);
        }
    }
    if (rc != ERR_OK)
        return rc;
    *line = lines->buffer + lines->at;
    *len = (size_t)(end - *line);
    lines->at += *len + (end < lines->buffer + lines->have);
    lines->number++;
    if (*len > 0 && (*line)[*len - 1] == '\r')
        --*len;
    return lines->number == 1 ? known_lines_start(lines, line, len, err) : ERR_OK;
}

enum err_code known_lines_digest(const struct known_lines *lines, const char *text, size_t len,
                                 size_t column, enum digest_kind hash, uint8_t out[DIGEST_MAX],
                                 struct err *err)
{
    const size_t wanted = 2 * digest_len(hash);
    const size_t digits = known_parse_hex(text, len, wanted, out);
    enum digest_kind other;

    if (digits == wanted && digits == len)
        return ERR_OK;
    if (known_hash_of_length(len, &other) && known_parse_hex(text, len, len, out) == len)
        return known_lines_wrong(lines, column, err,
                                 "the hash is %s, and the set has %s; give --hash %s, or make "
                                 "another set for it",
                                 known_hash_name(other), known_hash_name(hash),
                                 known_hash_name(other));
    if (digits > wanted)
        return known_lines_wrong(
            lines, column + wanted, err,
            "more than the %zu hexadecimal digits of %s; correct or remove the line", wanted,
            known_hash_name(hash));
    return known_lines_wrong(lines, column + digits, err,
                             "not %s: %zu hexadecimal digits of %zu; correct or remove the line",
                             known_hash_name(hash), digits, wanted);
}
