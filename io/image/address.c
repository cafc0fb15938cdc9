/* SPDX-License-Identifier: Apache-2.0
 * io/image/address.c - see address.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image.h"
#include "io/image/address.h"

enum { ADDRESS_PORT_MAX = 65535 };
#define ADDRESS_PORT "10809" /* of NBD, as IANA has it */

bool io_image_is_address(const char *path)
{
    static const char *const schemes[] = { "nbd://",  "nbd+unix://",  "nbd+vsock://",
                                           "nbds://", "nbds+unix://", "nbds+vsock://" };

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

char *io_image_absolute(const char *path)
{
    return io_image_is_address(path) ? strdup(path) : realpath(path, NULL);
}

static int address_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Writes what the bytes [text, end) mean, with a NUL. False: it does not fit, or is no text. */
static bool address_decode(const char *text, const char *end, char *out, size_t room)
{
    size_t len = 0;

    for (; text < end; text++) {
        char c = *text;

        if (c == '%') {
            const int high = end - text > 2 ? address_digit(text[1]) : -1;
            const int low = high < 0 ? -1 : address_digit(text[2]);

            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            text += 2;
        }
        if (c == '\0' || len + 1 >= room)
            return false;
        out[len++] = c;
    }
    out[len] = '\0';
    return true;
}

static bool address_host(const char *text, const char *end, struct io_address *out)
{
    const char *last = end, *port = NULL;
    unsigned number = 0;

    if (text < end && *text == '[') {
        last = memchr(text, ']', (size_t)(end - text));
        if (last == NULL || (last + 1 < end && last[1] != ':'))
            return false;
        port = last + 1 < end ? last + 2 : NULL;
        text++;
    } else {
        const char *colon = memchr(text, ':', (size_t)(end - text));

        last = colon != NULL ? colon : end;
        port = colon != NULL ? colon + 1 : NULL;
    }
    snprintf(out->port, sizeof out->port, ADDRESS_PORT);
    if (port != NULL && port < end) {
        for (const char *at = port; at < end && number <= ADDRESS_PORT_MAX; at++) {
            if (*at < '0' || *at > '9')
                return false;
            number = number * 10 + (unsigned)(*at - '0');
        }
        if (number == 0 || number > ADDRESS_PORT_MAX)
            return false;
        snprintf(out->port, sizeof out->port, "%u", number);
    }
    return last > text && memchr(text, '@', (size_t)(last - text)) == NULL &&
           address_decode(text, last, out->host, sizeof out->host);
}

/* What stands behind "?": the socket's path, and nothing else. */
static bool address_socket(const char *query, struct io_address *out)
{
    static const char key[] = "socket=";

    return query != NULL && strncmp(query, key, sizeof key - 1) == 0 &&
           strpbrk(query, "&;") == NULL &&
           address_decode(query + sizeof key - 1, query + strlen(query), out->socket,
                          sizeof out->socket) &&
           out->socket[0] == '/';
}

enum err_code io_address_parse(const char *text, struct io_address *out, struct err *err)
{
    static const char tcp[] = "nbd://", local[] = "nbd+unix://";
    const bool is_tcp = strncmp(text, tcp, sizeof tcp - 1) == 0;

    *out = (struct io_address){ .local = strncmp(text, local, sizeof local - 1) == 0 };
    if (!is_tcp && !out->local)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: burin speaks with servers by nbd://HOST:PORT/EXPORT and "
                         "nbd+unix:///EXPORT?socket=/PATH; "
                         "for TLS let a tunnel make such a socket",
                         text);
    const char *host = text + (is_tcp ? sizeof tcp : sizeof local) - 1;
    const char *end = host + strcspn(host, "/?#"), *path = *end == '/' ? end + 1 : end;
    const char *path_end = path + strcspn(path, "?#");
    const char *query = *path_end == '?' ? path_end + 1 : NULL;

    if (!address_decode(path, path_end, out->export_name, sizeof out->export_name) ||
        strchr(path_end, '#') != NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: the name of the export is none", text);
    if (is_tcp && (query != NULL || !address_host(host, end, out)))
        return ERR_RAISE(err, ERR_INPUT, "%s: is no address: nbd://HOST:PORT/EXPORT", text);
    if (out->local && (end != host || !address_socket(query, out)))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: is no address: nbd+unix:///EXPORT?socket=/PATH, with the whole path "
                         "of the socket, of at most %d bytes",
                         text, IO_ADDRESS_SOCKET_MAX - 1);
    return ERR_OK;
}
