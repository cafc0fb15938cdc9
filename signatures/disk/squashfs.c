/* SPDX-License-Identifier: Apache-2.0
 * signatures/disk/squashfs.c - SquashFS 4 images.
 *
 *   superblock, 96 bytes: "hsqs" | inodes | time | block size | fragments | compressor 1-6 | log2
 * of the block size | flags | ids | 4, 0 | root inode | bytes used | tables: ids, attributes,
 * inodes, directories, fragments, exports data and fragments | inodes | directories | fragments |
 * exports | ids | attributes
 *
 * Tables are made of blocks that begin with their sizes; those of the inodes have to lead exactly
 * to the directories, and the index of ids, or of attributes, to the end. mksquashfs fills up to
 * 4096 with zeros, which are taken when they are all there. The data in front have no checksums.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    SQUASHFS_HEAD = 96,
    SQUASHFS_FILL = 4096,
    SQUASHFS_META = 8192, /* bytes of a block of a table, unpacked */
    SQUASHFS_IDS_A_BLOCK = SQUASHFS_META / 4,
    SQUASHFS_PLAIN = 0x8000, /* of a block's size: it is not packed */
    SQUASHFS_BLOCK_LOG_MIN = 12,
    SQUASHFS_BLOCK_LOG_MAX = 20,
};

struct squashfs_head {
    uint32_t ids;
    uint64_t used, id_table, attributes, inodes, directories;
};

struct squashfs_state {
    uint64_t at; /* object offset of the next block of the inodes; 0: not begun */
    bool walked;
};

static bool squashfs_head(const uint8_t *bytes, struct squashfs_head *head)
{
    const uint32_t log = bytes_u16le(bytes + 22);
    const uint64_t fragments = bytes_u64le(bytes + 80), exports = bytes_u64le(bytes + 88);

    *head = (struct squashfs_head){ .ids = bytes_u16le(bytes + 26),
                                    .used = bytes_u64le(bytes + 40),
                                    .id_table = bytes_u64le(bytes + 48),
                                    .attributes = bytes_u64le(bytes + 56),
                                    .inodes = bytes_u64le(bytes + 64),
                                    .directories = bytes_u64le(bytes + 72) };
    return log >= SQUASHFS_BLOCK_LOG_MIN && log <= SQUASHFS_BLOCK_LOG_MAX &&
           bytes_u32le(bytes + 12) == 1u << log && bytes_u16le(bytes + 20) >= 1 &&
           bytes_u16le(bytes + 20) <= 6 && bytes_u32le(bytes + 4) > 0 && head->ids > 0 &&
           bytes_u16le(bytes + 28) == 4 && bytes_u16le(bytes + 30) == 0 &&
           head->inodes >= SQUASHFS_HEAD && head->directories > head->inodes &&
           head->id_table > head->directories && head->used > head->id_table &&
           (fragments == UINT64_MAX ||
            (fragments >= head->directories && fragments < head->used)) &&
           (exports == UINT64_MAX || (exports >= head->directories && exports < head->used)) &&
           (head->attributes == UINT64_MAX ||
            (head->attributes > head->id_table && head->attributes < head->used));
}

/* Where the block of a table at `at` ends; 0: it cannot be one. */
static uint64_t squashfs_block_end(const uint8_t *head, uint64_t at)
{
    const uint32_t size = bytes_u16le(head) & (SQUASHFS_PLAIN - 1);

    return size == 0 || size > SQUASHFS_META ? 0 : at + 2 + size;
}

static enum step squashfs_inodes(struct sig_input *in, const struct squashfs_head *head,
                                 struct squashfs_state *state)
{
    if (state->at == 0)
        state->at = head->inodes;
    while (state->at < head->directories) {
        const uint8_t *block = sig_bytes(in, state->at, 2);

        if (block == NULL)
            return STEP_WAIT;
        state->at = squashfs_block_end(block, state->at);
        if (state->at == 0)
            return STEP_BAD;
    }
    return state->at == head->directories ? STEP_DONE : STEP_BAD;
}

