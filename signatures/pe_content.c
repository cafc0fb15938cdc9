/*
 * signatures/pe_content.c - what the directories of a PE file point to.
 *
 * Names are text, tables are sorted, relocated words point into the image, symbols belong to sections. A file that is
 * not in one piece has other data at most of these places. The place is kept in the state, so that waiting for bytes
 * does not start over.
 */
#include <string.h>

#include "signatures/pe.h"

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
    PE_CERTIFICATES_MAX = 64,
    PE_X64 = 0x8664,
};

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
        const uint8_t *p = sig_bytes(in, header->symbols_at + state->entry * PE_SYMBOL, count * PE_SYMBOL);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += PE_SYMBOL) {
            const int16_t section = (int16_t)bytes_u16le(p + 12);

            if (skip > 0) {
                skip--;
                continue;
            }
            if (section < -2 || section > (int32_t)header->section_count || (p[16] > 25 && p[16] < 100) ||
                (p[16] > 112 && p[16] < 255) || (bytes_u32le(p) == 0 && bytes_u32le(p + 4) < 4))
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
    for (; state->entry < PE_IMPORTS_MAX && (state->entry + 1) * PE_IMPORT_SIZE <= rest; state->entry++) {
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
    const uint32_t name = bytes_u32le(p + 12), functions = bytes_u32le(p + 20), names = bytes_u32le(p + 24);
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

/* How many of a block's relocated words do not point into the image; page: the page's bytes, block: the entries. */
static uint32_t pe_strange_words(const struct pe_header *header, const uint8_t *page, uint32_t page_len,
                                 const uint8_t *block, uint32_t count, uint32_t *seen)
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

/* One block of the table that begins at from. Half of its words may be strange, since some point before or behind what they mean. */
static enum step pe_relocation_block(struct sig_input *in, const struct pe_header *header, uint64_t from, uint64_t at,
                                     uint32_t rest, uint32_t *len)
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
    if (*len < 8 || *len > rest || *len % 2 != 0 || address % PE_PAGE != 0 || address >= header->image_size ||
        *len - 8 > sizeof entries)
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
        const uint8_t *p = sig_bytes(in, at + state->entry * PE_FUNCTION_SIZE, count * PE_FUNCTION_SIZE);

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

/* The top of the resource tree, and what hangs from it: counts and places. */
static enum step pe_resources(struct sig_input *in, struct pe_state *state)
{
    const struct pe_directory *directory = &state->header.directories[PE_RESOURCE];
    uint32_t rest;
    const uint64_t at = pe_place(&state->header, directory->address, &rest);

    if (directory->size == 0 || directory->address == 0)
        return STEP_DONE;
    if (at == 0 || rest < PE_NODE_HEAD)
        return STEP_BAD;
    const uint8_t *p = sig_bytes(in, at, PE_NODE_HEAD);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = (uint32_t)bytes_u16le(p + 12) + bytes_u16le(p + 14);
    if (bytes_u32le(p) != 0 || count > PE_NODE_ENTRIES || PE_NODE_HEAD + count * 8 > rest)
        return STEP_BAD;
    for (; state->entry < count; state->entry++) {
        p = sig_bytes(in, at + PE_NODE_HEAD + state->entry * 8, 8);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t child = bytes_u32le(p + 4) & 0x7fffffff;
        if ((bytes_u32le(p + 4) & 0x80000000) == 0 || child > rest - PE_NODE_HEAD)
            return STEP_BAD;
        p = sig_bytes(in, at + child, PE_NODE_HEAD);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t children = (uint32_t)bytes_u16le(p + 12) + bytes_u16le(p + 14);
        if (bytes_u32le(p) != 0 || children == 0 || children > PE_NODE_ENTRIES)
            return STEP_BAD;
    }
    return STEP_DONE;
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
    const uint32_t size = bytes_u32le(p), metadata = bytes_u32le(p + 8), metadata_size = bytes_u32le(p + 12);
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
        { pe_imports, "imports that cannot be" },     { pe_exports, "exports that cannot be" },
        { pe_resources, "resources that cannot be" }, { pe_functions, "a table of functions that cannot be" },
        { pe_clr, "a .NET header that cannot be" },   { pe_relocations, "relocations that cannot be" },
        { pe_symbols, "symbols that cannot be" },     { pe_certificates, "certificates that cannot be" },
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
