/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/xcf.c - GIMP's own pictures.
 *
 *   "gimp xcf " | "file" or "v001" ... | 0 | u32 width, height, base type | from v004 on: u32
 *   precision
 *   properties (u32 type, u32 length, data)*, the last of type 0 | pointers to layers, 0 | pointers
 *   to channels, 0
 *   layer or channel: u32 width, height, (layer) type | name | properties | pointer to the
 *   hierarchy, (layer) to the mask
 *   hierarchy: u32 width, height, bytes of a pixel | pointers to levels, 0;  level: u32 width,
 *   height | pointers to tiles, 0
 *
 * Numbers are big-endian, pointers offsets in the file. GIMP writes one thing behind the other: the
 * file ends with the last one. The size of a tile's data is known by decoding it. Versions from 18
 * on add paths and effects in places of their own and are refused.
 */
#include <string.h>

#include "signatures/drawing/drawing_facts.h"
#include "signatures/drawing/xcf.h"

enum {
    XCF_HEADER = 26,
    XCF_VERSION_MAX = 17,
    XCF_SIDE_MAX = 1 << 19, /* pixels; GIMP's limit */
    XCF_NAME_MAX = 1 << 16,
    XCF_PROPERTY_MAX = 63,       /* types known: up to 40 */
    XCF_PROPERTY_LEN = 64 << 20, /* bytes; ICC profiles and text are the largest */
    XCF_COLOURS = 1,             /* property types */
    XCF_COMPRESSION = 17,
    XCF_PIXEL_MAX = 4 * 8,
    XCF_LEVELS_MAX = 24,
};

static uint64_t xcf_pointer(const struct xcf_state *state, const uint8_t *bytes)
{
    return state->pointer == 8 ? bytes_u64be(bytes) : bytes_u32be(bytes);
}

static enum step xcf_header(struct sig_input *in, struct xcf_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, XCF_HEADER + 4);

    if (head == NULL)
        return STEP_WAIT;
    const uint8_t *version = head + 9;
    *why = "unknown version";
    if (memcmp(version, "file", 4) != 0) {
        for (uint32_t i = 1; i < 4; i++) {
            if (version[i] < '0' || version[i] > '9')
                return STEP_BAD;
            state->version = state->version * 10 + (version[i] - '0');
        }
        if (version[0] != 'v' || state->version == 0)
            return STEP_BAD;
    }
    if (state->version > XCF_VERSION_MAX)
        return STEP_BAD;
    state->pointer = state->version >= 11 ? 8 : 4;
    state->base_type = bytes_u32be(head + 22);
    const uint32_t width = bytes_u32be(head + 14), height = bytes_u32be(head + 18);
    state->at = XCF_HEADER + (state->version >= 4 ? 4 : 0);
    *why = "width, height or colours are out of range";
    return width >= 1 && width <= XCF_SIDE_MAX && height >= 1 && height <= XCF_SIDE_MAX &&
                   state->base_type <= 2
               ? STEP_DONE
               : STEP_BAD;
}

/* Steps over one property; *last: it was the end of them. */
static enum step xcf_property(struct sig_input *in, struct xcf_state *state, bool *last)
{
    const uint8_t *head = sig_bytes(in, state->at, 8);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t type = bytes_u32be(head);
    uint32_t len = bytes_u32be(head + 4);
    *last = type == 0;
    if (type > XCF_PROPERTY_MAX || len > XCF_PROPERTY_LEN || (type == 0 && len != 0))
        return STEP_BAD;
    if (type == XCF_COLOURS || type == XCF_COMPRESSION) {
        const uint8_t *data = sig_bytes(in, state->at + 8, type == XCF_COLOURS ? 4 : 1);

        if (data == NULL)
            return STEP_WAIT;
        if (type == XCF_COLOURS) { /* the first version counted one byte a colour */
            const uint32_t count = bytes_u32be(data);

            if (count > 256)
                return STEP_BAD;
            len = 4 + 3 * count;
        } else {
            if (data[0] > XCF_ZLIB || len != 1)
                return STEP_BAD;
            state->compression = (enum xcf_compression)data[0];
        }
    }
    state->at += 8 + (uint64_t)len;
    return STEP_DONE;
}

