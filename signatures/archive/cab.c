/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/cab.c - Microsoft cabinets.
 *
 *   "MSCF" 0 | u32le size 0 | u32le place of the files 0 | 03 01 version | u16le folders | u16le
 *   files | flags | set, number
 *   [sizes of reserves | reserve] [names of the cabinet before and of the next one]
 *   folders: u32le place of the first block | u16le blocks | u16le method [| reserve]
 *   files:   u32le size | u32le offset in the folder | u16le folder | date, time, attributes | name
 *            NUL
 *   blocks:  u32le checksum | u16le packed size | u16le plain size [| reserve] | data
 *
 * Everything is walked: the blocks of every folder have to stand inside of the size of the cabinet,
 * with checksums that are right (an exclusive or of words: as fast as memory). A signature may
 * follow the cabinet, its size is in the reserve.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CAB_HEAD = 36,
    CAB_FOLDER = 8,
    CAB_FILE = 16,
    CAB_BLOCK = 8,
    CAB_NAME_MAX = 256,
    CAB_PACKED_MAX = 32768 + 6144,
    CAB_PLAIN_MAX = 32768,
    CAB_HAS_PREVIOUS = 1 << 0,
    CAB_HAS_NEXT = 1 << 1,
    CAB_HAS_RESERVE = 1 << 2,
    CAB_SIGNED_RESERVE = 20,
    CAB_SIGNED = 0x00100000,
    CAB_SPLIT_FOLDER =
        0xfffd, /* this one and those above: the file comes from or goes on in another cabinet */
};

struct cab_head {
    uint32_t size, files_at, folders, files, flags, folder_reserve, block_reserve;
    uint64_t folders_at, end;
};

struct cab_state {
    uint64_t at;    /* object offset of the next file entry, then of the next block; 0: not begun */
    uint64_t last;  /* where the blocks met so far end */
    uint32_t files; /* met */
    uint32_t folder;      /* whose blocks are being walked */
    uint32_t blocks_left; /* in it */
    bool in_folder;
};

/* Steps *at over a name and its NUL. */
static enum step cab_name(struct sig_input *in, uint64_t *at, uint64_t limit)
{
    for (uint32_t i = 0; i < CAB_NAME_MAX && *at < limit; i++) {
        const uint8_t *c = sig_bytes(in, (*at)++, 1);

        if (c == NULL)
            return STEP_WAIT;
        if (c[0] == 0)
            return STEP_DONE;
        if (c[0] < ' ')
            return STEP_BAD;
    }
    return STEP_BAD;
}

/* What stands between the header and the folders. */
static enum step cab_options(struct sig_input *in, struct cab_head *head)
{
    uint64_t at = CAB_HEAD;

    if (head->flags & CAB_HAS_RESERVE) {
        const uint8_t *sizes = sig_bytes(in, at, 4);
        if (sizes == NULL)
            return STEP_WAIT;
        const uint32_t reserve = bytes_u16le(sizes);
        head->folder_reserve = sizes[2];
        head->block_reserve = sizes[3];
        at += 4;
        if (reserve == CAB_SIGNED_RESERVE) {
            const uint8_t *bytes = sig_bytes(in, at, CAB_SIGNED_RESERVE);
            if (bytes == NULL)
                return STEP_WAIT;
            if (bytes_u32le(bytes) == CAB_SIGNED && bytes_u32le(bytes + 4) == head->size)
                head->end += bytes_u32le(bytes + 8);
        }
        at += reserve;
    }
    const uint32_t names = (head->flags & CAB_HAS_PREVIOUS ? 2u : 0u) +
                           (head->flags & CAB_HAS_NEXT ? 2u : 0u); /* cabinet and disk */
    for (uint32_t i = 0; i < names; i++) {
        const enum step step = cab_name(in, &at, head->files_at);
        if (step != STEP_DONE)
            return step;
    }
    head->folders_at = at;
    return STEP_DONE;
}

static enum step cab_head(struct sig_input *in, struct cab_head *head)
{
    const uint8_t *bytes = sig_bytes(in, 0, CAB_HEAD);

    if (bytes == NULL)
        return STEP_WAIT;
    *head = (struct cab_head){ .size = bytes_u32le(bytes + 8),
                               .files_at = bytes_u32le(bytes + 16),
                               .folders = bytes_u16le(bytes + 26),
                               .files = bytes_u16le(bytes + 28),
                               .flags = bytes_u16le(bytes + 30),
                               .end = bytes_u32le(bytes + 8) };
    if (bytes_u32le(bytes + 4) != 0 || bytes_u32le(bytes + 12) != 0 ||
        bytes_u32le(bytes + 20) != 0 || bytes[25] != 1 || bytes[24] > 3 || head->flags > 7 ||
        head->folders == 0 || head->files == 0)
        return STEP_BAD;
    const enum step step = cab_options(in, head);
    if (step != STEP_DONE)
        return step;
    const uint64_t folders_end =
        head->folders_at + (uint64_t)head->folders * (CAB_FOLDER + head->folder_reserve);
    return head->files_at >= folders_end &&
                   head->files_at + (uint64_t)head->files * (CAB_FILE + 2) <= head->size
               ? STEP_DONE
               : STEP_BAD;
}

