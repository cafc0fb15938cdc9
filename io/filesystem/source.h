/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/source.h - where the readers of this room get bytes from: a volume, or the memory
 * of a test. */
#ifndef BURIN_IO_FILESYSTEM_SOURCE_H
#define BURIN_IO_FILESYSTEM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct source {
    /* All of the bytes; false: they cannot be read, or do not lie in [0, size). */
    bool (*read)(void *arg, uint64_t at, void *out, uint32_t len);
    void *arg;
    uint64_t size; /* bytes */
};

static inline bool source_read(const struct source *source, uint64_t at, void *out, uint32_t len)
{
    return at <= source->size && len <= source->size - at &&
           source->read(source->arg, at, out, len);
}

#endif
