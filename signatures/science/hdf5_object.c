/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/hdf5_object.c - object headers of HDF5: messages, and the structures that
 * they lead to. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/science/hdf5.h"

enum {
    OBJECT_LINK_INFO = 2,
    OBJECT_LINK = 6,
    OBJECT_LAYOUT = 8,
    OBJECT_FILTERS = 11,
    OBJECT_CONTINUES = 16,
    OBJECT_SYMBOLS = 17,
    OBJECT_ATTRIBUTES = 21,
    OBJECT_KINDS = 24,
    OBJECT_HEAD_1 = 16, /* bytes before the messages of version 1 */
    OBJECT_CHECKSUM = 4,
    OBJECT_TIMES = 0x20,
    OBJECT_PHASES = 0x10,
    OBJECT_ORDER = 4,
    OBJECT_DEFLATE = 1,
    OBJECT_FLETCHER = 3,
};

/* Bob Jenkins' lookup3, as H5_checksum_lookup3 with the initial value 0. */
uint32_t hdf5_hash(const uint8_t *k, uint32_t len)
{
#define HASH_ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
    uint32_t a = 0xdeadbeef + len, b = a, c = a;
    uint8_t tail[12] = { 0 };

    for (; len > 12; len -= 12, k += 12) {
        a += bytes_u32le(k);
        b += bytes_u32le(k + 4);
        c += bytes_u32le(k + 8);
        a = (a - c) ^ HASH_ROTATE(c, 4);
        c += b;
        b = (b - a) ^ HASH_ROTATE(a, 6);
        a += c;
        c = (c - b) ^ HASH_ROTATE(b, 8);
        b += a;
        a = (a - c) ^ HASH_ROTATE(c, 16);
        c += b;
        b = (b - a) ^ HASH_ROTATE(a, 19);
        a += c;
        c = (c - b) ^ HASH_ROTATE(b, 4);
        b += a;
    }
    if (len == 0)
        return c;
    memcpy(tail, k, len);
    a += bytes_u32le(tail);
    b += bytes_u32le(tail + 4);
    c += bytes_u32le(tail + 8);
    c = (c ^ b) - HASH_ROTATE(b, 14);
    a = (a ^ c) - HASH_ROTATE(c, 11);
    b = (b ^ a) - HASH_ROTATE(a, 25);
    c = (c ^ b) - HASH_ROTATE(b, 16);
    a = (a ^ c) - HASH_ROTATE(c, 4);
    b = (b ^ a) - HASH_ROTATE(a, 14);
    c = (c ^ b) - HASH_ROTATE(b, 24);
    return c;
#undef HASH_ROTATE
}

/* Where the data of a data set lies. */
static bool object_layout(struct hdf5_state *state, const uint8_t *data, uint32_t len)
{
    const uint32_t o = state->offsets, l = state->lengths;

    if (len < 2 || data[0] != 3) /* older and newer ones are passed over */
        return len >= 2 && data[0] >= 1 && data[0] <= 4;
    if (data[1] == 1) {
        if (len < 2 + o + l)
            return false;
        const uint64_t at = hdf5_number(data + 2, o), size = hdf5_number(data + 2 + o, l);
        return at == HDF5_NONE || (at <= state->end && size <= state->end - at);
    }
    if (data[1] == 2) {
        if (len < 3 + o || data[2] < 2 || data[2] > 33)
            return false;
        state->object.chunks = hdf5_number(data + 3, o);
        state->object.dimensions = data[2];
    }
    return data[1] <= 3;
}

static bool object_filters(struct hdf5_state *state, const uint8_t *data, uint32_t len)
{
    uint32_t at = len >= 2 && data[0] == 1 ? 8 : 2, last = 0;
    bool deflated = false;

    if (len < 2 || data[0] < 1 || data[0] > 2 || data[1] > 32)
        return false;
    for (uint32_t i = 0; i < data[1]; i++) {
        if (len < at + 8)
            return false;
        last = bytes_u16le(data + at);
        deflated |= last == OBJECT_DEFLATE;
        const bool named = data[0] == 1 || last >= 256;
        const uint32_t name = named ? bytes_u16le(data + at + 2) : 0,
                       values = bytes_u16le(data + at + (named ? 6 : 4));
        at += (named ? 8 : 6) + name + 4 * (values + (data[0] == 1 ? values % 2 : 0));
    }
    state->object.deflated = deflated && (last == OBJECT_DEFLATE || last == OBJECT_FLETCHER);
    return true;
}

/* A link to another object, in a group of the new kind. */
static bool object_link(struct hdf5_state *state, const uint8_t *data, uint32_t len)
{
    if (len < 4 || data[0] != 1)
        return false;
    const uint8_t flags = data[1];
    const uint32_t width = 1u << (flags & 3);
    uint32_t at = 2;
    const bool hard = (flags & 8) == 0 || data[at] == 0;

    at += (flags & 8 ? 1u : 0u) + (flags & 4 ? 8u : 0u) + (flags & 16 ? 1u : 0u);
    if (len < at + width)
        return false;
    const uint64_t name = hdf5_number(data + at, width);
    if (name > len - at - width || (hard && len - at - width - name < state->offsets))
        return false;
    return !hard || hdf5_add(state, HDF5_OBJECT,
                             hdf5_number(data + at + width + name, state->offsets), 0, 0);
}

