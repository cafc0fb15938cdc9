/* SPDX-License-Identifier: Apache-2.0
 * io/image/compressed.h - checks of containers.def for whole files that were compressed (io/ only).
 *
 * An image that was compressed as a file is no disk until it is unpacked. A disk may begin with the
 * same few bytes by chance, so each check looks at what the format says of the bytes behind its
 * magic, which stands in containers.def.
 */
#ifndef BURIN_IO_IMAGE_COMPRESSED_H
#define BURIN_IO_IMAGE_COMPRESSED_H

#include "io/image/container.h"

bool io_compressed_is_gzip(const struct io_probe *probe);
bool io_compressed_is_bzip2(const struct io_probe *probe);
bool io_compressed_is_xz(const struct io_probe *probe);
bool io_compressed_is_zstd(const struct io_probe *probe);
bool io_compressed_is_lz4(const struct io_probe *probe);
bool io_compressed_is_lz4_legacy(const struct io_probe *probe);
bool io_compressed_is_skippable(const struct io_probe *probe); /* a frame that zstd and lz4 skip */
bool io_compressed_is_lzma(const struct io_probe *probe);
bool io_compressed_is_lzip(const struct io_probe *probe);
bool io_compressed_is_compress(const struct io_probe *probe);
bool io_compressed_is_zip(const struct io_probe *probe);
bool io_compressed_is_7z(const struct io_probe *probe);

#endif
