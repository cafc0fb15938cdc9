/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/files.c - files that file systems in order describe. See leftover_impl.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "io/leftover/leftover_impl.h"

/* The volume that the place lies in. libtsk reads only those that a sector speaks of. */
static const struct geometry *files_volume(const struct leftover *walk, uint64_t at)
{
    static const enum geometry_kind kinds[] = { GEOMETRY_NTFS, GEOMETRY_EXT, GEOMETRY_FAT,
                                                GEOMETRY_EXFAT };

    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct geometry *volume = leftover_volume(walk, kinds[i], at);

        if (volume != NULL && !volume->guessed && (at - volume->unit_at) % volume->unit == 0)
            return volume;
    }
    return NULL;
}

void leftover_files(struct leftover *walk, const struct io_fsmap *map)
{
    const uint32_t count = io_fsmap_file_count(map);
    char text[TELL_TEXT_MAX];

    for (uint32_t i = 0; i < count && !leftover_ended(walk, i); i++) {
        const struct io_fsmap_file file = io_fsmap_file_get(map, i);
        const struct io_layout layout = { .source = IO_LAYOUT_FILE,
                                          .size = file.size,
                                          .unit = LIMIT_SECTOR,
                                          .area = { 0, walk->size },
                                          .in_use = !file.deleted,
                                          .path = file.path,
                                          .modified = file.modified,
                                          .text = text };

        snprintf(text, sizeof text, "%sfile %" PRIu64, file.deleted ? "deleted " : "", file.inode);
        tell_begin(&walk->tell);
        for (uint32_t k = 0; k < file.run_count && !walk->tell.broken; k++)
            tell_add(&walk->tell, file.runs[k].offset, file.runs[k].len);
        walk->rc =
            tell_layout(&walk->tell, &layout, files_volume(walk, file.runs[0].offset), walk->err);
    }
}