static enum step xcf_properties(struct sig_input *in, struct xcf_state *state, const char **why)
{
    bool last = false;

    *why = "invalid properties";
    while (!last) {
        const enum step step = xcf_property(in, state, &last);

        if (step != STEP_DONE)
            return step;
    }
    state->end = state->at;
    return STEP_DONE;
}

/* Goes to what a pointer points to: nothing lies before what was read before. */
static bool xcf_go(struct xcf_state *state, uint64_t at, enum xcf_phase phase)
{
    if (at < state->end)
        return false;
    state->at = at;
    state->phase = phase;
    return true;
}

/* The next layer or channel of the picture. */
static enum step xcf_pointers(struct sig_input *in, struct xcf_state *state, const char **why)
{
    *why = "invalid pointer to a layer or channel";
    for (;;) {
        const uint8_t *bytes = sig_bytes(in, state->pointers, state->pointer);

        if (bytes == NULL)
            return STEP_WAIT;
        const uint64_t at = xcf_pointer(state, bytes);
        state->pointers += state->pointer;
        if (state->pointers > state->end && state->items == 0)
            state->end = state->pointers;
        if (at != 0) {
            state->is_layer = !state->channels;
            state->items++;
            return xcf_go(state, at, XCF_AT_ITEM) ? STEP_DONE : STEP_BAD;
        }
        if (state->channels) {
            if (state->end < state->pointers)
                state->end = state->pointers;
            state->phase = XCF_AT_END;
            return STEP_DONE;
        }
        state->channels = true;
    }
}

/* Width, height, type and name of a layer or channel. */
static enum step xcf_item(struct sig_input *in, struct xcf_state *state, const char **why)
{
    const uint32_t len = state->is_layer ? 16 : 12;
    const uint8_t *head = sig_bytes(in, state->at, len);

    if (head == NULL)
        return STEP_WAIT;
    state->width = bytes_u32be(head);
    state->height = bytes_u32be(head + 4);
    state->type = state->is_layer ? bytes_u32be(head + 8) : 2; /* a channel is grey */
    const uint32_t name = bytes_u32be(head + len - 4);
    *why = "invalid layer or channel";
    if (state->width == 0 || state->width > XCF_SIDE_MAX || state->height == 0 ||
        state->height > XCF_SIDE_MAX || state->type > 5 ||
        (state->is_layer && state->type / 2 != state->base_type) || name > XCF_NAME_MAX)
        return STEP_BAD;
    if (name > 0) { /* the NUL counts */
        const uint8_t *nul = sig_bytes(in, state->at + len + name - 1, 1);

        if (nul == NULL)
            return STEP_WAIT;
        if (nul[0] != 0)
            return STEP_BAD;
    }
    state->at += len + name;
    state->phase = XCF_AT_ITEM_PROPERTIES;
    return STEP_DONE;
}

static enum step xcf_item_pointers(struct sig_input *in, struct xcf_state *state, const char **why)
{
    const uint32_t count = state->is_layer ? 2 : 1;
    const uint8_t *bytes = sig_bytes(in, state->at, count * state->pointer);

    if (bytes == NULL)
        return STEP_WAIT;
    state->hierarchy = xcf_pointer(state, bytes);
    state->mask = state->is_layer ? xcf_pointer(state, bytes + state->pointer) : 0;
    state->end = state->at + (uint64_t)count * state->pointer;
    *why = "invalid pointer to a hierarchy";
    return xcf_go(state, state->hierarchy, XCF_AT_HIERARCHY) ? STEP_DONE : STEP_BAD;
}

