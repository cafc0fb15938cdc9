/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/hdf5.c - HDF5 (also NetCDF-4, MATLAB 7.3, MINC 2): scientific data.
 *
 *   superblock: "\x89HDF\r\n\x1a\n" | version | ... | base | ... | end of the file | ... | where
 * the root group is
 *
 * The superblock says how long the file is. From the root group on, object headers, group and chunk
 * trees, symbol nodes and heaps are looked up where they must be; chunks have to lie inside, and
 * deflated ones to begin as such. Numbers are little-endian. What is not looked at (the data
 * themselves, global heaps, groups of the newest kind) may be damaged: the file is believed, not
 * proven.
 */
#include "signatures/science/hdf5.h"

#include <string.h>

#include "base/bytes.h"

enum {
    HDF5_SUPER_MAX = 128,
    HDF5_CHILDREN_MAX = 4096, /* of one node; 64 or so are usual */
    HDF5_SYMBOLS_MAX = 1024,
    HDF5_AGAIN = 4096, /* bytes that may be looked at again beyond those that lie there */
};

uint64_t hdf5_number(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;
    bool ones = true;

    for (uint32_t i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
        ones = ones && bytes[i] == 0xff;
    }
    return ones ? HDF5_NONE : value;
}

bool hdf5_add(struct hdf5_state *state, enum hdf5_kind kind, uint64_t at, uint64_t len,
              uint8_t extra)
{
    if (at == HDF5_NONE)
        return true;
    if (at >= state->end || len > state->end - at || len > UINT32_MAX)
        return false;
    if (state->count < HDF5_TODO_MAX)
        state->todo[state->count++] = (struct hdf5_part){
            .at = at, .len = (uint32_t)len, .kind = (uint8_t)kind, .extra = extra
        };
    return true;
}

/* Reads the superblock; *root is the object header of the root group. */
static enum step hdf5_super(struct sig_input *in, struct hdf5_state *state, uint64_t *root,
                            const char **why)
{
    const uint8_t *head = sig_bytes(in, 0, HDF5_SUPER_MAX);

    if (head == NULL)
        return STEP_WAIT;
    const uint8_t version = head[8];
    const bool old = version <= 1;
    state->offsets = head[old ? 13 : 9];
    state->lengths = head[old ? 14 : 10];
    const uint32_t o = state->offsets, at = version == 0 ? 24 : version == 1 ? 28 : 12;
    if (version > 3 || (o != 4 && o != 8) || (state->lengths != 4 && state->lengths != 8))
        return step_bad(why, "unknown version of the superblock");
    if (old && (head[9] != 0 || head[10] != 0 || head[11] != 0 || head[12] != 0 || head[15] != 0 ||
                bytes_u16le(head + 16) == 0 || bytes_u16le(head + 18) == 0))
        return step_bad(why, "invalid superblock");
    if (!old && hdf5_hash(head, at + 4 * o) != bytes_u32le(head + at + 4 * o))
        return step_bad(why, "the checksum of the superblock is wrong");
    const uint64_t base = hdf5_number(head + at, o);
    state->end = hdf5_number(head + at + 2 * o, o);
    *root = hdf5_number(head + (old ? at + 5 * o : at + 3 * o), o);
    if (base != 0 || state->end == HDF5_NONE || state->end <= *root || *root == 0)
        return step_bad(why, "invalid addresses in the superblock");
    return STEP_DONE;
}

/* Chunks have to lie inside, and to begin as deflated data does. */
static enum step hdf5_chunk(struct sig_input *in, struct hdf5_state *state, const uint8_t *key,
                            uint64_t at, bool deflated, const char **why)
{
    const uint32_t size = bytes_u32le(key), mask = bytes_u32le(key + 4);

    if (at == HDF5_NONE || at >= state->end || size > state->end - at)
        return step_bad(why, "a chunk of data lies outside the file");
    if (!deflated || mask != 0 || size < 2)
        return STEP_DONE;
    const uint8_t *head = sig_bytes(in, at, 2);
    if (head == NULL)
        return STEP_WAIT;
    return (head[0] & 0x0f) == 8 && bytes_u16be(head) % 31 == 0
               ? STEP_DONE
               : step_bad(why, "the data of a chunk are not deflated data");
}

