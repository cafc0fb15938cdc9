/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/geometry.c - see geometry.h. */
#include "io/leftover/geometry.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"

enum {
    BOOT_SIGNATURE_AT = 510,
    BOOT_SIGNATURE = 0xaa55,
    EXT_MAGIC_AT = 56,
    EXT_MAGIC = 0xef53,
    EXT_SUPERBLOCK_AT = 1024, /* bytes from the volume's begin */
    EXT_LOG_MAX = 6,          /* blocks of 1 to 64 KiB */
    GEOMETRY_SECTOR_MAX = 4096,
    GEOMETRY_UNIT_MAX = 32 << 20, /* bytes: the largest cluster of exFAT */
    FAT_ENTRY = 32,               /* bytes of an entry of a folder */
    FAT12_CLUSTERS = 4085,        /* fewer than these are FAT12 */
    FAT16_CLUSTERS = 65525,       /* fewer than these are FAT16 */
    EXFAT_BACKUP = 12,            /* sectors */
};

#define GEOMETRY_SIZE_MAX (UINT64_C(1) << 60) /* bytes: sums of two do not overflow */

static bool geometry_power(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool geometry_ntfs_text(const uint8_t *sector)
{
    return memcmp(sector + 3, "NTFS    ", 8) == 0;
}

static bool geometry_exfat_text(const uint8_t *sector)
{
    return memcmp(sector + 3, "EXFAT   ", 8) == 0;
}

/* A jump over the parameters and one of the sizes that are allowed. */
static bool geometry_fat_form(const uint8_t *sector)
{
    return (sector[0] == 0xeb || sector[0] == 0xe9) && sector[11] == 0 &&
           geometry_power(sector[12]) && sector[12] >= 2 && sector[12] <= 16 &&
           geometry_power(sector[13]) && sector[16] >= 1 && sector[16] <= 4 && sector[21] >= 0xf0;
}

bool geometry_may(const uint8_t *sector)
{
    if (bytes_u16le(sector + EXT_MAGIC_AT) == EXT_MAGIC)
        return true;
    return bytes_u16le(sector + BOOT_SIGNATURE_AT) == BOOT_SIGNATURE &&
           (geometry_ntfs_text(sector) || geometry_exfat_text(sector) || geometry_fat_form(sector));
}

static bool geometry_ntfs(const uint8_t *sector, struct geometry *out)
{
    const uint32_t sector_size = bytes_u16le(sector + 11);
    const uint64_t sectors = bytes_u64le(sector + 40);
    const uint8_t code = sector[13];
    /* Above 128 it is the negative of a power of two. */
    const uint64_t per = code <= 128 ? code : UINT64_C(1) << (256 - code < 32 ? 256 - code : 32);

    if (!geometry_power(sector_size) || sector_size < LIMIT_SECTOR ||
        sector_size > GEOMETRY_SECTOR_MAX || !geometry_power(per) ||
        per > GEOMETRY_UNIT_MAX / sector_size || sectors == 0 ||
        sectors >= GEOMETRY_SIZE_MAX / sector_size)
        return false;
    out->kind = GEOMETRY_NTFS;
    out->size = (sectors + 1) * sector_size; /* the last one has the copy */
    out->unit = (uint32_t)(per * sector_size);
    out->units = out->size / out->unit;
    out->mft = bytes_u64le(sector + 48);
    out->mft_mirror = bytes_u64le(sector + 56);
    out->backup = 0;
    return true;
}

static bool geometry_exfat(const uint8_t *sector, struct geometry *out)
{
    const uint32_t shift = sector[108], more = sector[109];
    const uint64_t sectors = bytes_u64le(sector + 72);
    const uint64_t fat = bytes_u32le(sector + 80), fat_len = bytes_u32le(sector + 84);
    const uint64_t heap = bytes_u32le(sector + 88), clusters = bytes_u32le(sector + 92);

    if (shift < 9 || shift > 12 || more > 25 - shift || sectors == 0 ||
        sectors >= GEOMETRY_SIZE_MAX >> shift || clusters == 0 || heap == 0 || fat == 0)
        return false;
    out->kind = GEOMETRY_EXFAT;
    out->size = sectors << shift;
    out->unit = UINT32_C(1) << (shift + more);
    out->first = 2;
    out->units = clusters;
    out->unit_at = heap << shift;
    out->fat_at = fat << shift;
    out->fat_bytes = fat_len << shift;
    out->fat_bits = 32;
    out->backup = (uint32_t)EXFAT_BACKUP << shift;
    return true;
}

static bool geometry_fat(const uint8_t *sector, struct geometry *out)
{
    const uint64_t sector_size = bytes_u16le(sector + 11), reserved = bytes_u16le(sector + 14);
    const uint64_t small = bytes_u16le(sector + 19), small_fat = bytes_u16le(sector + 22);
    const uint64_t sectors = small != 0 ? small : bytes_u32le(sector + 32);
    const uint64_t fat = small_fat != 0 ? small_fat : bytes_u32le(sector + 36);
    const uint64_t root = bytes_u16le(sector + 17) * (uint64_t)FAT_ENTRY;

    if (!geometry_fat_form(sector) || reserved == 0 || fat == 0)
        return false;
    const uint64_t data =
        reserved + sector[16] * fat + (root + sector_size - 1) / sector_size; /* in sectors */
    if (data >= sectors)
        return false;
    out->kind = GEOMETRY_FAT;
    out->size = sectors * sector_size;
    out->unit = (uint32_t)(sector[13] * sector_size);
    out->first = 2;
    out->units = (sectors - data) / sector[13];
    out->unit_at = data * sector_size;
    out->fat_at = reserved * sector_size;
    out->fat_bytes = fat * sector_size;
    out->fat_bits = small_fat == 0                ? 32
                    : out->units < FAT12_CLUSTERS ? 12
                    : out->units < FAT16_CLUSTERS ? 16
                                                  : 32;
    if (small_fat == 0)
        out->backup = (uint32_t)(bytes_u16le(sector + 50) * sector_size);
    return out->units > 0;
}

/* The volume's begin becomes known. */
static bool geometry_put(struct geometry *geometry, uint64_t at, uint64_t behind)
{
    if (behind > at)
        return false;
    geometry->base = at - behind;
    geometry->unit_at += geometry->base;
    if (geometry->fat_bits != 0)
        geometry->fat_at += geometry->base;
    geometry->area = (struct io_range){ geometry->unit_at, geometry->units * geometry->unit };
    return true;
}

static bool geometry_ext(const uint8_t *super, uint64_t at, struct geometry *out)
{
    const uint32_t log = bytes_u32le(super + 24), first = bytes_u32le(super + 20);
    const uint32_t per_group = bytes_u32le(super + 32), group = bytes_u16le(super + 90);
    const uint64_t blocks = bytes_u32le(super + 4);
    const uint32_t inode_size = bytes_u16le(super + 88);

    if (bytes_u16le(super + EXT_MAGIC_AT) != EXT_MAGIC || log > EXT_LOG_MAX || blocks == 0 ||
        first != (log == 0 ? 1 : 0) || per_group == 0 || per_group > (UINT32_C(8192) << log) ||
        bytes_u32le(super + 40) == 0 || (uint64_t)group * per_group >= blocks ||
        (bytes_u32le(super + 76) != 0 && (!geometry_power(inode_size) || inode_size < 128)))
        return false;
    *out = (struct geometry){ .kind = GEOMETRY_EXT,
                              .unit = UINT32_C(1024) << log,
                              .inode_size = bytes_u32le(super + 76) != 0 ? inode_size : 128 };
    out->units = blocks;
    out->size = blocks * out->unit;
    return geometry_put(out, at,
                        group == 0 ? EXT_SUPERBLOCK_AT
                                   : ((uint64_t)group * per_group + first) * out->unit);
}

uint32_t geometry_read(const uint8_t *sector, uint64_t at,
                       struct geometry readings[GEOMETRY_READINGS])
{
    struct geometry read = { 0 };
    uint32_t count = 0;

    if (bytes_u16le(sector + BOOT_SIGNATURE_AT) != BOOT_SIGNATURE ||
        !(geometry_ntfs_text(sector)    ? geometry_ntfs(sector, &read)
          : geometry_exfat_text(sector) ? geometry_exfat(sector, &read)
                                        : geometry_fat(sector, &read)))
        return geometry_ext(sector, at, &readings[0]) ? 1 : 0;
    const uint64_t copy =
        read.kind == GEOMETRY_NTFS ? read.size - bytes_u16le(sector + 11) : read.backup;
    readings[count] = read;
    if (geometry_put(&readings[count], at, 0))
        count++;
    readings[count] = read;
    if (copy != 0 && count < GEOMETRY_READINGS && geometry_put(&readings[count], at, copy))
        count++;
    return count;
}

bool geometry_place(const struct geometry *geometry, uint64_t cluster, uint64_t count,
                    uint64_t *offset)
{
    if (cluster < geometry->first)
        return false;
    cluster -= geometry->first;
    if (geometry->units != 0 && (cluster >= geometry->units || count > geometry->units - cluster))
        return false;
    if (cluster > GEOMETRY_SIZE_MAX / geometry->unit || count > GEOMETRY_SIZE_MAX / geometry->unit)
        return false;
    *offset = geometry->unit_at + cluster * geometry->unit;
    return true;
}