/* The index of the ids, or, behind it, of the attributes: places of blocks before it. Its end is
 * that of what is used. */
static enum step squashfs_index(struct sig_input *in, const struct squashfs_head *head)
{
    uint64_t index = head->id_table,
             blocks = (head->ids + SQUASHFS_IDS_A_BLOCK - 1) / SQUASHFS_IDS_A_BLOCK;

    for (uint64_t i = 0; i < blocks; i++) {
        const uint8_t *place = sig_bytes(in, index + 8 * i, 8);

        if (place == NULL)
            return STEP_WAIT;
        const uint64_t at = bytes_u64le(place);
        if (at < head->directories || at + 3 > index)
            return STEP_BAD;
        const uint8_t *block = sig_bytes(in, at, 2);
        if (block == NULL)
            return STEP_WAIT;
        const uint64_t end = squashfs_block_end(block, at);
        if (end == 0 || end > index || (i == blocks - 1 && end != index))
            return STEP_BAD;
    }
    if (head->attributes == UINT64_MAX)
        return index + 8 * blocks == head->used ? STEP_DONE : STEP_BAD;
    const uint8_t *table = sig_bytes(in, head->attributes, 16);
    if (table == NULL)
        return STEP_WAIT;
    blocks = (bytes_u32le(table + 8) * UINT64_C(16) + SQUASHFS_META - 1) / SQUASHFS_META;
    return head->attributes + 16 + 8 * blocks == head->used ? STEP_DONE : STEP_BAD;
}

static struct sig_result squashfs_end(struct sig_input *in, uint64_t used)
{
    const uint64_t full = (used + SQUASHFS_FILL - 1) / SQUASHFS_FILL * SQUASHFS_FILL;
    const uint32_t fill = (uint32_t)(full - used);
    const uint8_t *zeros = fill == 0 ? NULL : sig_bytes(in, used, fill);
    bool filled = true;

    if (zeros == NULL && fill > 0 && in->wanted <= in->limit)
        return sig_short(in);
    const uint32_t look = zeros != NULL      ? fill
                          : in->limit > used ? (uint32_t)(in->limit - used)
                                             : 0;
    if (zeros == NULL && look > 0 && fill > 0 && (zeros = sig_bytes(in, used, look)) == NULL)
        return sig_short(in);
    for (uint32_t i = 0; i < look && fill > 0; i++)
        filled &= zeros[i] == 0;
    if (filled && fill > 0 && look > 0 && look < fill)
        return sig_breaks(in, "the image ends before the file does");
    return sig_complete(in, filled && look == fill ? full : used, "the tables are in place");
}

static struct sig_result squashfs_check(struct sig_input *in, void *memory)
{
    struct squashfs_state *state = memory;
    struct squashfs_head head;
    const uint8_t *bytes = sig_bytes(in, 0, SQUASHFS_HEAD);

    if (bytes == NULL)
        return sig_short(in);
    if (!squashfs_head(bytes, &head))
        return sig_reject("invalid superblock");
    sig_valid(in, SQUASHFS_HEAD);
    enum step step = state->walked ? STEP_DONE : squashfs_inodes(in, &head, state);
    if (step == STEP_DONE) {
        state->walked = true;
        sig_valid(in, head.directories);
        step = squashfs_index(in, &head);
    }
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return in->valid > SQUASHFS_HEAD
                   ? sig_breaks(in, "the index of the ids is not where the header says")
                   : sig_reject("the inodes are not where the header says");
    sig_valid(in, head.used);
    return squashfs_end(in, head.used);
}

const struct sig sig_squashfs = {
    .name = "squashfs",
    .what = "SquashFS 4 image",
    .proves = "blocks of inodes lead to the directories; the index of ids or of attributes ends "
              "what is used",
    .source = "Linux 6.1, fs/squashfs/squashfs_fs.h and Documentation/filesystems/squashfs.rst",
    .types = (const struct sig_type[]){ { "squashfs", "squashfs" }, { 0 } },
    .headers = { SIG_PATTERN("hsqs") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = SQUASHFS_HEAD,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct squashfs_state),
    .check = squashfs_check,
};
