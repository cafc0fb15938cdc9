/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/exr.c - OpenEXR pictures: scan lines, tiles, several parts.
 *
 *   76 2f 31 01 | version 2 and flags | parts x (attributes: name 0 | type 0 | u32le length |
 * value; a 0 ends them) | (several) 0 | parts x (chunks x u64le offset) | chunks: [u32le part] |
 * i32le line, or 4 x i32le tile | u32le length | bytes deep data have two lengths before their
 * bytes, and a third that says nothing of the file
 *
 * The chunks follow one another behind the tables; as many are walked as the tables have entries,
 * and every entry must lie among them.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/picture/picture_facts.h"
#include "signatures/sig.h"

enum {
    EXR_HEAD = 8,
    EXR_TILED = 0x200,
    EXR_LONG_NAMES = 0x400,
    EXR_DEEP = 0x800,
    EXR_PARTS = 0x1000,
    EXR_NAME_MAX = 255,
    EXR_ATTRIBUTES_MAX = 4096,
    EXR_PARTS_MAX = 1024,
    EXR_CHUNKS_MAX = 1 << 24, /* of one file; policy */
    EXR_SIDE_MAX = 1 << 24,
};

enum exr_phase { EXR_HEADERS, EXR_TABLES, EXR_CHUNKS };

struct exr_state {
    enum exr_phase phase;
    uint64_t at; /* object offset of what is read next; 0: not begun */
    uint32_t attributes, parts;
    /* Of the part whose attributes are being read. */
    int32_t window[4];
    uint32_t compression, tile_width, tile_height, tile_mode, given; /* given: chunkCount */
    bool has_window, has_compression, has_channels, has_tiles, deep;
    uint64_t chunks;          /* of all parts */
    uint64_t table;           /* where the offsets begin */
    uint64_t chunk;           /* being read */
    uint64_t lowest, highest; /* of the offsets */
};

/* Steps *at over a text and its NUL, of which the first 31 bytes are kept. *len: its length. */
static enum step exr_text(struct sig_input *in, uint64_t *at, char out[32], uint32_t *len)
{
    for (*len = 0; *len <= EXR_NAME_MAX; ++*len) {
        const uint8_t *c = sig_bytes(in, *at, 1);

        if (c == NULL)
            return STEP_WAIT;
        ++*at;
        if (*len < 31)
            out[*len] = (char)*c;
        if (*c == 0) {
            out[*len < 31 ? *len : 31] = '\0';
            return STEP_DONE;
        }
        if (*c < ' ' || *c > '~')
            return STEP_BAD;
    }
    return STEP_BAD;
}

/* Notes what the number of chunks depends on. value: the first bytes, 16 at most. */
static void exr_learn(struct exr_state *state, const char *name, const uint8_t *value, uint32_t len)
{
    if (strcmp(name, "dataWindow") == 0 && len >= 16) {
        for (int i = 0; i < 4; i++)
            state->window[i] = (int32_t)bytes_u32le(value + 4 * i);
        state->has_window = true;
    } else if (strcmp(name, "compression") == 0 && len >= 1) {
        state->compression = value[0];
        state->has_compression = true;
    } else if (strcmp(name, "channels") == 0) {
        state->has_channels = true;
    } else if (strcmp(name, "tiles") == 0 && len >= 9) {
        state->tile_width = bytes_u32le(value);
        state->tile_height = bytes_u32le(value + 4);
        state->tile_mode = value[8];
        state->has_tiles = true;
    } else if (strcmp(name, "chunkCount") == 0 && len >= 4) {
        state->given = bytes_u32le(value);
    } else if (strcmp(name, "type") == 0 && len >= 4) {
        state->deep |= memcmp(value, "deep", 4) == 0;
    }
}

/* Tiles of a side at a level of half the size each. */
static uint64_t exr_tiles(uint64_t side, uint32_t tile, uint32_t level, bool up)
{
    const uint64_t size = up ? (side + (UINT64_C(1) << level) - 1) >> level : side >> level;

    return ((size == 0 ? 1 : size) + tile - 1) / tile;
}

