/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk_table.c - tables of partitions, as libtsk reads them. See walk.h.
 *
 * Three things libtsk does not tell by itself: a GPT of a disk with sectors of 4096 bytes in an
 * image that does not say so; an MBR beside a GPT, which is the older view of the same disk; and a
 * boot sector of FAT, which has the same last two bytes as an MBR.
 */
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/walk.h"

enum { TABLE_SECTOR = 512, TABLE_SECTOR_LARGE = 4096 };

struct table {
    struct fsmap_walk *walk;
    const char *name;
};

static const char *table_name(TSK_VS_TYPE_ENUM type)
{
    switch (type) {
    case TSK_VS_TYPE_DOS:
        return "DOS";
    case TSK_VS_TYPE_GPT:
        return "GPT";
    case TSK_VS_TYPE_MAC:
        return "Mac";
    case TSK_VS_TYPE_BSD:
        return "BSD";
    case TSK_VS_TYPE_SUN:
        return "Sun";
    default:
        return "";
    }
}

struct volume walk_stretch(struct io_image *image, uint64_t offset, uint64_t len)
{
    struct volume volume = volume_begin(image, len);
    struct volume_place place = { NULL, offset };
    const struct volume_stretch stretch = { .len = len, .stripes = 1, .places = &place };
    struct err err = { 0 };

    if (volume_add(&volume, &stretch, &err) != ERR_OK)
        volume.size = 0; /* nothing of it can be read */
    return volume;
}

static void table_part(struct table *table, const struct walk_slot *slot)
{
    struct fsmap_walk *walk = table->walk;
    const struct content none = { .name = "", .note = "" };

    if (slot->kind == IO_VOLUME_PARTITION && slot->len > 0) {
        struct volume volume = walk_stretch(walk->image, slot->offset, slot->len);

        walk_volume(walk, slot, &volume);
        return;
    }
    walk_say_slot(walk, slot, &none);
    walk_say(walk,
             (struct fsmap_record){ .word = FSMAP_RUN,
                                    .kind = IO_AREA_UNPARTITIONED,
                                    .offset = slot->offset,
                                    .len = slot->len },
             "", 0);
}

