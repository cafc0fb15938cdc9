/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/sieve.c - see sieve.h. */
#include "io/leftover/sieve.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover.h"
#include "io/leftover/exfat_entry.h"
#include "io/leftover/extent_node.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/geometry.h"

enum {
    SIEVE_BLOCK_MIN = 1024, /* bytes: the smallest block of ext2 */
    SIEVE_INODE_STEP = 128, /* bytes: inodes lie at multiples of it */
    SIEVE_JOURNAL_DESCRIPTOR = 1,
    SIEVE_FEW = 8, /* one in so many numbers of a list is few */
};

#define SIEVE_FILE UINT32_C(0x454c4946)
#define SIEVE_INDX UINT32_C(0x58444e49)
#define SIEVE_JOURNAL_MAGIC UINT32_C(0xc03b3998) /* big endian, as all of a journal */

/*
 * Numbers of blocks, all different from the one before them, and zeros behind them. A file's blocks
 * follow each other as a rule, and of lists each lies behind the one before: tables of hashes and
 * of symbols, of which programs are full, do neither.
 */
static bool sieve_list(const uint8_t *sector, uint64_t blocks)
{
    const uint32_t first = bytes_u32le(sector);
    uint32_t last = 0, at = 0, steps = 0, back = 0;

    if (first == 0 || first >= blocks)
        return false;
    for (; at < LIMIT_SECTOR; at += 4) {
        const uint32_t entry = bytes_u32le(sector + at);

        if (entry == 0)
            break;
        if (entry >= blocks || entry == last)
            return false;
        steps += at > 0 && entry == last + 1;
        back += entry < last;
        last = entry;
    }
    const uint32_t count = at / 4;
    if (steps * SIEVE_FEW < count - 1 && (back - 1) * SIEVE_FEW >= count && back > 0)
        return false;
    for (; at < LIMIT_SECTOR; at += 4)
        if (bytes_u32le(sector + at) != 0)
            return false;
    return true;
}

bool leftover_sieve_inodes(const uint8_t *sector)
{
    for (uint32_t at = EXTENT_IN_INODE; at < LIMIT_SECTOR; at += SIEVE_INODE_STEP)
        if (bytes_u16le(sector + at) == EXTENT_MAGIC)
            return true;
    return false;
}

static uint8_t sieve_sector(const uint8_t *sector, uint64_t blocks)
{
    const uint32_t word = bytes_u32le(sector);
    unsigned kinds = 0;

    kinds |= (unsigned)geometry_may(sector) << LEFTOVER_SPOT_VOLUME;
    kinds |= (unsigned)(word == SIEVE_FILE || word == SIEVE_INDX) << LEFTOVER_SPOT_RECORD;
    kinds |= (unsigned)((word & 0xffff) == EXTENT_MAGIC) << LEFTOVER_SPOT_NODE;
    if (word != 0 && word < blocks)
        kinds |= (unsigned)sieve_list(sector, blocks) << LEFTOVER_SPOT_LIST;
    if (bytes_u32be(sector) == SIEVE_JOURNAL_MAGIC)
        kinds |= (unsigned)(bytes_u32be(sector + 4) == SIEVE_JOURNAL_DESCRIPTOR)
                 << LEFTOVER_SPOT_JOURNAL;
    kinds |= (unsigned)leftover_sieve_inodes(sector) << LEFTOVER_SPOT_INODE;
    kinds |= (unsigned)fat_entries_may(sector) << LEFTOVER_SPOT_FAT;
    kinds |= (unsigned)exfat_entries_may(sector) << LEFTOVER_SPOT_EXFAT;
    return (uint8_t)kinds;
}

void io_leftover_sieve(const uint8_t *bytes, size_t len, uint64_t image_size, uint8_t *marks)
{
    const uint64_t blocks = image_size / SIEVE_BLOCK_MIN;

    for (size_t i = 0; len - i * LIMIT_SECTOR >= LIMIT_SECTOR; i++)
        marks[i] = sieve_sector(bytes + i * LIMIT_SECTOR, blocks);
}
