/* SPDX-License-Identifier: Apache-2.0
 * io/image/address.h - the address of an image that a server has (io/ and tests only).
 *
 *   nbd://HOST[:PORT]/EXPORT             by TCP; the port is 10809 where none is named
 *   nbd+unix:///EXPORT?socket=/PATH      by a socket of this machine
 *
 * Source: NetworkBlockDevice/nbd, doc/uri.md; RFC 3986. The name of the export may be empty, and
 * bytes may be written as %XX.
 */
#ifndef BURIN_IO_IMAGE_ADDRESS_H
#define BURIN_IO_IMAGE_ADDRESS_H

#include <stdbool.h>

#include "base/err.h"

enum {
    IO_ADDRESS_EXPORT_MAX = 4097, /* bytes, the NUL included: the protocol's longest string */
    IO_ADDRESS_HOST_MAX = 256,
    IO_ADDRESS_PORT_MAX = 6,
    IO_ADDRESS_SOCKET_MAX = 108, /* of struct sockaddr_un */
};

struct io_address {
    bool local;                         /* a socket of this machine; else host and port */
    char socket[IO_ADDRESS_SOCKET_MAX]; /* absolute path */
    char host[IO_ADDRESS_HOST_MAX];     /* of an IPv6 address without its brackets */
    char port[IO_ADDRESS_PORT_MAX];
    char export_name[IO_ADDRESS_EXPORT_MAX];
};

/*
 * Reads an address. Errors: ERR_INPUT: it is none, or one of what burin cannot speak (TLS, vsock),
 * and why. io_image_is_address (io/image.h) tells addresses from paths.
 */
ERR_MUST_CHECK enum err_code io_address_parse(const char *text, struct io_address *out,
                                              struct err *err);

#endif