static enum step hdf5_tree(struct sig_input *in, struct hdf5_state *state,
                           const struct hdf5_part *part, const char **why)
{
    const uint32_t o = state->offsets, head_len = 8 + 2 * o;
    const bool group = part->kind == HDF5_GROUP_TREE;
    const uint32_t key = group ? state->lengths : 8 + 8 * (uint32_t)part->extra, step_len = key + o;
    const uint8_t *head = sig_bytes(in, part->at, head_len);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t children = bytes_u16le(head + 6);
    const uint8_t level = head[5];
    if (memcmp(head, "TREE", 4) != 0 || head[4] != (group ? 0 : 1) || children > HDF5_CHILDREN_MAX)
        return step_bad(why, "invalid tree node");
    state->part_len = head_len + (uint64_t)children * step_len;
    for (; state->entry < children; state->entry++) {
        const uint8_t *bytes =
            sig_bytes(in, part->at + head_len + state->entry * step_len, step_len);
        enum step step = STEP_DONE;

        if (bytes == NULL)
            return STEP_WAIT;
        const uint64_t child = hdf5_number(bytes + key, o);
        if (group || level > 0)
            step = hdf5_add(state, level > 0 ? (enum hdf5_kind)part->kind : HDF5_SYMBOLS, child, 0,
                            part->extra)
                       ? STEP_DONE
                       : step_bad(why, "a tree points outside the file");
        else
            step = hdf5_chunk(in, state, bytes, child, part->kind == HDF5_DEFLATED_TREE, why);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

static enum step hdf5_symbols(struct sig_input *in, struct hdf5_state *state, uint64_t at,
                              const char **why)
{
    const uint32_t o = state->offsets, entry = 2 * o + 24;
    const uint8_t *head = sig_bytes(in, at, 8);

    if (head == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u16le(head + 6);
    if (memcmp(head, "SNOD\1", 6) != 0 || count > HDF5_SYMBOLS_MAX)
        return step_bad(why, "invalid symbol table node");
    state->part_len = 8 + (uint64_t)count * entry;
    if (count == 0)
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, at + 8, count * entry);
    if (bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < count; i++, bytes += entry)
        if (bytes_u32le(bytes + 2 * o) > 2 ||
            (bytes_u32le(bytes + 2 * o) < 2 &&
             !hdf5_add(state, HDF5_OBJECT, hdf5_number(bytes + o, o), 0, 0)))
            return step_bad(why, "invalid symbol, or it points outside the file");
    return STEP_DONE;
}

static enum step hdf5_magic(struct sig_input *in, struct hdf5_state *state,
                            const struct hdf5_part *part, const char *magic, const char **why)
{
    const uint32_t head_len = 8 + 2 * (uint32_t)state->lengths + state->offsets;
    const uint8_t *head = sig_bytes(in, part->at, head_len);

    state->part_len = head_len;
    if (head == NULL)
        return STEP_WAIT;
    if (memcmp(head, magic, 5) != 0)
        return step_bad(why, "invalid heap or tree");
    if (part->kind == HDF5_NAMES) {
        const uint64_t size = hdf5_number(head + 8, state->lengths);
        const uint64_t at = hdf5_number(head + 8 + 2 * state->lengths, state->offsets);

        if (at > state->end || size > state->end - at)
            return step_bad(why, "the names lie outside the file");
    }
    return STEP_DONE;
}

static enum step hdf5_part(struct sig_input *in, struct hdf5_state *state,
                           const struct hdf5_part *part, const char **why)
{
    switch (part->kind) {
    case HDF5_OBJECT:
    case HDF5_MORE:
    case HDF5_MORE_2:
        return hdf5_object(in, state, part, why);
    case HDF5_GROUP_TREE:
    case HDF5_CHUNK_TREE:
    case HDF5_DEFLATED_TREE:
        return hdf5_tree(in, state, part, why);
    case HDF5_SYMBOLS:
        return hdf5_symbols(in, state, part->at, why);
    default:
        return hdf5_magic(in, state, part,
                          part->kind == HDF5_NAMES          ? "HEAP"
                          : part->kind == HDF5_FRACTAL_HEAP ? "FRHP"
                                                            : "BTHD",
                          why);
    }
}

/* Looks at the last structure of the list. What a try that comes to no end adds is taken back. */
static enum step hdf5_next(struct sig_input *in, struct hdf5_state *state, const char **why)
{
    const struct hdf5_part part = state->todo[state->count - 1];
    const uint32_t before = state->count;
    const enum step step = hdf5_part(in, state, &part, why);

    if (step == STEP_WAIT && state->count != before) {
        state->count = before;
        state->entry = 0;
    }
    if (step != STEP_DONE)
        return step;
    state->entry = 0;
    state->todo[before - 1] = state->todo[--state->count];
    if (state->object.chunks != HDF5_NONE && part.kind <= HDF5_MORE_2) {
        if (!hdf5_add(state, state->object.deflated ? HDF5_DEFLATED_TREE : HDF5_CHUNK_TREE,
                      state->object.chunks, 0, state->object.dimensions))
            return step_bad(why, "the chunks lie outside the file");
    }
    return STEP_DONE;
}

/*
 * Counts the structure at object offset at. Links may lead to a structure more than once, and in a
 * circle: when more bytes have been looked at than twice those that lie there, what is left of the
 * list is not looked at.
 */
static void hdf5_account(struct hdf5_state *state, uint64_t at)
{
    const uint64_t end = sig_add(at, state->part_len);

    state->looked += state->part_len;
    state->reach = end > state->reach ? end : state->reach;
    if (state->looked > sig_add(state->reach, sig_add(state->reach, HDF5_AGAIN)))
        state->count = 0;
}

static struct sig_result hdf5_check(struct sig_input *in, void *memory)
{
    struct hdf5_state *state = memory;
    const char *why = NULL;
    uint64_t root;

    if (!state->begun) {
        const enum step step = hdf5_super(in, state, &root, &why);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject(why);
        hdf5_add(state, HDF5_OBJECT, root, 0, 0);
        state->begun = true;
    }
    while (state->count > 0) {
        const uint64_t at = state->todo[state->count - 1].at;
        const enum step step = hdf5_next(in, state, &why);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, why);
        sig_valid(in, at < in->limit ? at : in->limit);
        hdf5_account(state, at);
    }
    if (sig_bytes(in, state->end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, state->end, "the structures of the root group and below are valid");
}

const struct sig sig_hdf5 = {
    .name = "h5",
    .what = "HDF5 data (also NetCDF-4, MATLAB 7.3, MINC 2)",
    .proves = "object headers, trees, symbols and heaps are where they are referred to; data lie "
              "inside, deflated data begin as such",
    .source = "The HDF Group, HDF5 File Format Specification Version 3.0: II, III.A, III.D, IV.A",
    .types = (const struct sig_type[]){ { "h5", "h5" }, { 0 } },
    .headers = { SIG_MASKED("\x89HDF\r\n\x1a\n\0", "\xff\xff\xff\xff\xff\xff\xff\xff\xfc") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = HDF5_SUPER_MAX,
    .size_max = UINT64_C(1) << 42,
    .state_size = sizeof(struct hdf5_state),
    .check = hdf5_check,
};
