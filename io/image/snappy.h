/* SPDX-License-Identifier: Apache-2.0
 * io/image/snappy.h - unpacks Snappy, as AFF4 images have it (io/ and tests only).
 *
 * Own code, and not libsnappy, because that brings the C++ library into the program for one small
 * loop. Source: google/snappy, format_description.txt, revised 2011-10-05.
 */
#ifndef BURIN_IO_IMAGE_SNAPPY_H
#define BURIN_IO_IMAGE_SNAPPY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Unpacks all of in, of len bytes, to out, which has room for `room` bytes. Returns how many bytes
 * that made: as many as the packed bytes say; 0: they are damaged, or make more than there is room
 * for. Any bytes may be in in. Nothing behind in + len is read, nothing behind out + room written.
 */
size_t io_snappy_unpack(const uint8_t *in, size_t len, uint8_t *out, size_t room);

#endif
