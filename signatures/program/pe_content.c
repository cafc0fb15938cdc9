/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pe_content.c - what the directories of a PE file point to.
 *
 * Names are text, tables are sorted, relocated words point into the image, symbols belong to
 * sections. A file that is not in one piece has other data at most of these places. The place is
 * kept in the state, so that waiting for bytes does not start over.
 */
#include <string.h>

#include "signatures/program/pe.h"

enum {
    PE_SYMBOL = 18,
    PE_SYMBOLS_AT_ONCE = 2048,
    PE_IMPORT_SIZE = 20,
    PE_IMPORTS_MAX = 4096,
    PE_EXPORT_SIZE = 40,
    PE_EXPORTS_MAX = 1 << 16,
    PE_PAGE = 4096,
    PE_FUNCTION_SIZE = 12, /* of the table of x64 */
    PE_FUNCTIONS_AT_ONCE = 4096,
    PE_NODE_HEAD = 16,
    PE_NODE_ENTRIES = 4096,
    PE_LEVELS = 3,
    PE_LEAF = 16,
    PE_KIND_SEEN = 16, /* bytes */
    PE_KIND_STRINGS = 6,
    PE_STRINGS_A_BLOCK = 16,
    PE_CERTIFICATES_MAX = 64,
    PE_X64 = 0x8664,
};

static const uint32_t PE_SUBTREE = 0x80000000;

typedef enum step pe_part(struct sig_input *in, struct pe_state *state);

/* A name in the file: a NUL-terminated text of printable characters. */
static enum step pe_name(struct sig_input *in, const struct pe_state *state, uint32_t address)
{
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, address, &rest);
    const uint32_t len = rest < 64 ? rest : 64;

    if (at == 0 || len < 2)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, len);
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < len; i++) {
        if (p[i] == 0)
            return i > 0 ? STEP_DONE : STEP_BAD;
        if (p[i] < ' ' || p[i] > '~')
            return STEP_BAD;
    }
    return STEP_DONE;
}

static enum step pe_certificates(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *table = &state->header.directories[PE_CERTIFICATE];
    uint64_t at = table->address;
    const uint64_t end = at + table->size;

    for (uint32_t i = 0; table->size > 0 && end - at >= 8; i++) {
        const uint8_t *p = sig_bytes(in, at, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t len = bytes_u32le(p);
        if (len == 0 && i > 0)
            break; /* room left over */
        if (i == PE_CERTIFICATES_MAX || len < 8 || len > end - at ||
            (bytes_u16le(p + 4) != 0x100 && bytes_u16le(p + 4) != 0x200))
            return STEP_BAD;
        at += (len + 7) & ~UINT64_C(7);
        if (at >= end)
            break;
    }
    return STEP_DONE;
}

/* Symbols belong to sections that exist, and have classes that exist. */
static enum step pe_symbols(struct sig_input *in, struct pe_state *state)
{
    const struct pe_header *header = &state->header;
    uint32_t skip = state->last;

    while (header->symbols_at != 0 && state->entry < header->symbol_count) {
        const uint64_t left = header->symbol_count - state->entry;
        const uint32_t count = left < PE_SYMBOLS_AT_ONCE ? (uint32_t)left : PE_SYMBOLS_AT_ONCE;
        const uint8_t *p =
            sig_bytes(in, header->symbols_at + state->entry * PE_SYMBOL, count * PE_SYMBOL);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += PE_SYMBOL) {
            const int16_t section = (int16_t)bytes_u16le(p + 12);

            if (skip > 0) {
                skip--;
                continue;
            }
            if (section < -2 || section > (int32_t)header->section_count ||
                (p[16] > 25 && p[16] < 100) || (p[16] > 112 && p[16] < 255) ||
                (bytes_u32le(p) == 0 && bytes_u32le(p + 4) < 4))
                return STEP_BAD;
            skip = p[17];
        }
        state->entry += count;
        state->last = skip;
    }
    return STEP_DONE;
}

