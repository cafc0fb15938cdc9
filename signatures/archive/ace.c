/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/ace.c - ACE archives.
 *
 *   block: CRC-16 of what follows the size | size of what follows | type | flags | [with flag 1:
 * length of the data behind, 4, or 8 with flag 4] | ... | data first the archive's own: type 0,
 * "**ACE**" at 7; then files (1, 3) and recovery records (2, 4, 5) file: packed size | plain size |
 * time | attributes | CRC-32 of the plain data | method 4 | 2 | length of the name | name | comment
 *
 * The CRC-16 is the low half of a CRC-32 that is not inverted in the end. Blocks stand where the
 * data before them end, and nothing tells the last one: the archive ends where no block with its
 * checksum follows. Files that are stored have their CRC-32.
 */
#include <string.h>

#include <isa-l.h>

#include "base/bytes.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ACE_PROLOGUE = 4, /* CRC and size, which the CRC does not take */
    ACE_LOOK = 7,
    ACE_MAIN_MIN = 26, /* bytes behind the prologue */
    ACE_FILE_MIN = 31,
    ACE_HEAD_MAX = SIG_BYTES_MAX - ACE_PROLOGUE, /* a name and a comment are far shorter */
    ACE_HAS_DATA = 1 << 0,
    ACE_WIDE = 1 << 2,
    ACE_RATIO =
        40, /* data that unpack to more than so many times their size may look like anything */
    ACE_SPLIT = 3 << 12,
};

struct ace_block {
    uint64_t end, packed, plain; /* end: of the header */
    uint32_t type, flags, crc, method;
};

struct ace_state {
    uint64_t at;   /* the block being read, or of which data are */
    uint64_t data; /* how far they have been read; 0: not begun */
    uint64_t blocks;
    uint32_t crc;
    bool summed; /* the last file is stored and has its CRC */
    struct plausible plausible;
};

static uint16_t ace_crc16(const uint8_t *bytes, uint32_t len)
{
    return (uint16_t)~crc32_gzip_refl(0, bytes, len);
}

static enum step ace_block(struct sig_input *in, uint64_t at, struct ace_block *block)
{
    const uint8_t *head = sig_bytes(in, at, ACE_LOOK);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t crc = bytes_u16le(head), len = bytes_u16le(head + 2);
    *block = (struct ace_block){ .end = at + ACE_PROLOGUE + len,
                                 .type = head[4],
                                 .flags = bytes_u16le(head + 5) };
    const uint32_t wide = (block->flags & ACE_WIDE) != 0 ? 4 : 0;
    const bool file = block->type == 1 || block->type == 3;
    if (block->type > 5 || len > ACE_HEAD_MAX ||
        len < ((block->flags & ACE_HAS_DATA) != 0 ? 7 + wide : 3) ||
        (block->type == 0 && len < ACE_MAIN_MIN) || (file && len < ACE_FILE_MIN + 2 * wide) ||
        (file && (block->flags & ACE_HAS_DATA) == 0))
        return STEP_BAD;
    head = sig_bytes(in, at, ACE_PROLOGUE + len);
    if (head == NULL)
        return STEP_WAIT;
    if (ace_crc16(head + ACE_PROLOGUE, len) != crc)
        return STEP_BAD;
    if ((block->flags & ACE_HAS_DATA) != 0)
        block->packed = wide != 0 ? bytes_u64le(head + ACE_LOOK) : bytes_u32le(head + ACE_LOOK);
    if (!file)
        return STEP_DONE;
    head += ACE_LOOK + 4 + wide;
    block->plain = wide != 0 ? bytes_u64le(head) : bytes_u32le(head);
    head += 4 + wide;
    block->crc = bytes_u32le(head + 8);
    block->method = head[12];
    return ACE_FILE_MIN + 2 * wide + bytes_u16le(head + 18) <= len ? STEP_DONE : STEP_BAD;
}

