/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/mft.c - the master file table of NTFS: a run of file records.
 *
 *   "FILE" | place and number of the update sequence | sequence | links | place of the attributes |
 * flags | used | allocated size the update sequence's number stands in the last two bytes of each
 * 512-byte sector
 *
 * Records know their own numbers but not how many there are: a run ends where no record stands. The
 * table of a volume is often in several pieces: each is found as a run of its own.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    MFT_HEAD = 48,
    MFT_SECTOR = 512, /* the format's own unit, whatever the disk's */
    MFT_RECORD_MAX = 4096,
    MFT_RUN_MIN = 4, /* records; a few alone are found in slack and in page files */
};

struct mft_state {
    uint64_t at;
};

/* A record of size bytes at p. */
static bool mft_record_ok(const uint8_t *p, uint32_t size)
{
    const uint32_t update = bytes_u16le(p + 4), count = bytes_u16le(p + 6),
                   attributes = bytes_u16le(p + 20);
    const uint32_t used = bytes_u32le(p + 24), allocated = bytes_u32le(p + 28);

    if ((memcmp(p, "FILE", 4) != 0 && memcmp(p, "BAAD", 4) != 0) ||
        (update != 42 && update != 48) || count != size / MFT_SECTOR + 1 ||
        attributes < update + 2 * count || attributes >= used || used > allocated ||
        allocated != size || bytes_u16le(p + 22) > 15)
        return false;
    for (uint32_t i = MFT_SECTOR; i <= size; i += MFT_SECTOR)
        if (memcmp(p + i - 2, p + update, 2) != 0)
            return false;
    return true;
}

static struct sig_result mft_check(struct sig_input *in, void *memory)
{
    struct mft_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MFT_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t size = bytes_u32le(p + 28);
    if (size != 1024 && size != MFT_RECORD_MAX)
        return sig_reject("unknown size of the records");
    for (;; state->at += size) {
        p = sig_bytes(in, state->at, size);
        if (p == NULL && in->wanted <= in->limit)
            return sig_short(in);
        if (p == NULL || !mft_record_ok(p, size))
            break;
        if (state->at >= (MFT_RUN_MIN - 1) * size)
            sig_valid(in, state->at + size);
    }
    if (state->at < MFT_RUN_MIN * size)
        return sig_reject("there is no run of valid records");
    return sig_complete(in, state->at, "the update sequence of every record is right");
}

const struct sig sig_mft = {
    .name = "mft",
    .what = "master file table of NTFS, a run of records",
    .proves = "every record's update sequence is in all of its sectors",
    .source = "Linux-NTFS project, NTFS Documentation: FILE Record",
    .types = (const struct sig_type[]){ { "mft", "mft" }, { 0 } },
    .headers = { SIG_PATTERN("FILE\x30\0\3\0"), SIG_PATTERN("FILE\x2a\0\3\0"),
                 SIG_PATTERN("FILE\x30\0\x09\0") },
    /* Small files lie inside of its records. Off, for every NTFS volume has one and its mirror in
       place: they are the file system's own. */
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM | SIG_CONTAINER | SIG_OFF,
    .size_min = MFT_RUN_MIN * 1024,
    .size_max = UINT64_C(1) << 40,
    .state_size = sizeof(struct mft_state),
    .check = mft_check,
};