static enum step pe_imports(struct sig_input *in, struct pe_state *state)
{
    uint32_t rest;
    const struct pe_directory *directory = &state->header.directories[PE_IMPORT];
    const uint64_t at = pe_place(&state->header, directory->address, &rest);

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0)
        return STEP_BAD;
    for (; state->entry < PE_IMPORTS_MAX && (state->entry + 1) * PE_IMPORT_SIZE <= rest;
         state->entry++) {
        const uint8_t *p = sig_bytes(in, at + state->entry * PE_IMPORT_SIZE, PE_IMPORT_SIZE);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t name = bytes_u32le(p + 12), table = bytes_u32le(p + 16);
        if (name == 0 || table == 0) /* the entry that ends the list */
            return state->entry > 0 ? STEP_DONE : STEP_BAD;
        if (table >= state->header.image_size)
            return STEP_BAD;
        const enum step step = pe_name(in, state, name);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_BAD;
}

/* The functions' addresses lie in the image; their names are text. */
static enum step pe_exports(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_EXPORT];
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || rest < PE_EXPORT_SIZE)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, PE_EXPORT_SIZE);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t name = bytes_u32le(p + 12), functions = bytes_u32le(p + 20),
                   names = bytes_u32le(p + 24);
    const uint32_t names_address = bytes_u32le(p + 32);
    if (functions > PE_EXPORTS_MAX || names > PE_EXPORTS_MAX)
        return STEP_BAD;
    if (state->entry == 0 && name != 0) {
        const enum step step = pe_name(in, state, name);
        if (step != STEP_DONE)
            return step;
    }
    const uint64_t names_at = pe_place(&state->header, names_address, &rest);
    if (names > 0 && (names_at == 0 || rest / 4 < names))
        return STEP_BAD;
    for (; state->entry < names; state->entry++) {
        const uint8_t *pointer = sig_bytes(in, names_at + state->entry * 4, 4);

        if (pointer == NULL)
            return STEP_WAIT;
        const enum step step = pe_name(in, state, bytes_u32le(pointer));
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

/* How many of a block's relocated words do not point into the image; page: the page's bytes, block:
 * the entries. */
static uint32_t pe_strange_words(const struct pe_header *header, const uint8_t *page,
                                 uint32_t page_len, const uint8_t *block, uint32_t count,
                                 uint32_t *seen)
{
    uint32_t strange = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t entry = bytes_u16le(block + 2 * i);
        const uint32_t kind = entry >> 12, at = entry & 0xfff, width = kind == 10 ? 8 : 4;

        if ((kind != 3 && kind != 10) || at + width > page_len)
            continue;
        const uint64_t target = kind == 10 ? bytes_u64le(page + at) : bytes_u32le(page + at);
        strange += target - header->image_base > header->image_size;
        ++*seen;
    }
    return strange;
}

/* One block of the table that begins at from. Half of its words may be strange, since some point
 * before or behind what they mean. */
static enum step pe_relocation_block(struct sig_input *in, const struct pe_header *header,
                                     uint64_t from, uint64_t at, uint32_t rest, uint32_t *len)
{
    uint8_t entries[2 * PE_PAGE];
    uint32_t page_rest, seen = 0;
    const uint8_t *p = sig_bytes(in, at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t address = bytes_u32le(p);
    *len = bytes_u32le(p + 4);
    if (address == 0 && *len == 0 && at != from) { /* room left over */
        *len = rest;
        return STEP_DONE;
    }
    if (*len < 8 || *len > rest || *len % 2 != 0 || address % PE_PAGE != 0 ||
        address >= header->image_size || *len - 8 > sizeof entries)
        return STEP_BAD;
    const uint32_t count = (*len - 8) / 2;
    if (count == 0)
        return STEP_DONE;
    p = sig_bytes(in, at + 8, *len - 8);
    if (p == NULL)
        return STEP_WAIT;
    memcpy(entries, p, *len - 8);
    for (uint32_t i = 0; i < count; i++)
        if (entries[2 * i + 1] >> 4 > 10)
            return STEP_BAD;
    const uint64_t page_at = pe_place(header, address, &page_rest);
    if (page_at == 0)
        return STEP_DONE;
    const uint32_t page_len = page_rest < PE_PAGE + 8 ? page_rest : PE_PAGE + 8;
    p = sig_bytes(in, page_at, page_len);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t strange = pe_strange_words(header, p, page_len, entries, count, &seen);
    return seen >= 2 && strange * 2 > seen ? STEP_BAD : STEP_DONE;
}

static enum step pe_relocations(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_RELOCATION];
    uint32_t rest, len;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || directory->size > rest)
        return STEP_BAD;
    for (len = 0; state->entry + 8 <= directory->size; state->entry += len) {
        const enum step step = pe_relocation_block(in, &state->header, at, at + state->entry,
                                                   directory->size - (uint32_t)state->entry, &len);

        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

/* x64: functions in the order of their addresses. */
static enum step pe_functions(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_EXCEPTION];
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);
    const uint32_t all = directory->size / PE_FUNCTION_SIZE;

    if (state->header.machine != PE_X64 || all == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || directory->size > rest)
        return STEP_BAD;
    while (state->entry < all) {
        const uint64_t left = all - state->entry;
        const uint32_t count = left < PE_FUNCTIONS_AT_ONCE ? (uint32_t)left : PE_FUNCTIONS_AT_ONCE;
        const uint8_t *p =
            sig_bytes(in, at + state->entry * PE_FUNCTION_SIZE, count * PE_FUNCTION_SIZE);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += PE_FUNCTION_SIZE) {
            const uint32_t from = bytes_u32le(p), to = bytes_u32le(p + 4);

            if (from == 0 && to == 0)
                continue; /* room left over */
            if (from >= to || to > state->header.image_size || from < state->last ||
                (bytes_u32le(p + 8) & ~1u) >= state->header.image_size)
                return STEP_BAD;
            state->last = to;
        }
        state->entry += count;
    }
    return STEP_DONE;
}

