/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/md.h - the software RAID of Linux: what a member says of its array.
 *
 * Source: linux/include/uapi/linux/raid/md_p.h; md(4).
 */
#ifndef BURIN_IO_FILESYSTEM_MD_H
#define BURIN_IO_FILESYSTEM_MD_H

#include <stdbool.h>
#include <stdint.h>

#include "io/filesystem/source.h"

enum { MD_NAME_MAX = 33, MD_UUID = 16, MD_LINEAR = -1, MD_MEMBERS_MAX = 64 };

struct md_member {
    uint8_t uuid[MD_UUID];  /* of the array */
    char name[MD_NAME_MAX]; /* of the array; may be empty */
    int32_t level;          /* MD_LINEAR, 0, 1, 4, 5, 6, 10 */
    uint32_t members;       /* that the array has */
    uint32_t role;          /* of this one, from 0; UINT32_MAX: a spare, or it has failed */
    uint64_t chunk_len;     /* bytes; 0 where the level has none */
    uint64_t offset, len;   /* bytes of the member that hold data */
    uint64_t size;          /* of a mirror, in bytes: what of it is used */
    const char *version;    /* of the superblock: "0.90", "1.2"; static text */
};

/* False: the source is no member of an array. */
bool md_member(const struct source *source, struct md_member *out);

#endif