static uint32_t exr_levels(uint64_t side, bool up)
{
    uint32_t levels = 1;

    while (side > 1) {
        side = up ? (side + 1) / 2 : side / 2;
        levels++;
    }
    return levels;
}

/* Chunks of the part; 0: it cannot be. */
static uint64_t exr_count(const struct exr_state *state)
{
    static const uint16_t lines[] = { 1, 1, 1, 16, 32, 16, 32, 32, 32, 256 };
    const int64_t width = (int64_t)state->window[2] - state->window[0] + 1;
    const int64_t height = (int64_t)state->window[3] - state->window[1] + 1;
    const bool up = state->tile_mode >> 4 != 0;
    uint64_t count = 0;

    if (!state->has_window || !state->has_compression || !state->has_channels || width <= 0 ||
        height <= 0 || width > EXR_SIDE_MAX || height > EXR_SIDE_MAX ||
        state->compression >= sizeof lines / sizeof lines[0])
        return 0;
    if (state->given != 0)
        return state->given;
    if (!state->has_tiles)
        return ((uint64_t)height + lines[state->compression] - 1) / lines[state->compression];
    if (state->tile_width == 0 || state->tile_height == 0 || (state->tile_mode & 15) > 2)
        return 0;
    const uint32_t mode = state->tile_mode & 15;
    const uint64_t w = (uint64_t)width, h = (uint64_t)height, most = w > h ? w : h;
    const uint32_t across = mode == 0 ? 1 : exr_levels(mode == 1 ? most : w, up);
    const uint32_t down = mode == 2 ? exr_levels(h, up) : 1;
    for (uint32_t x = 0; x < across; x++)
        for (uint32_t y = 0; y < down; y++)
            count += exr_tiles(w, state->tile_width, x, up) *
                     exr_tiles(h, state->tile_height, mode == 1 ? x : y, up);
    return count;
}

/* One attribute, or the end of a part's. */
static enum step exr_attribute(struct sig_input *in, struct exr_state *state, bool several,
                               const char **why)
{
    uint64_t at = state->at;
    char name[32], type[32];
    uint32_t name_len, type_len;
    enum step step = exr_text(in, &at, name, &name_len);

    if (step == STEP_WAIT)
        return step;
    if (step == STEP_BAD || ++state->attributes > EXR_ATTRIBUTES_MAX)
        return step_bad(why, "a valid attribute must follow here, and none does");
    if (name_len == 0) {
        if (several && state->parts > 0 && !state->has_window) { /* an empty part ends the list */
            state->phase = EXR_TABLES;
            state->at = at;
            return STEP_DONE;
        }
        const uint64_t count = exr_count(state);

        if (count == 0 || count > EXR_CHUNKS_MAX - state->chunks || ++state->parts > EXR_PARTS_MAX)
            return step_bad(why, "a part lacks a required attribute, or too many parts");
        state->chunks += count;
        state->has_window = state->has_compression = state->has_channels = state->has_tiles = false;
        state->given = 0;
        state->at = at;
        if (!several)
            state->phase = EXR_TABLES;
        return STEP_DONE;
    }
    step = exr_text(in, &at, type, &type_len);
    const uint8_t *size = step == STEP_DONE ? sig_bytes(in, at, 4) : NULL;
    if (size == NULL)
        return state->attributes--,
               step == STEP_BAD ? step_bad(why, "an attribute has no type") : STEP_WAIT;
    const uint32_t len = bytes_u32le(size), look = len < 16 ? len : 16;
    if (type_len == 0 || len > in->sig->size_max / 2)
        return step_bad(why, "invalid attribute");
    const uint8_t *value = look == 0 ? size : sig_bytes(in, at + 4, look);
    if (value == NULL)
        return state->attributes--, STEP_WAIT;
    exr_learn(state, name, value, look);
    state->at = at + 4 + len;
    return STEP_DONE;
}

/* Every offset lies behind the tables. */
static enum step exr_tables(struct sig_input *in, struct exr_state *state, const char **why)
{
    enum { PIECE = 4096 };