static bool object_message(struct hdf5_state *state, uint32_t type, const uint8_t *data,
                           uint32_t len, enum hdf5_kind more, uint8_t flags)
{
    const uint32_t o = state->offsets;

    switch (type) {
    case OBJECT_LAYOUT:
        return object_layout(state, data, len);
    case OBJECT_FILTERS:
        return object_filters(state, data, len);
    case OBJECT_LINK:
        return object_link(state, data, len);
    case OBJECT_CONTINUES:
        return len >= o + state->lengths && hdf5_add(state, more, hdf5_number(data, o),
                                                     hdf5_number(data + o, state->lengths), flags);
    case OBJECT_SYMBOLS:
        return len >= 2 * o && hdf5_add(state, HDF5_GROUP_TREE, hdf5_number(data, o), 0, 0) &&
               hdf5_add(state, HDF5_NAMES, hdf5_number(data + o, o), 0, 0);
    case OBJECT_LINK_INFO:
    case OBJECT_ATTRIBUTES: {
        const uint32_t at =
            2 + (len >= 2 && data[1] & 1 ? (type == OBJECT_LINK_INFO ? 8u : 2u) : 0u);

        return len >= at + 2 * o && data[0] == 0 &&
               hdf5_add(state, HDF5_FRACTAL_HEAP, hdf5_number(data + at, o), 0, 0) &&
               hdf5_add(state, HDF5_TREE_2, hdf5_number(data + at + o, o), 0, 0);
    }
    default:
        return true;
    }
}

/* The messages in len bytes; version 2 if head is not 8. */
static const char *object_messages(struct hdf5_state *state, const uint8_t *bytes, uint32_t len,
                                   bool second, uint8_t flags)
{
    const uint32_t head = !second ? 8 : flags & OBJECT_ORDER ? 6 : 4;
    uint32_t at = 0;

    while (len - at >= head) {
        const uint32_t type = second ? bytes[at] : bytes_u16le(bytes + at);
        const uint32_t size = bytes_u16le(bytes + at + (second ? 1 : 2));

        if (type > OBJECT_KINDS || size > len - at - head)
            return "invalid message of an object";
        if (!object_message(state, type, bytes + at + head, size, second ? HDF5_MORE_2 : HDF5_MORE,
                            flags))
            return "invalid target of an object's message";
        at += head + size;
    }
    return NULL;
}

/* A header or a continuation of version 2: its hash stands behind it. */
static enum step object_second(struct sig_input *in, struct hdf5_state *state, uint64_t at,
                               uint64_t size, uint32_t head, uint8_t flags, const char **why)
{
    if (size < head + OBJECT_CHECKSUM || size > state->end - at)
        return step_bad(why, "invalid object header");
    if (size > HDF5_PART_MAX)
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, at, (uint32_t)size);
    if (bytes == NULL)
        return STEP_WAIT;
    state->part_len = size;
    const uint32_t len = (uint32_t)size - OBJECT_CHECKSUM;
    if (hdf5_hash(bytes, len) != bytes_u32le(bytes + len))
        return step_bad(why, "the checksum of an object header is wrong");
    *why = object_messages(state, bytes + head, len - head, true, flags);
    return *why == NULL ? STEP_DONE : STEP_BAD;
}

static enum step object_header(struct sig_input *in, struct hdf5_state *state, uint64_t at,
                               const char **why)
{
    const uint8_t *head = state->end - at < OBJECT_HEAD_1 ? NULL : sig_bytes(in, at, OBJECT_HEAD_1);

    if (head == NULL)
        return state->end - at < OBJECT_HEAD_1 ? step_bad(why, "an object header lies outside "
                                                               "the file")
                                               : STEP_WAIT;
    if (memcmp(head, "OHDR", 4) == 0) {
        const uint8_t flags = head[5], width = (uint8_t)(1u << (flags & 3));
        const uint32_t before =
            6u + (flags & OBJECT_TIMES ? 16u : 0u) + (flags & OBJECT_PHASES ? 4u : 0u) + width;

        if (head[4] != 2 || flags > 0x3f)
            return step_bad(why, "invalid object header");
        const uint8_t *size = sig_bytes(in, at + before - width, width);
        if (size == NULL)
            return STEP_WAIT;
        const uint64_t messages = hdf5_number(size, width);
        return object_second(in, state, at, sig_add(messages, before + OBJECT_CHECKSUM), before,
                             flags, why);
    }
    const uint32_t size = bytes_u32le(head + 8);
    if (head[0] != 1 || head[1] != 0 || bytes_u16le(head + 2) == 0 ||
        size > state->end - at - OBJECT_HEAD_1)
        return step_bad(why, "invalid object header");
    if (size == 0 || size > HDF5_PART_MAX)
        return STEP_DONE;
    head = sig_bytes(in, at + OBJECT_HEAD_1, size);
    if (head == NULL)
        return STEP_WAIT;
    state->part_len = OBJECT_HEAD_1 + (uint64_t)size;
    *why = object_messages(state, head, size, false, 0);
    return *why == NULL ? STEP_DONE : STEP_BAD;
}

enum step hdf5_object(struct sig_input *in, struct hdf5_state *state, const struct hdf5_part *part,
                      const char **why)
{
    const uint8_t *bytes;

    state->object = (struct hdf5_object){ .chunks = HDF5_NONE };
    state->part_len = OBJECT_HEAD_1;
    switch (part->kind) {
    case HDF5_OBJECT:
        return object_header(in, state, part->at, why);
    case HDF5_MORE_2:
        bytes = sig_bytes(in, part->at, 4);
        if (bytes == NULL)
            return STEP_WAIT;
        if (memcmp(bytes, "OCHK", 4) != 0)
            return step_bad(why, "invalid continuation of an object header");
        return object_second(in, state, part->at, part->len, 4, part->extra, why);
    default:
        if (part->len == 0 || part->len > HDF5_PART_MAX)
            return STEP_DONE;
        bytes = sig_bytes(in, part->at, part->len);
        if (bytes == NULL)
            return STEP_WAIT;
        state->part_len = part->len;
        *why = object_messages(state, bytes, part->len, false, 0);
        return *why == NULL ? STEP_DONE : STEP_BAD;
    }
}
