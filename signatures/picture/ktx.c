/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/ktx.c - Khronos textures, KTX 1 and KTX 2.
 *
 *   KTX 1: "\xabKTX 11\xbb\r\n\x1a\n" | u32 04030201 in the file's byte order | kinds and formats |
 * width | height | depth | array | faces | levels | length of keys | keys: u32 length, bytes,
 * padding | levels x (u32 length | bytes, padded to 4; of a cube: each face) KTX 2: "\xabKTX
 * 20\xbb\r\n\x1a\n" | format | ... | levels | packing | places of description, keys and packing
 * data | levels x (u64le offset | length | unpacked length) | all of these
 *
 * Every part must lie behind the one before; the last one ends the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    KTX_HEAD = 64,
    KTX2_HEAD = 80,
    KTX2_LEVEL = 24,
    KTX_LEVELS_MAX = 32,
    KTX_KEYS_MAX = 1 << 20,
    KTX_GAP_MAX = 64, /* bytes of padding between parts */
    KTX_PARTS = KTX_LEVELS_MAX + 3,
    KTX_SIDE_MAX = 1 << 17,
};

struct ktx_state {
    uint64_t at; /* object offset of the next level; 0: not begun */
    uint32_t level;
};

static struct sig_result ktx_check(struct sig_input *in, void *memory)
{
    struct ktx_state *state = memory;
    uint32_t numbers[13];
    const uint8_t *head = sig_bytes(in, 0, KTX_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool big = head[12] == 4;
    for (uint32_t i = 0; i < 13; i++)
        numbers[i] = big ? bytes_u32be(head + 12 + 4 * i) : bytes_u32le(head + 12 + 4 * i);
    const uint32_t faces = numbers[10], levels = numbers[11] == 0 ? 1 : numbers[11],
                   keys = numbers[12];
    if (numbers[0] != 0x04030201 || numbers[2] > 8 || numbers[6] == 0 ||
        numbers[6] > KTX_SIDE_MAX || numbers[7] > KTX_SIDE_MAX || numbers[8] > KTX_SIDE_MAX)
        return sig_reject("invalid sizes");
    if ((faces != 1 && faces != 6) || levels > KTX_LEVELS_MAX || keys > KTX_KEYS_MAX ||
        keys % 4 != 0)
        return sig_reject("invalid faces, levels or keys");
    if (state->at == 0)
        state->at = KTX_HEAD + keys;
    for (; state->level < levels; state->level++) {
        const uint8_t *bytes = sig_bytes(in, state->at, 4);

        if (bytes == NULL)
            return sig_short(in);
        const uint32_t length = big ? bytes_u32be(bytes) : bytes_u32le(bytes);
        const uint64_t padded = ((uint64_t)length + 3) & ~UINT64_C(3);
        if (length == 0 || (uint64_t)length > in->sig->size_max / 6)
            return sig_breaks(in, "invalid length of a level");
        state->at += 4 + padded * (faces == 6 && numbers[9] == 0 ? 6 : 1);
        sig_valid(in, state->at < in->limit ? state->at : in->limit);
    }
    return sig_believe(in, state->at, "the levels lead to the last one");
}

/* A part at least of the file; NULL: it follows the ones before. */
static const char *ktx_part(uint64_t offset, uint64_t length, uint64_t *end)
{
    if (length == 0)
        return NULL;
    if (offset < *end || offset - *end > KTX_GAP_MAX || length > UINT64_MAX / 2)
        return "the parts do not follow one another";
    *end = offset + length;
    return NULL;
}

static struct sig_result ktx2_check(struct sig_input *in, void *memory)
{
    const uint8_t *head = sig_bytes(in, 0, KTX2_HEAD);

    (void)memory;
    if (head == NULL)
        return sig_short(in);
    const uint32_t width = bytes_u32le(head + 20), height = bytes_u32le(head + 24),
                   faces = bytes_u32le(head + 36);
    const uint32_t levels = bytes_u32le(head + 40) == 0 ? 1 : bytes_u32le(head + 40);
    if (width == 0 || width > KTX_SIDE_MAX || height > KTX_SIDE_MAX || (faces != 1 && faces != 6) ||
        levels > KTX_LEVELS_MAX || bytes_u32le(head + 44) > 3)
        return sig_reject("invalid sizes, faces, levels or packing");
    head = sig_bytes(in, 0, KTX2_HEAD + levels * KTX2_LEVEL);
    if (head == NULL)
        return sig_short(in);
    const uint32_t description = bytes_u32le(head + 48),
                   description_length = bytes_u32le(head + 52);
    uint64_t end = KTX2_HEAD + levels * KTX2_LEVEL;
    const char *why = description_length < 4 ? "the format has no description"
                                             : ktx_part(description, description_length, &end);
    if (why == NULL)
        why = ktx_part(bytes_u32le(head + 56), bytes_u32le(head + 60), &end);
    if (why == NULL)
        why = ktx_part(bytes_u64le(head + 64), bytes_u64le(head + 72), &end);
    for (uint32_t i = levels; why == NULL && i > 0; i--) { /* the smallest comes first */
        const uint8_t *level = head + KTX2_HEAD + (i - 1) * KTX2_LEVEL;

        why = bytes_u64le(level + 8) == 0
                  ? "a level has no bytes"
                  : ktx_part(bytes_u64le(level), bytes_u64le(level + 8), &end);
    }
    if (why != NULL)
        return sig_reject(why);
    const uint8_t *own = sig_bytes(in, description, 4);
    if (own == NULL)
        return sig_short(in);
    if (bytes_u32le(own) != description_length)
        return sig_reject("there is no format description where the header points");
    sig_valid(in, description + description_length);
    return sig_believe(in, end, "the parts lead to the last level");
}

const struct sig sig_ktx = {
    .name = "ktx",
    .what = "Khronos texture, KTX 1",
    .proves = "sizes and kinds are valid; levels follow one another to the last one",
    .source = "Khronos, KTX File Format Specification, version 1",
    .types = (const struct sig_type[]){ { "ktx", "ktx" }, { 0 } },
    .headers = { SIG_PATTERN("\xabKTX 11\xbb\r\n\x1a\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = KTX_HEAD + 8,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct ktx_state),
    .check = ktx_check,
};

const struct sig sig_ktx2 = {
    .name = "ktx2",
    .what = "Khronos texture, KTX 2",
    .proves = "description, keys, packing data and levels follow one another",
    .source = "Khronos, KTX File Format Specification, version 2.0",
    .types = (const struct sig_type[]){ { "ktx2", "ktx2" }, { 0 } },
    .headers = { SIG_PATTERN("\xabKTX 20\xbb\r\n\x1a\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = KTX2_HEAD + KTX2_LEVEL + 4,
    .size_max = UINT64_C(1) << 36,
    .check = ktx2_check,
};
