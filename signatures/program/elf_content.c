/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/elf_content.c - string tables, symbols, relocations, notes, the dynamic
 * section: what must stand in them.
 *
 * Sections are read in the order of the table. The place is kept in the state, so that waiting for
 * bytes does not start over.
 */
#include "signatures/program/elf.h"

enum {
    ELF_SYMBOLS_AT_ONCE = 2048,
    ELF_SYMBOL_SECTIONS = 0xff00, /* from here on special section indexes */
    ELF_DYNAMIC_MAX = 4096,       /* entries */
};

static enum step elf_strings(struct sig_input *in, const struct elf_section *section)
{
    if (section->size == 0)
        return STEP_DONE;
    const uint8_t *first = sig_bytes(in, section->at, 1);
    if (first == NULL)
        return STEP_WAIT;
    if (first[0] != 0)
        return STEP_BAD;
    const uint8_t *last = sig_bytes(in, section->at + section->size - 1, 1);
    if (last == NULL)
        return STEP_WAIT;
    return last[0] == 0 ? STEP_DONE : STEP_BAD;
}

/* The next entries, *count of them, of a section that is a table of them; state->entry have been
 * read. NULL: wait. */
static const uint8_t *elf_entries(struct sig_input *in, const struct elf_state *state,
                                  const struct elf_section *section, uint32_t size, uint32_t *count)
{
    const uint64_t left = section->size / size - state->entry;

    *count = left < ELF_SYMBOLS_AT_ONCE ? (uint32_t)left : ELF_SYMBOLS_AT_ONCE;
    return sig_bytes(in, section->at + state->entry * size, *count * size);
}

/* Names must lie in the linked string table, sections must exist. */
static enum step elf_symbols(struct sig_input *in, const struct elf_header *header,
                             struct elf_state *state, const struct elf_section *section)
{
    const uint32_t size = header->wide ? 24 : 16;
    struct elf_section strings;

    if (section->entry_size != size || section->size % size != 0 || section->link == 0 ||
        section->link >= header->section_count)
        return STEP_BAD;
    const enum step step = elf_section(in, header, section->link, &strings);
    if (step != STEP_DONE)
        return step;
    while (state->entry < section->size / size) {
        uint32_t count;
        const uint8_t *p = elf_entries(in, state, section, size, &count);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += size) {
            const uint32_t where = elf_u16(header, p + (header->wide ? 6 : 14));
            if (elf_u32(header, p) >= strings.size ||
                (where >= header->section_count && where < ELF_SYMBOL_SECTIONS))
                return STEP_BAD;
        }
        state->entry += count;
    }
    return STEP_DONE;
}

/* Every relocation's symbol must exist. */
static enum step elf_relocations(struct sig_input *in, const struct elf_header *header,
                                 struct elf_state *state, const struct elf_section *section,
                                 bool mips)
{
    const uint32_t word = header->wide ? 8 : 4;
    const uint32_t size = (section->type == ELF_RELA ? 3 : 2) * word;
    struct elf_section symbols;

    if (section->entry_size != size || section->size % size != 0 ||
        section->link >= header->section_count)
        return STEP_BAD;
    if (section->link == 0 ||
        mips) /* without symbols, as static programs have them; MIPS has a layout of its own */
        return STEP_DONE;
    const enum step step = elf_section(in, header, section->link, &symbols);
    if (step != STEP_DONE)
        return step;
    if (symbols.type != ELF_SYMTAB && symbols.type != ELF_DYNSYM)
        return STEP_BAD;
    const uint64_t known = symbols.size / (header->wide ? 24 : 16);
    while (state->entry < section->size / size) {
        uint32_t count;
        const uint8_t *p = elf_entries(in, state, section, size, &count);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < count; i++, p += size) {
            const uint64_t info = elf_word(header, p + (header->wide ? 8 : 4));
            if ((header->wide ? info >> 32 : info >> 8) >= known)
                return STEP_BAD;
        }
        state->entry += count;
    }
    return STEP_DONE;
}

/* The first note must fit into its section. */
static enum step elf_note(struct sig_input *in, const struct elf_header *header,
                          const struct elf_section *section)
{
    if (section->size < 12)
        return section->size == 0 ? STEP_DONE : STEP_BAD;
    const uint8_t *p = sig_bytes(in, section->at, 12);
    if (p == NULL)
        return STEP_WAIT;
    const uint64_t name = elf_u32(header, p), description = elf_u32(header, p + 4);
    return 12 + name + description <= section->size ? STEP_DONE : STEP_BAD;
}

enum step elf_dynamic_content(struct sig_input *in, const struct elf_header *header, uint64_t at,
                              uint64_t size, uint64_t *end)
{
    const uint32_t entry = header->wide ? 16 : 8;

    for (uint32_t i = 0; i < ELF_DYNAMIC_MAX && i < size / entry; i++) {
        const uint8_t *p = sig_bytes(in, sig_add(at, (uint64_t)i * entry), entry);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t tag = elf_word(header, p);
        *end = sig_add(at, (uint64_t)(i + 1) * entry);
        if (tag == 0)
            return i > 0 ? STEP_DONE : STEP_BAD;
        if (tag > 64 && (tag < 0x60000000 || tag > 0x7fffffff))
            return STEP_BAD;
    }
    return STEP_BAD;
}

/* Is all of it read? */
static bool elf_has_entries(const struct elf_section *section)
{
    return section->type == ELF_SYMTAB || section->type == ELF_DYNSYM ||
           section->type == ELF_RELA || section->type == ELF_REL || section->type == ELF_DYNAMIC;
}

static enum step elf_section_content(struct sig_input *in, const struct elf_header *header,
                                     struct elf_state *state, const struct elf_section *section,
                                     bool mips)
{
    uint64_t end;

    switch (section->type) {
    case ELF_STRTAB:
        return elf_strings(in, section);
    case ELF_SYMTAB:
    case ELF_DYNSYM:
        return elf_symbols(in, header, state, section);
    case ELF_RELA:
    case ELF_REL:
        return elf_relocations(in, header, state, section, mips);
    case ELF_NOTE:
        return elf_note(in, header, section);
    case ELF_DYNAMIC:
        return elf_dynamic_content(in, header, section->at, section->size, &end);
    default:
        return STEP_DONE;
    }
}

enum step elf_sections_content(struct sig_input *in, const struct elf_header *header,
                               struct elf_state *state, const char **why)
{
    static const uint16_t machine_mips = 8;
    const uint8_t *machine = sig_bytes(in, 18, 2);

    if (machine == NULL)
        return STEP_WAIT;
    const bool mips = elf_u16(header, machine) == machine_mips;
    for (; state->section < header->section_count; state->section++, state->entry = 0) {
        struct elf_section section;
        enum step step = elf_section(in, header, state->section, &section);

        if (step != STEP_DONE)
            return step;
        const uint64_t size = elf_has_entries(&section) ? section.size : 0;
        if (size > state->length - state->content) {
            *why = "the sections overlap";
            return STEP_BAD;
        }
        step = elf_section_content(in, header, state, &section, mips);
        if (step == STEP_BAD)
            *why = "invalid content of a section";
        if (step != STEP_DONE)
            return step;
        state->content += size;
    }
    return STEP_DONE;
}
