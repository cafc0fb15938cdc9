/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_fat_entry.c - folders of FAT and exFAT, and boot sectors, of any bytes.
 *
 * Found: crashes, names without an end, sets without a file, clusters outside of a volume.
 */
#include <stdlib.h>
#include <string.h>

#include "io/leftover/exfat_entry.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/geometry.h"
#include "io/leftover/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

static void fuzz_geometry(const uint8_t *sector)
{
    const uint64_t at = UINT64_C(1) << 40;
    struct geometry readings[GEOMETRY_READINGS];
    const uint32_t count = geometry_read(sector, at, readings);

    must(count <= GEOMETRY_READINGS && (count == 0 || geometry_may(sector)));
    for (uint32_t i = 0; i < count; i++) {
        const struct geometry *volume = &readings[i];
        uint64_t offset = 0;

        must(volume->unit >= 512 && (volume->unit & (volume->unit - 1)) == 0 &&
             volume->base <= at && volume->units > 0);
        must(!geometry_place(volume, volume->first + volume->units, 1, &offset));
        must(!geometry_place(volume, volume->first, volume->units + 1, &offset));
        if (geometry_place(volume, volume->first, 1, &offset))
            must(offset == volume->unit_at);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fat_name so_far = { .parts = 0 };
    struct fat_entry entry;
    struct exfat_set now = { 0 }, out;
    char name[FAT_NAME_MAX], other[EXFAT_NAME_MAX];

    for (size_t at = 0; size - at >= 512; at += 512) {
        (void)fat_entries_may(data + at);
        (void)exfat_entries_may(data + at);
        fuzz_geometry(data + at);
    }
    for (size_t at = 0; size - at >= FAT_ENTRY_BYTES; at += FAT_ENTRY_BYTES) {
        memset(name, 1, sizeof name);
        if (fat_entry_read(data + at, &so_far, &entry, name))
            must(memchr(name, 0, sizeof name) != NULL);
        if (exfat_entry_take(data + at, &now, &out)) {
            must(out.stream && out.unit_count <= EXFAT_NAME_UNITS && out.first >= 2);
            memset(other, 1, sizeof other);
            names_utf8(out.units, out.unit_count, other);
            must(memchr(other, 0, sizeof other) != NULL);
        }
    }
    (void)exfat_entry_take(NULL, &now, &out);
    return 0;
}
