/* SPDX-License-Identifier: Apache-2.0
 * io/image/crc32c.h - CRC-32C, the checksum of VHDX and Btrfs (io/ and tests only). */
#ifndef BURIN_IO_IMAGE_CRC32C_H
#define BURIN_IO_IMAGE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Goes on with the CRC of what came before; that of nothing is 0. Source: RFC 3720, appendix B.4.
 */
uint32_t io_crc32c(uint32_t crc, const uint8_t *bytes, size_t len);

/* The same on any processor; for tests. */
uint32_t io_crc32c_plain(uint32_t crc, const uint8_t *bytes, size_t len);

#endif
