/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/fat.c - layouts from entries of folders of FAT and exFAT. See leftover_impl.h.
 *
 * An entry tells the first cluster and the size. Where the others lie, the chain in the table says,
 * which most drivers wipe when the file is deleted: then the layout has an open end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/exfat_entry.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/leftover_impl.h"
#include "io/leftover/names.h"

_Static_assert((int)FAT_NAME_MAX >= (int)EXFAT_NAME_MAX, "names of both fit");

/* A file as an entry has it, of either format. */
struct fat_file {
    uint64_t at, size;
    uint32_t first;
    int64_t modified;
    bool deleted;
};

struct fat_walk {
    struct leftover *walk;
    const struct geometry *volume;
    struct fat_name long_name;
    struct exfat_set set, ended;
    uint64_t set_at, next; /* where the set's stream lies; the sector that goes on */
    char name[FAT_NAME_MAX];
};

/* What the table says of a cluster; 0: nothing. */
static uint32_t fat_table(const struct fat_walk *fat, uint64_t cluster)
{
    const struct geometry *volume = fat->volume;
    const uint64_t at = cluster * volume->fat_bits / 8;
    uint8_t bytes[4] = { 0 };
    const uint32_t len = volume->fat_bits == 32 ? 4 : 2;

    if (volume->fat_bits == 0 || at + len > volume->fat_bytes ||
        !leftover_read(fat->walk, volume->fat_at + at, bytes, len))
        return 0;
    const uint32_t value = bytes_u32le(bytes);
    if (volume->fat_bits == 12)
        return cluster % 2 == 0 ? value & 0xfff : value >> 4;
    return volume->kind == GEOMETRY_FAT ? value & 0x0fffffff : value;
}

/* The value ends a chain: it is above all numbers of clusters. */
static bool fat_chain_ends(const struct geometry *volume, uint32_t value)
{
    const uint32_t ones = volume->fat_bits == 12           ? 0xff8
                          : volume->fat_bits == 16         ? 0xfff8
                          : volume->kind == GEOMETRY_EXFAT ? UINT32_C(0xfffffff8)
                                                           : 0x0ffffff8;

    return value >= ones;
}

/* Adds the clusters of a file to the layout; false: the table has no chain of so many. */
static bool fat_chain(struct fat_walk *fat, const struct fat_file *file)
{
    struct tell *tell = &fat->walk->tell;
    const uint64_t unit = fat->volume->unit, count = (file->size + unit - 1) / unit;
    uint64_t cluster = file->first;

    for (uint64_t i = 0; i < count && !tell->broken; i++) {
        tell_clusters(tell, fat->volume, cluster, 1);
        const uint32_t next = fat_table(fat, cluster);
        if (i + 1 == count || fat_chain_ends(fat->volume, next))
            return i + 1 == count && fat_chain_ends(fat->volume, next) && !tell->broken;
        cluster = next;
    }
    return false;
}

static void fat_tell(struct fat_walk *fat, const struct fat_file *file)
{
    const struct geometry *volume = fat->volume;
    const bool exfat = volume->kind == GEOMETRY_EXFAT;
    struct leftover *walk = fat->walk;
    struct io_layout layout = { .source = exfat ? IO_LAYOUT_EXFAT_ENTRY : IO_LAYOUT_FAT_ENTRY,
                                .size = file->size,
                                .path = fat->name,
                                .modified = file->modified,
                                .at = file->at };
    char text[TELL_TEXT_MAX];
    uint64_t offset = 0;

    if (file->size <= volume->unit || file->size > volume->units * volume->unit ||
        !geometry_place(volume, file->first, 1, &offset))
        return;
    snprintf(text, sizeof text, "%sentry of a folder at %" PRIu64, file->deleted ? "deleted " : "",
             file->at);
    layout.text = text;
    tell_begin(&walk->tell);
    const bool whole = fat_chain(fat, file);
    if (whole) {
        layout.in_use = !file->deleted;
        walk->rc = tell_layout(&walk->tell, &layout, volume, walk->err);
    }
    /* The chain of a deleted file may be that of another one, which has its clusters now. */
    if (walk->rc != ERR_OK || (whole && !file->deleted))
        return;
    layout.in_use = false;
    layout.open_end = true;
    tell_begin(&walk->tell);
    tell_clusters(&walk->tell, volume, file->first, 1);
    walk->rc = tell_layout(&walk->tell, &layout, volume, walk->err);
}