    if (state->table == 0) {
        state->table = state->at;
        state->lowest = UINT64_MAX;
    }
    const uint64_t end = state->table + 8 * state->chunks;
    while (state->at < end) {
        const uint32_t len = end - state->at < PIECE ? (uint32_t)(end - state->at) : PIECE;
        const uint8_t *bytes = sig_bytes(in, state->at, len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i += 8) {
            const uint64_t offset = bytes_u64le(bytes + i);

            if (offset < end || offset > in->sig->size_max)
                return step_bad(why, "invalid place of a chunk");
            state->lowest = offset < state->lowest ? offset : state->lowest;
            state->highest = offset > state->highest ? offset : state->highest;
        }
        state->at += len;
    }
    if (state->lowest != end)
        return step_bad(why, "there is no chunk behind the tables");
    sig_valid(in, end);
    state->phase = EXR_CHUNKS;
    return STEP_DONE;
}

static enum step exr_chunk(struct sig_input *in, struct exr_state *state, uint32_t flags,
                           const char **why)
{
    const uint32_t part = flags & EXR_PARTS ? 4 : 0;
    const bool tiled = (flags & EXR_TILED) != 0 && part == 0;
    const uint32_t head_len = part + (tiled ? 16 : 4) + 4;
    const uint8_t *head = sig_bytes(in, state->at, head_len);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u32le(head + head_len - 4);
    const int64_t line = (int32_t)bytes_u32le(head);
    if (!tiled && part == 0 && (line < state->window[1] || line > state->window[3]))
        return step_bad(why, "a chunk has lines that the picture does not have");
    if (part != 0 && bytes_u32le(head) >= state->parts)
        return step_bad(why, "a chunk belongs to a part that does not exist");
    if (len == 0 || len > in->sig->size_max / 2)
        return step_bad(why, "invalid length of a chunk");
    state->at += head_len + (uint64_t)len;
    state->chunk++;
    sig_valid(in, state->at < in->limit ? state->at : in->limit);
    if (state->at > state->highest && state->chunk < state->chunks)
        return step_bad(why, "the chunks are not where the tables say");
    return STEP_DONE;
}

static struct sig_result exr_check(struct sig_input *in, void *memory)
{
    struct exr_state *state = memory;
    const char *why = NULL;
    enum step step = STEP_DONE;
    const uint8_t *head = sig_bytes(in, 0, EXR_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t flags = bytes_u32le(head + 4) & ~UINT32_C(0xff);
    if ((flags & ~(uint32_t)(EXR_TILED | EXR_LONG_NAMES | EXR_DEEP | EXR_PARTS)) != 0)
        return sig_reject("invalid flags");
    if (state->at == 0)
        state->at = EXR_HEAD;
    while (step == STEP_DONE && (state->phase != EXR_CHUNKS || state->chunk < state->chunks)) {
        uint64_t start = state->at;

        if (state->phase == EXR_HEADERS)
            step = exr_attribute(in, state, (flags & EXR_PARTS) != 0, &why);
        else if (state->phase == EXR_TABLES)
            step = (flags & EXR_DEEP) != 0 || state->deep
                       ? step_bad(&why, "the picture has deep data, which burin does not read")
                       : exr_tables(in, state, &why);
        else
            step = exr_chunk(in, state, flags, &why);
        if (state->phase == EXR_CHUNKS && step == STEP_DONE && state->chunk == state->chunks &&
            start != state->highest)
            step = step_bad(&why, "the last chunk is not where the tables say");
    }
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    return sig_complete(in, state->at,
                        "the chunks are as many as the tables say, and where they "
                        "say");
}

const struct sig sig_exr = {
    .name = "exr",
    .what = "OpenEXR picture",
    .proves = "attributes read; chunks follow one another, as many as the tables have, the first "
              "and last where they say",
    .source = "OpenEXR File Layout (openexr 3.2)",
    .types = (const struct sig_type[]){ { "exr", "exr" }, { 0 } },
    .headers = { SIG_MASKED("\x76\x2f\x31\x01\2\0\0\0", "\xff\xff\xff\xff\xff\xe1\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 64,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct exr_state),
    .check = exr_check,
    .facts = exr_facts,
};