static enum step xcf_hierarchy(struct sig_input *in, struct xcf_state *state, const char **why)
{
    static const uint8_t samples[6] = { 3, 4, 1, 2, 1, 2 };
    const uint8_t *head = sig_bytes(in, state->at, 12 + state->pointer);

    if (head == NULL)
        return STEP_WAIT;
    state->pixel = bytes_u32be(head + 8);
    const uint32_t sample = state->pixel / samples[state->type];
    *why = "a hierarchy contradicts its layer";
    if (bytes_u32be(head) != state->width || bytes_u32be(head + 4) != state->height ||
        state->pixel > XCF_PIXEL_MAX || state->pixel % samples[state->type] != 0 ||
        (sample != 1 && sample != 2 && sample != 4 && sample != 8))
        return STEP_BAD;
    state->levels = state->at + 12;
    state->level = 0;
    uint64_t end = state->levels;
    do { /* the pointers; levels follow them */
        const uint8_t *bytes = sig_bytes(in, end, state->pointer);

        if (bytes == NULL)
            return STEP_WAIT;
        end += state->pointer;
        if (xcf_pointer(state, bytes) == 0)
            break;
    } while (end < state->levels + (uint64_t)XCF_LEVELS_MAX * state->pointer);
    state->end = end;
    state->phase = XCF_AT_LEVELS;
    return STEP_DONE;
}

static uint32_t xcf_parts(uint32_t side)
{
    return (side + XCF_TILE - 1) / XCF_TILE;
}

/* The next level: the first one has the tiles, those after it only their sides. */
static enum step xcf_levels(struct sig_input *in, struct xcf_state *state, const char **why)
{
    const uint8_t *bytes = sig_bytes(in, state->levels, state->pointer);

    if (bytes == NULL)
        return STEP_WAIT;
    const uint64_t at = xcf_pointer(state, bytes);
    *why = "invalid level";
    if (at == 0) {
        state->phase = XCF_AT_MASK;
        return state->level > 0 ? STEP_DONE : STEP_BAD;
    }
    if (at < state->end || state->level == XCF_LEVELS_MAX)
        return STEP_BAD;
    const uint8_t *head = sig_bytes(in, at, 12);
    if (head == NULL)
        return STEP_WAIT;
    if (bytes_u32be(head) != state->width >> state->level ||
        bytes_u32be(head + 4) != state->height >> state->level)
        return STEP_BAD;
    state->levels += state->pointer;
    if (state->level++ > 0) { /* here GIMP writes a zero of 32 bits in all versions */
        state->end = at + 12;
        return bytes_u32be(head + 8) == 0 ? STEP_DONE : STEP_BAD;
    }
    state->tiles = at + 8;
    state->tile = 0;
    state->end = state->tiles + ((uint64_t)xcf_parts(state->width) * xcf_parts(state->height) + 1) *
                                    state->pointer;
    state->phase = XCF_AT_TILES;
    return STEP_DONE;
}

static enum step xcf_tiles(struct sig_input *in, struct xcf_state *state, const char **why)
{
    const uint32_t across = xcf_parts(state->width), down = xcf_parts(state->height);

    for (; state->tile <= across * down; state->tile++) {
        const uint32_t x = state->tile % across * XCF_TILE, y = state->tile / across * XCF_TILE;
        const uint8_t *bytes =
            sig_bytes(in, state->tiles + (uint64_t)state->tile * state->pointer, state->pointer);

        if (bytes == NULL)
            return STEP_WAIT;
        const uint64_t at = xcf_pointer(state, bytes);
        *why = "invalid pointer to a tile";
        if (state->tile == across * down && at == 0)
            break;
        if (state->tile == across * down || at < state->end)
            return STEP_BAD;
        const uint64_t wide = state->width - x < XCF_TILE ? state->width - x : XCF_TILE;
        const uint64_t plane = wide * (state->height - y < XCF_TILE ? state->height - y : XCF_TILE);
        if (state->data == 0) {
            state->data = at;
            state->out = 0;
        }
        const enum step step = xcf_tile(in, state, plane, plane * state->pixel);
        *why = "a tile does not decode to its pixels";
        if (step != STEP_DONE)
            return step;
        state->end = state->data;
        state->data = 0;
    }
    state->phase = XCF_AT_LEVELS;
    return STEP_DONE;
}