static void fat_sector(struct fat_walk *fat, uint64_t at)
{
    uint8_t sector[LIMIT_SECTOR];
    struct fat_entry entry;

    if (at != fat->next)
        fat->long_name.parts = 0;
    fat->next = at + LIMIT_SECTOR;
    if (!leftover_read(fat->walk, at, sector, sizeof sector))
        return;
    for (uint32_t i = 0; i < LIMIT_SECTOR && fat->walk->rc == ERR_OK; i += FAT_ENTRY_BYTES)
        if (fat_entry_read(sector + i, &fat->long_name, &entry, fat->name) && !entry.folder)
            fat_tell(fat, &(struct fat_file){ .at = at + i,
                                              .size = entry.size,
                                              .first = fat->volume->fat_bits != 0 &&
                                                               fat->volume->fat_bits < 32
                                                           ? entry.first & 0xffff
                                                           : entry.first,
                                              .modified = entry.modified,
                                              .deleted = entry.deleted });
}

/* Takes the next entry, or the end of all; a set that has ended is told. */
static void fat_exfat_entry(struct fat_walk *fat, const uint8_t *entry, uint64_t at)
{
    const struct exfat_set *set = &fat->ended;
    const bool before = fat->set.stream;
    const uint64_t set_at = fat->set_at;

    const bool ended = exfat_entry_take(entry, &fat->set, &fat->ended);
    if (fat->set.stream && (ended || !before))
        fat->set_at = at;
    if (!ended || set->folder || !set->chained || set->valid != set->size)
        return;
    names_utf8(set->units, set->unit_count, fat->name);
    fat_tell(fat, &(struct fat_file){ .at = set_at,
                                      .size = set->size,
                                      .first = set->first,
                                      .modified = set->modified,
                                      .deleted = set->deleted });
}

static void fat_exfat_sector(struct fat_walk *fat, uint64_t at)
{
    uint8_t sector[LIMIT_SECTOR];

    if (at != fat->next)
        fat_exfat_entry(fat, NULL, 0);
    fat->next = at + LIMIT_SECTOR;
    if (!leftover_read(fat->walk, at, sector, sizeof sector))
        return;
    for (uint32_t i = 0; i < LIMIT_SECTOR && fat->walk->rc == ERR_OK; i += EXFAT_ENTRY_BYTES)
        fat_exfat_entry(fat, sector + i, at + i);
}

/* Tells the cluster of a folder that this sector lies in. */
static void fat_folder(const struct fat_walk *fat, uint64_t at)
{
    const struct io_leftover_hint *hint = fat->walk->hint;
    const uint64_t unit = fat->volume->unit; /* a power of two: the difference may wrap */
    const uint64_t back = (at - fat->volume->unit_at) % unit;

    if (hint->folder != NULL && back <= at && unit <= fat->walk->size - (at - back))
        fat->walk->rc =
            hint->folder(hint->folder_arg, (struct io_range){ at - back, unit }, fat->walk->err);
}

static void fat_volume(struct fat_walk *fat)
{
    const bool exfat = fat->volume->kind == GEOMETRY_EXFAT;
    const enum leftover_spot kind = exfat ? LEFTOVER_SPOT_EXFAT : LEFTOVER_SPOT_FAT;
    const struct leftover_spots *spots = &fat->walk->spots[kind];

    fat->next = UINT64_MAX;
    fat->set = (struct exfat_set){ 0 };
    for (uint32_t i = 0; leftover_has_spot(fat->walk, kind, i); i++)
        if (leftover_volume(fat->walk, fat->volume->kind, spots->at[i]) == fat->volume) {
            fat_folder(fat, spots->at[i]);
            if (exfat)
                fat_exfat_sector(fat, spots->at[i]);
            else
                fat_sector(fat, spots->at[i]);
        }
    if (exfat && fat->walk->rc == ERR_OK)
        fat_exfat_entry(fat, NULL, 0);
}

void leftover_fat(struct leftover *walk)
{
    struct fat_walk *fat = calloc(1, sizeof *fat);

    if (fat == NULL) {
        walk->rc = ERR_NO_MEMORY(walk->err, sizeof *fat);
        return;
    }
    fat->walk = walk;
    for (uint32_t i = 0; i < walk->volume_count && walk->rc == ERR_OK; i++) {
        fat->volume = &walk->volumes[i];
        if (fat->volume->kind == GEOMETRY_FAT || fat->volume->kind == GEOMETRY_EXFAT)
            fat_volume(fat);
    }
    free(fat);
}