static TSK_WALK_RET_ENUM table_callback(TSK_VS_INFO *vs, const TSK_VS_PART_INFO *part, void *arg)
{
    struct table *table = arg;
    const uint64_t size = io_image_size(table->walk->image), block = vs->block_size;
    const uint64_t blocks = block == 0 ? 0 : (size + block - 1) / block;
    const uint64_t start = part->start >= blocks ? size : part->start * block;
    const uint64_t count = part->start >= blocks              ? 0
                           : blocks - part->start < part->len ? blocks - part->start
                                                              : part->len;
    const struct walk_slot slot = {
        .kind = (part->flags & TSK_VS_PART_FLAG_ALLOC) != 0  ? IO_VOLUME_PARTITION
                : (part->flags & TSK_VS_PART_FLAG_META) != 0 ? IO_VOLUME_TABLE
                                                             : IO_VOLUME_GAP,
        .number = (uint32_t)part->addr,
        .offset = start,
        .len = count * block < size - start ? count * block : size - start,
        .sector_size = (uint32_t)block,
        .table = table->name,
        .description = part->desc != NULL ? part->desc : "",
    };

    table->walk->lib.tsk_error_reset();
    table_part(table, &slot);
    return ferror(table->walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

/* An entry that says that there is a GPT behind it (UEFI 2.10, 5.2.3). */
static bool table_protects(const uint8_t *sector)
{
    for (uint32_t i = 0; i < 4; i++)
        if (sector[446 + 16 * i + 4] == 0xee)
            return true;
    return false;
}

static TSK_VS_INFO *table_try(struct fsmap_walk *walk, struct walk_image *image, uint32_t sector,
                              TSK_VS_TYPE_ENUM type)
{
    TSK_VS_INFO *vs;

    image->img.sector_size = sector;
    vs = walk->lib.tsk_vs_open(&image->img, 0, type);
    walk->lib.tsk_error_reset();
    return vs;
}

/* The table of the image; NULL: none. *beside: there is another one that was left alone. */
static TSK_VS_INFO *table_open(struct fsmap_walk *walk, struct walk_image *image, bool *beside)
{
    static const TSK_VS_TYPE_ENUM types[] = { TSK_VS_TYPE_DOS, TSK_VS_TYPE_MAC, TSK_VS_TYPE_BSD,
                                              TSK_VS_TYPE_SUN };
    const uint32_t sector = io_image_sector_size(walk->image);
    uint8_t first[TABLE_SECTOR] = { 0 };
    TSK_VS_INFO *vs = NULL;

    *beside = false;
    (void)!volume_read(image->volume, 0, first, sizeof first);
    vs = table_try(walk, image, sector, TSK_VS_TYPE_GPT);
    if (vs == NULL && sector != TABLE_SECTOR_LARGE)
        vs = table_try(walk, image, TABLE_SECTOR_LARGE, TSK_VS_TYPE_GPT);
    if (vs != NULL) {
        /* More than the one entry that every GPT has. */
        for (uint32_t i = 0; i < 4; i++)
            *beside = *beside || (first[446 + 16 * i + 4] != 0 && first[446 + 16 * i + 4] != 0xee &&
                                  first[510] == 0x55 && first[511] == 0xaa);
        return vs;
    }
    if (table_protects(first) && sector != TABLE_SECTOR)
        vs = table_try(walk, image, TABLE_SECTOR, TSK_VS_TYPE_GPT);
    if (vs == NULL)
        vs = table_try(walk, image, sector, TSK_VS_TYPE_DETECT);
    for (uint32_t i = 0; vs == NULL && i < sizeof types / sizeof types[0]; i++)
        vs = table_try(walk, image, sector, types[i]);
    return vs;
}

/* The whole image is one volume. */
static void table_none(struct fsmap_walk *walk)
{
    const uint64_t size = io_image_size(walk->image);
    const struct walk_slot slot = { .kind = IO_VOLUME_ALL,
                                    .len = size,
                                    .sector_size = io_image_sector_size(walk->image),
                                    .table = "",
                                    .description = "" };
    struct volume volume = walk_stretch(walk->image, 0, size);

    walk_volume(walk, &slot, &volume);
}

/* Whether the image begins with the boot sector of a file system, which is no table. */
static bool table_is_boot(const struct volume *whole)
{
    const struct source source = volume_source(whole);
    const struct content content = content_look(&source);

    return strncmp(content.name, "fat", 3) == 0 || strcmp(content.name, "ntfs") == 0 ||
           strcmp(content.name, "exfat") == 0 || strcmp(content.name, "BitLocker") == 0 ||
           strcmp(content.name, "refs") == 0;
}

void walk_tables(struct fsmap_walk *walk)
{
    struct volume whole = walk_stretch(walk->image, 0, io_image_size(walk->image));
    struct walk_image *image = walk_image_open(walk, &whole, io_image_sector_size(walk->image));
    bool beside = false;
    TSK_VS_INFO *vs = image == NULL ? NULL : table_open(walk, image, &beside);

    if (vs != NULL && vs->vstype == TSK_VS_TYPE_DOS && table_is_boot(&whole)) {
        walk->lib.tsk_vs_close(vs);
        vs = NULL;
    }
    if (vs == NULL || vs->part_count == 0) {
        table_none(walk);
    } else {
        struct table table = { walk, table_name(vs->vstype) };

        if (beside)
            walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE },
                     "there is an MBR beside the GPT, with partitions of its own: the GPT counts",
                     73);
        walk->lib.tsk_vs_part_walk(vs, 0, vs->part_count - 1, TSK_VS_PART_FLAG_ALL, table_callback,
                                   &table);
    }
    if (vs != NULL)
        walk->lib.tsk_vs_close(vs);
    walk_image_close(image);
    volume_release(&whole);
}
