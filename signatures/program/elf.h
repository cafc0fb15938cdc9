/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/elf.h - what the parts of the ELF validator share; nobody else includes it.
 *
 *   elf.c          headers, tables, the length
 *   elf_content.c  what sections and segments hold: a file whose tables are right may still be
 * pieced together from two
 */
#ifndef BURIN_SIGNATURES_PROGRAM_ELF_H
#define BURIN_SIGNATURES_PROGRAM_ELF_H

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    ELF_NULL = 0,
    ELF_SYMTAB = 2,
    ELF_STRTAB = 3,
    ELF_RELA = 4,
    ELF_DYNAMIC = 6,
    ELF_NOTE = 7,
    ELF_NOBITS = 8,
    ELF_REL = 9,
    ELF_DYNSYM = 11
};
enum { ELF_FILE_CORE = 4 };
enum { ELF_SEGMENT_NULL = 0, ELF_SEGMENT_DYNAMIC = 2 };

/* The file header; counts and indexes as they are after the escapes for large numbers. */
struct elf_header {
    bool wide, big_endian;
    uint16_t type;
    uint64_t segments_at, sections_at; /* object offsets of the tables; 0: none */
    uint32_t segment_count, section_count,
        names; /* names: index of the section with the sections' names */
    uint32_t head_size, segment_size, section_size; /* bytes of an entry */
};

struct elf_section {
    uint32_t name, type, link, info;
    uint64_t flags, at, size, align, entry_size;
};

struct elf_segment {
    uint32_t type;
    uint64_t at, size;
};

struct elf_state {
    uint64_t length;  /* of the file; 0: the tables have not been read */
    uint32_t section; /* next one whose content is to be checked */
    uint64_t entry;   /* next entry in it */
    uint64_t content; /* bytes of the sections before it that are read entry by entry */
};

static inline uint16_t elf_u16(const struct elf_header *header, const uint8_t *p)
{
    return header->big_endian ? bytes_u16be(p) : bytes_u16le(p);
}

static inline uint32_t elf_u32(const struct elf_header *header, const uint8_t *p)
{
    return header->big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

/* Fills header from p, the whole file header. NULL: right. */
const char *elf_header(const uint8_t *p, struct elf_header *header);

/* See struct sig. */
uint32_t elf_marks(const uint8_t *head, struct sig_mark *out);
bool elf_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector);

/* An address, an offset or a size: 4 or 8 bytes, by the file's class. */
static inline uint64_t elf_word(const struct elf_header *header, const uint8_t *p)
{
    if (!header->wide)
        return elf_u32(header, p);
    return header->big_endian ? bytes_u64be(p) : bytes_u64le(p);
}

enum step elf_section(struct sig_input *in, const struct elf_header *header, uint32_t index,
                      struct elf_section *out);
enum step elf_segment(struct sig_input *in, const struct elf_header *header, uint32_t index,
                      struct elf_segment *out);

/* Every section whose content can be told right from wrong; *why is set with STEP_BAD. */
enum step elf_sections_content(struct sig_input *in, const struct elf_header *header,
                               struct elf_state *state, const char **why);

/* The dynamic segment's entries; *end is the object offset behind the one that ends them. */
enum step elf_dynamic_content(struct sig_input *in, const struct elf_header *header, uint64_t at,
                              uint64_t size, uint64_t *end);

#endif