/* The layer's mask is a channel of its own; without one, on to the next layer. */
static enum step xcf_mask(struct xcf_state *state, const char **why)
{
    const uint64_t mask = state->mask;

    *why = "invalid pointer to a mask";
    state->mask = 0;
    state->is_layer = false;
    if (mask != 0)
        return xcf_go(state, mask, XCF_AT_ITEM) ? STEP_DONE : STEP_BAD;
    state->phase = XCF_AT_POINTERS;
    return STEP_DONE;
}

static enum step xcf_next(struct sig_input *in, struct xcf_state *state, const char **why)
{
    enum step step;

    switch (state->phase) {
    case XCF_AT_HEADER:
        step = xcf_header(in, state, why);
        if (step == STEP_DONE)
            state->phase = XCF_AT_PROPERTIES;
        return step;
    case XCF_AT_PROPERTIES:
        step = xcf_properties(in, state, why);
        state->pointers = state->at;
        if (step == STEP_DONE)
            state->phase = XCF_AT_POINTERS;
        return step;
    case XCF_AT_POINTERS:
        return xcf_pointers(in, state, why);
    case XCF_AT_ITEM:
        return xcf_item(in, state, why);
    case XCF_AT_ITEM_PROPERTIES:
        step = xcf_properties(in, state, why);
        if (step == STEP_DONE)
            state->phase = XCF_AT_ITEM_POINTERS;
        return step;
    case XCF_AT_ITEM_POINTERS:
        return xcf_item_pointers(in, state, why);
    case XCF_AT_HIERARCHY:
        return xcf_hierarchy(in, state, why);
    case XCF_AT_LEVELS:
        return xcf_levels(in, state, why);
    case XCF_AT_TILES:
        return xcf_tiles(in, state, why);
    default:
        return xcf_mask(state, why);
    }
}

static struct sig_result xcf_check(struct sig_input *in, void *memory)
{
    struct xcf_state *state = memory;
    enum step step = STEP_DONE;
    const char *why = NULL;

    while (step == STEP_DONE && state->phase != XCF_AT_END)
        step = xcf_next(in, state, &why);
    if (step == STEP_WAIT && in->wanted <= in->limit)
        return sig_short(in);
    if (step != STEP_DONE) {
        const uint64_t valid = state->data > state->end ? state->data : state->end;

        if (state->items > 0)
            sig_valid(in, valid < in->limit ? valid : in->limit);
        return step == STEP_WAIT ? sig_short(in) : sig_breaks(in, why);
    }
    if (state->items == 0)
        return sig_reject("the picture has no layers");
    if (state->compression == XCF_NONE)
        return sig_believe(in, state->end, "every layer and tile has its place");
    return sig_complete(in, state->end, "every tile decodes to its pixels");
}

const struct sig sig_xcf = {
    .name = "xcf",
    .what = "GIMP picture",
    .proves = "layers, channels and tiles in place; tiles decode to their pixels, or, plain, are "
              "only as long",
    .source = "GIMP developers, Documentation of the XCF file format (devel-docs/xcf.txt), "
              "versions 0 to 17",
    .types = (const struct sig_type[]){ { "xcf", "xcf" }, { 0 } },
    .headers = { SIG_PATTERN("gimp xcf file\0"),
                 SIG_MASKED("gimp xcf v000\0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                                               "\xff\xff\xf0\xf0\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_UNPACKS,
    .size_min = 64,
    .size_max = UINT64_C(1) << 38,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct xcf_state),
    .state_clean = offsetof(struct xcf_state, inflate),
    .check = xcf_check,
    .facts = xcf_facts,
};
