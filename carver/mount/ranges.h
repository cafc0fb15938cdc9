/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/ranges.h - bytes of an image by a name that says where they lie:
 * "4096+8192_S512_20480+512".
 *
 * The pieces OFFSET+LENGTH are joined by "_"; S and a length is a hole of zeros. An extension
 * (".jpg") may stand behind them. Decimal numbers. So do CarvFS and MattockFS call such files
 * (github.com/pjbos/MattockFS, mattock/carvpath.py).
 */
#ifndef BURIN_CARVER_MOUNT_RANGES_H
#define BURIN_CARVER_MOUNT_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RANGES_MAX = 64,           /* pieces of a name: more do not fit into one */
    RANGES_NAME_MAX = 255,     /* bytes of a name of a file in Linux */
    RANGES_EXTENSION_MAX = 16, /* bytes, without the dot */
};
#define RANGES_HOLE UINT64_MAX /* offset of a hole */

/* A piece of a file: its bytes from start on lie at offset of the image. */
struct ranges_piece {
    uint64_t start, offset;
};

struct ranges {
    struct ranges_piece pieces[RANGES_MAX];
    uint32_t count;
    uint64_t len; /* bytes of all */
};

/* False: the name is none, or names bytes that an image of image_size bytes has not. */
bool ranges_read(const char *name, uint64_t image_size, struct ranges *out);

#endif