/* What data of a type that Windows knows begin with; p: the first PE_KIND_SEEN bytes, or all of
 * them if there are fewer. */
static bool pe_kind(uint32_t kind, const uint8_t *p, uint32_t size)
{
    const bool hotspot = kind == 1;

    switch (kind) {
    case 1: /* cursor */
    case 2: /* bitmap */
    case 3: /* icon */
        p += hotspot ? 4 : 0;
        return size < 16 || bytes_u32le(p) == 12 ||
               (bytes_u32le(p) >= 40 && bytes_u32le(p) <= 124) || memcmp(p, "\x89PNG", 4) == 0;
    case 4: /* menu, old or extended */
        return bytes_u32le(p) == 0 || bytes_u32le(p) == 0x40001;
    case 12: /* groups of cursors and of icons */
    case 14:
        return size < 6 || (bytes_u16le(p) == 0 && bytes_u16le(p + 2) == (kind == 12 ? 2 : 1) &&
                            6 + 14 * (uint32_t)bytes_u16le(p + 4) <= size);
    case 16: /* version */
        return size < 16 || (bytes_u16le(p) <= size && memcmp(p + 6, "V\0S\0_\0V\0E", 9) == 0);
    default:
        return true;
    }
}

/* A block of 16 strings of UTF-16, each with its length before it. */
static enum step pe_strings(struct sig_input *in, uint64_t at, uint32_t size)
{
    const uint8_t *p = sig_bytes(in, at, size);
    uint32_t end = 0;

    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < PE_STRINGS_A_BLOCK; i++) {
        if (size - end < 2 || bytes_u16le(p + end) > (size - end - 2) / 2)
            return STEP_BAD;
        end += 2 + 2 * (uint32_t)bytes_u16le(p + end);
    }
    return STEP_DONE;
}

/* A leaf of the tree: where its data are, how many, and what they are by their type, if that is one
 * with a number. */
static enum step pe_resource_data(struct sig_input *in, const struct pe_header *header, uint64_t at,
                                  uint32_t kind)
{
    uint32_t rest;
    const uint8_t *p = sig_bytes(in, at, PE_LEAF);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t address = bytes_u32le(p), size = bytes_u32le(p + 4);
    const uint64_t place = pe_place(header, address, &rest);
    if (bytes_u32le(p + 12) != 0 || address >= header->image_size ||
        size > header->image_size - address)
        return STEP_BAD;
    if (place == 0 || size > rest || size < PE_KIND_SEEN) /* packers keep them elsewhere */
        return STEP_DONE;
    if (kind == PE_KIND_STRINGS && size <= SIG_BYTES_MAX)
        return pe_strings(in, place, size);
    p = sig_bytes(in, place, PE_KIND_SEEN);
    if (p == NULL)
        return STEP_WAIT;
    return pe_kind(kind, p, size) ? STEP_DONE : STEP_BAD;
}

/* An entry of the node at *node: what it is called, and what hangs from it. STEP_BAD: there is no
 * such entry. */
