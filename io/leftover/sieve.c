/* io/leftover/sieve.c - see sieve.h. */
#include "io/leftover/sieve.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/leftover/exfat_entry.h"
#include "io/leftover/extent_node.h"
#include "io/leftover/fat_entry.h"
#include "io/leftover/geometry.h"

enum {
    SIEVE_BLOCK_MIN = 1024, /* bytes: the smallest block of ext2 */
    SIEVE_INODE_STEP = 128, /* bytes: inodes lie at multiples of it */
    SIEVE_JOURNAL_DESCRIPTOR = 1,
};

#define SIEVE_JOURNAL_MAGIC UINT32_C(0xc03b3998) /* big endian, as all of a journal */

/* Numbers of blocks, all different from the one before them, and zeros behind them. */
static bool sieve_list(const uint8_t *sector, uint64_t blocks)
{
    const uint32_t first = bytes_u32le(sector);
    uint32_t last = 0, at = 0;

    if (first == 0 || first >= blocks)
        return false;
    for (; at < LIMIT_SECTOR; at += 4) {
        const uint32_t entry = bytes_u32le(sector + at);

        if (entry == 0)
            break;
        if (entry >= blocks || entry == last)
            return false;
        last = entry;
    }
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

void leftover_sieve(const uint8_t *bytes, size_t len, uint64_t offset, uint64_t size,
                    leftover_spot_fn found, void *arg)
{
    const uint64_t blocks = size / SIEVE_BLOCK_MIN;

    for (size_t i = 0; len - i >= LIMIT_SECTOR; i += LIMIT_SECTOR) {
        const uint8_t *sector = bytes + i;
        const uint64_t at = offset + i;
        const uint32_t word = bytes_u32le(sector);

        if (geometry_may(sector))
            found(arg, LEFTOVER_SPOT_VOLUME, at);
        if (word == UINT32_C(0x454c4946)) /* "FILE" */
            found(arg, LEFTOVER_SPOT_RECORD, at);
        if ((word & 0xffff) == EXTENT_MAGIC)
            found(arg, LEFTOVER_SPOT_NODE, at);
        if (word != 0 && word < blocks && sieve_list(sector, blocks))
            found(arg, LEFTOVER_SPOT_LIST, at);
        if (bytes_u32be(sector) == SIEVE_JOURNAL_MAGIC &&
            bytes_u32be(sector + 4) == SIEVE_JOURNAL_DESCRIPTOR)
            found(arg, LEFTOVER_SPOT_JOURNAL, at);
        if (leftover_sieve_inodes(sector))
            found(arg, LEFTOVER_SPOT_INODE, at);
        if (fat_entries_may(sector))
            found(arg, LEFTOVER_SPOT_FAT, at);
        if (exfat_entries_may(sector))
            found(arg, LEFTOVER_SPOT_EXFAT, at);
    }
}