/* The data of a file, as far as they can be checked. */
static enum step ace_data(struct sig_input *in, struct ace_state *state,
                          const struct ace_block *block, uint64_t end)
{
    const bool file = block->type == 1 || block->type == 3, split = (block->flags & ACE_SPLIT) != 0;

    if (state->data == 0) {
        state->data = block->end;
        state->crc = 0;
        state->plausible = (struct plausible){ 0 };
    }
    state->summed = file && block->method == 0 && !split && block->packed == block->plain;
    if (state->summed) {
        const enum step step = crc32_add(in, &state->data, end, &state->crc);

        if (state->data > block->end)
            sig_valid(in, state->data);
        if (step == STEP_WAIT)
            return STEP_WAIT;
        return (uint32_t)~state->crc == block->crc ? STEP_DONE : STEP_BAD;
    }
    if (!file || block->plain / ACE_RATIO > block->packed)
        return STEP_DONE;
    switch (plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, block->end, end)) {
    case STEP_DONE:
        return STEP_DONE;
    case STEP_WAIT:
        return STEP_WAIT;
    default:
        sig_valid(in, state->plausible.at);
        return STEP_BAD;
    }
}

static struct sig_result ace_short(struct sig_input *in)
{
    if (in->wanted > in->limit && in->valid > 0)
        sig_valid(in, in->limit);
    return sig_short(in);
}

static struct sig_result ace_end(const struct sig_input *in, const struct ace_state *state)
{
    if (state->blocks < 2)
        return sig_breaks(in, "there is no file behind the archive's header");
    if (state->summed)
        return sig_complete(in, state->at,
                            "the headers have their checksums, the last file its CRC");
    return sig_believe(in, state->at, "every header has its checksum, and no other follows");
}

static struct sig_result ace_check(struct sig_input *in, void *memory)
{
    struct ace_state *state = memory;

    for (;;) {
        struct ace_block block;
        enum step step = ace_block(in, state->at, &block);

        if (step == STEP_WAIT)
            return in->wanted > in->limit && sig_add(state->at, ACE_LOOK) > in->limit &&
                           state->blocks > 1
                       ? ace_end(in, state)
                       : ace_short(in);
        if (state->blocks == 0 && (step == STEP_BAD || block.type != 0))
            return sig_reject("wrong checksum or type of the archive's header");
        if (step == STEP_BAD || (state->blocks > 0 && block.type == 0))
            return ace_end(in, state);
        const uint64_t end = sig_add(block.end, block.packed);
        if (end > in->sig->size_max)
            return sig_breaks(in, "invalid size");
        sig_valid(in, block.end);
        step = ace_data(in, state, &block, end);
        if (step == STEP_BAD)
            return sig_breaks(in, state->summed ? "the CRC of a file is wrong"
                                                : "the data here do not look compressed");
        const uint8_t *last =
            step == STEP_DONE && end > block.end ? sig_bytes(in, end - 1, 1) : NULL;
        if (step == STEP_WAIT || (end > block.end && last == NULL))
            return ace_short(in);
        sig_valid(in, end);
        state->at = end;
        state->data = 0;
        state->blocks++;
    }
}

const struct sig sig_ace = {
    .name = "ace",
    .what = "ACE archive",
    .proves = "every header has its CRC-16 and leads to the next, stored files have their "
              "CRC-32; compressed ones look compressed",
    .source =
        "Marcel Lemke, Technical information of the archiver ACE v1.2; acefile 0.6.12 (ACE 2)",
    .types = (const struct sig_type[]){ { "ace", "ace" }, { 0 } },
    .headers = { SIG_PATTERN_AT(7, "**ACE**") },
    .flags = SIG_CONTAINER,
    .size_min = ACE_PROLOGUE + ACE_MAIN_MIN,
    .size_max = UINT64_C(1) << 42,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct ace_state),
    .check = ace_check,
};