static enum step pe_resource_entry(struct sig_input *in, uint64_t tree, uint32_t rest,
                                   uint32_t node, uint32_t entry, uint32_t *count, uint32_t *name,
                                   uint32_t *child)
{
    if (node > rest - PE_NODE_HEAD)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, tree + node, PE_NODE_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    *count = (uint32_t)bytes_u16le(p + 12) + bytes_u16le(p + 14);
    if (bytes_u32le(p) != 0 || *count > PE_NODE_ENTRIES || PE_NODE_HEAD + *count * 8 > rest - node)
        return STEP_BAD;
    if (entry >= *count)
        return STEP_DONE;
    p = sig_bytes(in, tree + node + PE_NODE_HEAD + entry * 8, 8);
    if (p == NULL)
        return STEP_WAIT;
    *name = bytes_u32le(p);
    *child = bytes_u32le(p + 4);
    return STEP_DONE;
}

/*
 * Goes from the leaf that state->path names to the next one. STEP_DONE with *over: it was the last.
 * Types, names, languages: three levels, and then the leaf. Types and names that hang from several
 * places are met again, so leaves are counted.
 */
static enum step pe_resource_leaf(struct sig_input *in, struct pe_state *state, uint64_t tree,
                                  uint32_t rest, bool *over)
{
    uint32_t node = 0, kind = 0, count = 0, name = 0, child = 0;

    *over = false;
    for (uint32_t level = 0; level < PE_LEVELS; level++) {
        const enum step step =
            pe_resource_entry(in, tree, rest, node, state->path[level], &count, &name, &child);

        if (step != STEP_DONE)
            return step;
        if (state->path[level] >= count) {
            *over = level == 0;
            if (level == 0)
                return STEP_DONE;
            if (count == 0)
                return STEP_BAD;
            state->path[level] = 0;
            state->path[level - 1]++;
            return STEP_DONE;
        }
        if ((child & PE_SUBTREE) != 0 ? level + 1 == PE_LEVELS : level + 1 < PE_LEVELS)
            return STEP_BAD;
        if (level == 0)
            kind = name;
        node = child & ~PE_SUBTREE;
    }
    if (node > rest - PE_LEAF || ++state->entry > rest / PE_LEAF)
        return STEP_BAD;
    const enum step step = pe_resource_data(in, &state->header, tree + node, kind);
    if (step == STEP_DONE)
        state->path[PE_LEVELS - 1]++;
    else
        state->entry--;
    return step;
}

/* The whole tree of resources, and what each of them begins with. */
static enum step pe_resources(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_RESOURCE];
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);
    enum step step = STEP_DONE;

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || rest < PE_NODE_HEAD)
        return STEP_BAD;
    for (bool over = false; step == STEP_DONE && !over;)
        step = pe_resource_leaf(in, state, at, rest, &over);
    return step;
}

/* .NET: the header's size, and the signature of the metadata. */
static enum step pe_clr(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_CLR];
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || rest < 72)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, 72);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(p), metadata = bytes_u32le(p + 8),
                   metadata_size = bytes_u32le(p + 12);
    const uint64_t metadata_at = pe_place(&state->header, metadata, &rest);
    if (size != 72 || metadata_at == 0 || rest < metadata_size || metadata_size < 16)
        return STEP_BAD;
    p = sig_bytes(in, metadata_at, 4);
    if (p == NULL)
        return STEP_WAIT;
    return memcmp(p, "BSJB", 4) == 0 ? STEP_DONE : STEP_BAD;
}

enum step pe_content(struct sig_input *in, struct pe_state *state, const char **why)
{
    static const struct {
        pe_part *check;
        const char *why;
    } parts[] = {
        { pe_imports, "invalid imports" },     { pe_exports, "invalid exports" },
        { pe_resources, "invalid resources" }, { pe_functions, "invalid table of functions" },
        { pe_clr, "invalid .NET header" },     { pe_relocations, "invalid relocations" },
        { pe_symbols, "invalid symbols" },     { pe_certificates, "invalid certificates" },
    };

    for (; state->directory < sizeof parts / sizeof parts[0]; state->directory++) {
        const enum step step = parts[state->directory].check(in, state);

        *why = parts[state->directory].why;
        if (step != STEP_DONE)
            return step;
        state->entry = 0;
        state->last = 0;
    }
    return STEP_DONE;
}
