/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/md.c - see md.h. Superblocks of version 1.0, 1.1 and 1.2, and of 0.90. */
#include "io/filesystem/md.h"

#include <string.h>

#include "base/bytes.h"

enum {
    MD_SECTOR = 512,
    MD_BLOCK = 4096, /* bytes of a superblock */
    MD_ROLES = 256,  /* where the roles of members begin in it */
    MD_ROLES_MAX = (MD_BLOCK - MD_ROLES) / 2,
    MD_OLD_RESERVED = 65536, /* bytes: a superblock of 0.90 has a place of its own, by these */
};
#define MD_MAGIC UINT32_C(0xa92b4efc)
#define MD_SECTORS_MAX (UINT64_C(1) << 54)

/* The sum of calc_sb_1_csum in drivers/md/md.c: little-endian words, folded, without the sum. */
static uint32_t md_sum(const uint8_t *block, uint32_t len)
{
    uint64_t sum = 0;

    for (uint32_t at = 0; at + 4 <= len; at += 4)
        sum += at == 216 ? 0 : bytes_u32le(block + at);
    if (len % 4 == 2)
        sum += bytes_u16le(block + len - 2);
    return (uint32_t)((sum & UINT32_MAX) + (sum >> 32));
}

static uint64_t md_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A superblock of version 1 that stands at this place. */
static bool md_one(const struct source *source, uint64_t at, const char *version,
                   struct md_member *out)
{
    uint8_t block[MD_BLOCK];

    if (!source_read(source, at, block, sizeof block) || bytes_u32le(block) != MD_MAGIC ||
        bytes_u32le(block + 4) != 1 || bytes_u64le(block + 144) != at / MD_SECTOR)
        return false;
    const uint32_t roles = bytes_u32le(block + 220);
    if (roles > MD_ROLES_MAX || md_sum(block, MD_ROLES + 2 * roles) != bytes_u32le(block + 216))
        return false;
    const uint64_t used = bytes_u64le(block + 80), offset = bytes_u64le(block + 128);
    const uint64_t len = bytes_u64le(block + 136);
    const uint32_t number = bytes_u32le(block + 160);
    const uint32_t role = number < roles ? bytes_u16le(block + MD_ROLES + 2 * number) : 0xffff;
    if (offset > source->size / MD_SECTOR || used > MD_SECTORS_MAX || len > MD_SECTORS_MAX)
        return false;
    *out = (struct md_member){
        .level = (int32_t)bytes_u32le(block + 72),
        .members = bytes_u32le(block + 92),
        .role = role >= 0xfff0 ? UINT32_MAX : role,
        .chunk_len = (uint64_t)bytes_u32le(block + 88) * MD_SECTOR,
        .offset = offset * MD_SECTOR,
        .version = version,
    };
    out->len = md_least(len * MD_SECTOR, source->size - out->offset);
    out->size = md_least(used * MD_SECTOR, out->len);
    memcpy(out->uuid, block + 16, MD_UUID);
    memcpy(out->name, block + 32, MD_NAME_MAX - 1);
    return true;
}

/* A superblock of version 0.90, in the byte order of the machine that wrote it: only the little one
 * is read. */
static bool md_old(const struct source *source, struct md_member *out)
{
    uint8_t block[MD_BLOCK];

    if (source->size < 2 * MD_OLD_RESERVED)
        return false;
    const uint64_t at = source->size / MD_OLD_RESERVED * MD_OLD_RESERVED - MD_OLD_RESERVED;
    if (!source_read(source, at, block, sizeof block) || bytes_u32le(block) != MD_MAGIC ||
        bytes_u32le(block + 4) != 0 || bytes_u32le(block + 8) != 90)
        return false;
    uint64_t sum = 0; /* of all words but the sum itself: calc_sb_csum in drivers/md/md.c */
    for (uint32_t i = 0; i < MD_BLOCK; i += 4)
        sum += i == 38 * 4 ? 0 : bytes_u32le(block + i);
    if ((uint32_t)((sum & UINT32_MAX) + (sum >> 32)) != bytes_u32le(block + 38 * 4))
        return false;
    *out = (struct md_member){ .level = (int32_t)bytes_u32le(block + 28),
                               .members = bytes_u32le(block + 40),
                               .role = bytes_u32le(block + 992 * 4 + 12),
                               .chunk_len = bytes_u32le(block + 65 * 4),
                               .len = at,
                               .version = "0.90" };
    out->size = md_least((uint64_t)bytes_u32le(block + 32) * 1024, at);
    memcpy(out->uuid, block + 20, 4);
    memcpy(out->uuid + 4, block + 52, 12);
    return true;
}

bool md_member(const struct source *source, struct md_member *out)
{
    const uint64_t sectors = source->size / MD_SECTOR;

    *out = (struct md_member){ 0 };
    return md_one(source, MD_BLOCK, "1.2", out) || md_one(source, 0, "1.1", out) ||
           (sectors > 16 && md_one(source, (sectors - 16) / 8 * 8 * MD_SECTOR, "1.0", out)) ||
           md_old(source, out);
}
