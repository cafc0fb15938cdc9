/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/volumes.c - the volumes that boot sectors and superblocks, and copies of them, speak
 * of. See leftover_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/leftover_impl.h"

enum {
    VOLUMES_WITNESS = 4, /* a weight: what a sector points to is there */
    VOLUMES_INODE = 128, /* bytes of an inode that are read */
};

static bool volumes_same_sector(struct leftover *walk, uint64_t at, const uint8_t *sector)
{
    uint8_t other[LIMIT_SECTOR];

    return leftover_read(walk, at, other, sizeof other) && memcmp(other, sector, sizeof other) == 0;
}

/* The table of inodes of the first group has the root folder, as inode 2. */
static bool volumes_root(struct leftover *walk, const struct geometry *volume)
{
    const uint64_t group = volume->unit == 1024 ? 2 : 1; /* block of the descriptors of groups */
    uint8_t bytes[VOLUMES_INODE];
    uint64_t at = 0;

    if (!geometry_place(volume, group, 1, &at) || !leftover_read(walk, at, bytes, sizeof bytes) ||
        !geometry_place(volume, bytes_u32le(bytes + 8), 1, &at))
        return false;
    return leftover_read(walk, at + volume->inode_size, bytes, sizeof bytes) &&
           (bytes_u16le(bytes) & 0xf000) == 0x4000 && bytes_u16le(bytes + 26) >= 2;
}

/* What a volume says lies somewhere lies there. */
static bool volumes_witness(struct leftover *walk, const struct geometry *volume)
{
    uint8_t bytes[LIMIT_SECTOR];
    uint64_t at = 0;

    switch (volume->kind) {
    case GEOMETRY_NTFS:
        return (geometry_place(volume, volume->mft, 1, &at) && leftover_read(walk, at, bytes, 4) &&
                memcmp(bytes, "FILE", 4) == 0) ||
               (geometry_place(volume, volume->mft_mirror, 1, &at) &&
                leftover_read(walk, at, bytes, 4) && memcmp(bytes, "FILE", 4) == 0);
    case GEOMETRY_FAT: /* the first entry of a table ends with ones */
    case GEOMETRY_EXFAT:
        return leftover_read(walk, volume->fat_at, bytes, 4) && bytes[0] >= 0xf0 &&
               bytes[1] == 0xff;
    default:
        return volumes_root(walk, volume);
    }
}

/* Adds the volume, or what speaks for it to the weight that it has. */
static void volumes_add(struct leftover *walk, const struct geometry *volume, uint32_t weight)
{
    for (uint32_t i = 0; i < walk->volume_count; i++) {
        struct geometry *known = &walk->volumes[i];

        if (known->kind == volume->kind && known->base == volume->base &&
            known->unit == volume->unit && known->unit_at == volume->unit_at) {
            known->weight += weight;
            return;
        }
    }
    if (walk->volume_count == LEFTOVER_VOLUMES_MAX)
        return;
    walk->volumes[walk->volume_count] = *volume;
    walk->volumes[walk->volume_count++].weight = weight;
}

/* A sector speaks of a volume that it begins, or of one that it is the copy in. */
static void volumes_sector(struct leftover *walk, uint64_t at)
{
    struct geometry readings[GEOMETRY_READINGS];
    uint8_t sector[LIMIT_SECTOR];

    if (!leftover_read(walk, at, sector, sizeof sector))
        return;
    const uint32_t count = geometry_read(sector, at, readings);
    for (uint32_t i = 0; i < count; i++) {
        const struct geometry *volume = &readings[i];
        const uint64_t copy =
            volume->kind == GEOMETRY_NTFS ? volume->size - LIMIT_SECTOR : volume->backup;
        uint32_t weight = LEFTOVER_DOUBTFUL;

        if (volume->base >= walk->size || (i > 0 && volume->size > walk->size - volume->base))
            continue;
        if (volumes_witness(walk, volume))
            weight += VOLUMES_WITNESS;
        if (copy != 0 && volumes_same_sector(walk, i == 0 ? at + copy : at - copy, sector))
            weight += VOLUMES_WITNESS;
        if (i > 0 && weight == LEFTOVER_DOUBTFUL)
            weight++; /* had it been the first, its copy would be there */
        volumes_add(walk, volume, weight);
    }
}

static int volumes_compare(const void *a, const void *b)
{
    const struct geometry *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->base < y->base ? -1 : x->base > y->base;
}

static uint64_t volumes_end(const struct geometry *volume, uint64_t size)
{
    return volume->size < size - volume->base ? volume->base + volume->size : size;
}

void leftover_volumes(struct leftover *walk)
{
    const struct leftover_spots *spots = &walk->spots[LEFTOVER_SPOT_VOLUME];
    uint32_t kept = 0;

    for (uint32_t i = 0; leftover_has_spot(walk, LEFTOVER_SPOT_VOLUME, i); i++)
        volumes_sector(walk, spots->at[i]);
    if (walk->volume_count > 1)
        qsort(walk->volumes, walk->volume_count, sizeof *walk->volumes, volumes_compare);
    /* Of volumes of a kind that lie over each other, the best known one. */
    for (uint32_t i = 0; i < walk->volume_count; i++) {
        struct geometry volume = walk->volumes[i];
        const uint64_t end = volumes_end(&volume, walk->size);
        bool over = volume.unit_at >= walk->size;

        for (uint32_t k = 0; k < kept && !over; k++)
            over = walk->volumes[k].kind == volume.kind && walk->volumes[k].base < end &&
                   volume.base < volumes_end(&walk->volumes[k], walk->size);
        if (over)
            continue;
        volume.area.offset = volume.unit_at;
        if (volume.area.len > walk->size - volume.area.offset)
            volume.area.len = walk->size - volume.area.offset;
        walk->volumes[kept++] = volume;
    }
    walk->volume_count = kept;
}

const struct geometry *leftover_volume(const struct leftover *walk, enum geometry_kind kind,
                                       uint64_t at)
{
    for (uint32_t i = 0; i < walk->volume_count; i++) {
        const struct geometry *volume = &walk->volumes[i];

        if (volume->kind == kind && at >= volume->base && at - volume->base < volume->size)
            return volume;
    }
    return NULL;
}
