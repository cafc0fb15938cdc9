/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/romfs.c - romfs: small file systems of firmware and of installers.
 *
 *   "-rom1fs-" | u32be bytes | sum of the first 512 bytes, which makes it 0 | name, NULs up to 16
 *   files: u32be place of the next, kind in its last 4 bits | information | bytes | sum of the head
 * and the name | name, NULs up to 16 | data
 *
 * What is behind the last file up to a multiple of 1024 bytes is zeros and belongs to the image.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ROMFS_HEAD = 16,
    ROMFS_SUMMED = 512,
    ROMFS_NAME_MAX = 256,
    ROMFS_UNIT = 1024,
    ROMFS_FILES_MAX = 65536
};

struct romfs_state {
    uint64_t at; /* the next file of the root; 0: not begun */
    uint32_t files;
};

static uint32_t romfs_sum(const uint8_t *p, uint32_t len)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < len; i += 4)
        sum += bytes_u32be(p + i);
    return sum;
}

/* The head of the file at state->at: its sum; state->at moves to the next, 0 behind the last. */
static enum step romfs_file(struct sig_input *in, struct romfs_state *state, uint64_t bytes)
{
    uint32_t len = ROMFS_HEAD;
    const uint8_t *p = NULL;

    do {
        len += 16;
        p = sig_bytes(in, state->at, len);
        if (p == NULL)
            return STEP_WAIT;
    } while (memchr(p + ROMFS_HEAD, 0, len - ROMFS_HEAD) == NULL && len < ROMFS_NAME_MAX);
    const uint64_t next = bytes_u32be(p) & ~15u, data = state->at + len + bytes_u32be(p + 8);
    if (romfs_sum(p, len) != 0 || (next != 0 && next <= state->at) || next >= bytes || data > bytes)
        return STEP_BAD;
    sig_valid(in, data);
    state->at = next;
    return ++state->files > ROMFS_FILES_MAX ? STEP_BAD : STEP_DONE;
}

/* Zeros up to a multiple of 1024 bytes belong to it. */
static enum step romfs_padding(struct sig_input *in, uint64_t bytes, uint64_t *end)
{
    const uint64_t up = (bytes + ROMFS_UNIT - 1) / ROMFS_UNIT * ROMFS_UNIT;

    *end = bytes;
    if (up == bytes)
        return STEP_DONE;
    const uint8_t *p = sig_bytes(in, bytes, (uint32_t)(up - bytes));
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < up - bytes; i++)
        if (p[i] != 0)
            return STEP_DONE;
    *end = up;
    return STEP_DONE;
}

static struct sig_result romfs_check(struct sig_input *in, void *memory)
{
    struct romfs_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ROMFS_SUMMED);
    uint64_t end;

    if (p == NULL)
        return sig_short(in);
    const uint64_t bytes = bytes_u32be(p + 8);
    const uint8_t *name_end = memchr(p + ROMFS_HEAD, 0, ROMFS_NAME_MAX);
    if (bytes < ROMFS_SUMMED || bytes % 16 != 0 || romfs_sum(p, ROMFS_SUMMED) != 0 ||
        name_end == NULL)
        return sig_reject("wrong sum of the head");
    if (state->files == 0)
        state->at = ((uint64_t)(name_end - p) + 16) & ~UINT64_C(15);
    while (state->at != 0) {
        const enum step step = romfs_file(in, state, bytes);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "wrong sum of a file's head");
    }
    if (sig_bytes(in, bytes - 1, 1) == NULL || romfs_padding(in, bytes, &end) == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, end, "sums of the head and of the files of the root");
}

const struct sig sig_romfs = {
    .name = "romfs",
    .what = "romfs, a small file system of firmware",
    .proves = "the sum of the head, and of the head of every file of the root; data are not read",
    .source = "Linux, Documentation/filesystems/romfs.rst",
    .types = (const struct sig_type[]){ { "romfs", "romfs" }, { 0 } },
    .headers = { SIG_PATTERN("-rom1fs-") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = ROMFS_SUMMED,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct romfs_state),
    .check = romfs_check,
};