static enum step cab_files(struct sig_input *in, const struct cab_head *head,
                           struct cab_state *state)
{
    if (state->at == 0)
        state->at = head->files_at;
    while (state->files < head->files) {
        const uint8_t *file = sig_bytes(in, state->at, CAB_FILE);
        uint64_t at = state->at + CAB_FILE;

        if (file == NULL)
            return STEP_WAIT;
        if (bytes_u16le(file + 8) >= head->folders && bytes_u16le(file + 8) < CAB_SPLIT_FOLDER)
            return STEP_BAD;
        const enum step step = cab_name(in, &at, head->size);
        if (step != STEP_DONE)
            return step;
        state->at = at;
        state->files++;
    }
    return STEP_DONE;
}

static uint32_t cab_checksum(const uint8_t *bytes, uint32_t len)
{
    uint32_t sum = 0, rest = 0, i = 0;

    for (; len - i >= 4; i += 4)
        sum ^= bytes_u32le(bytes + i);
    for (; i < len; i++)
        rest = rest << 8 | bytes[i];
    return sum ^ rest;
}

static enum step cab_folder(struct sig_input *in, const struct cab_head *head,
                            struct cab_state *state)
{
    const uint8_t *folder = sig_bytes(
        in, head->folders_at + (uint64_t)state->folder * (CAB_FOLDER + head->folder_reserve),
        CAB_FOLDER);

    if (folder == NULL)
        return STEP_WAIT;
    const uint32_t method = bytes_u16le(folder + 6) & 0xf;
    const uint64_t from = bytes_u32le(folder);
    if (method > 3 || from < (state->last == 0 ? state->at : state->last) || from > head->size)
        return STEP_BAD;
    state->at = from;
    state->blocks_left = bytes_u16le(folder + 4);
    state->in_folder = true;
    return STEP_DONE;
}

static enum step cab_block(struct sig_input *in, const struct cab_head *head,
                           struct cab_state *state)
{
    const uint8_t *block = sig_bytes(in, state->at, CAB_BLOCK);

    if (block == NULL)
        return STEP_WAIT;
    const uint32_t told = bytes_u32le(block), len = bytes_u16le(block + 4),
                   sizes = bytes_u32le(block + 4);
    const uint64_t data = state->at + CAB_BLOCK + head->block_reserve;
    if (len == 0 || len > CAB_PACKED_MAX || sizes >> 16 > CAB_PLAIN_MAX || data + len > head->size)
        return STEP_BAD;
    if (told != 0 && head->block_reserve == 0) {
        const uint8_t *bytes = sig_bytes(in, data, len);

        if (bytes == NULL)
            return STEP_WAIT;
        if ((cab_checksum(bytes, len) ^ sizes) != told)
            return STEP_BAD;
    } else
        sig_open(in, state->at, data + len);
    state->at = data + len;
    state->last = state->at;
    state->blocks_left--;
    sig_valid(in, state->at);
    return STEP_DONE;
}

static enum step cab_blocks(struct sig_input *in, const struct cab_head *head,
                            struct cab_state *state)
{
    while (state->folder < head->folders) {
        enum step step = state->in_folder ? STEP_DONE : cab_folder(in, head, state);

        while (step == STEP_DONE && state->blocks_left > 0)
            step = cab_block(in, head, state);
        if (step != STEP_DONE)
            return step;
        state->in_folder = false;
        state->folder++;
    }
    return STEP_DONE;
}

static struct sig_result cab_check(struct sig_input *in, void *memory)
{
    struct cab_state *state = memory;
    struct cab_head head;
    enum step step = cab_head(in, &head);

    if (step == STEP_BAD)
        return sig_reject("invalid header");
    if (step == STEP_DONE && state->last == 0 && !state->in_folder)
        step = cab_files(in, &head, state);
    if (step == STEP_BAD)
        return sig_reject("invalid file entry");
    if (step == STEP_DONE)
        step = cab_blocks(in, &head, state);
    if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid block, or its checksum is wrong");
    return sig_complete(in, head.end, "the checksum of every block is right");
}

const struct sig sig_cab = {
    .name = "cab",
    .what = "Microsoft cabinet",
    .proves = "files and folders read; every block lies inside and has its checksum",
    .source = "Microsoft, [MS-CAB] Cabinet File Format, sections 2 and 3.1",
    .types = (const struct sig_type[]){ { "cab", "cab" }, { 0 } },
    .headers = { SIG_PATTERN("MSCF\0\0\0\0") },
    .flags = SIG_CONTAINER,
    .size_min = CAB_HEAD + CAB_FOLDER + CAB_FILE,
    .size_max = UINT64_C(1) << 32,
    .seam = SIG_SEAM_UNIT,
    .state_size = sizeof(struct cab_state),
    .check = cab_check,
};
