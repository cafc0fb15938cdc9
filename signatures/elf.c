/*
 * signatures/elf.c - ELF programs, libraries, objects and core files.
 *
 *   ELF header | program headers | sections' and segments' bytes | section headers (usually last)
 *
 * The length is the largest end of anything the headers name. The section headers are read and checked against each other, which
 * notices a file whose second half is not its own: they then stand elsewhere. A file without section headers (core files, stripped
 * by hand) is measured by its segments alone.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    ELF_IDENT = 16,
    ELF_ALIGN_MAX = 1 << 24,
    SHT_NULL = 0,
    SHT_STRTAB = 3,
    SHT_NOBITS = 8,
    PT_LOAD = 1,
};

struct elf {
    bool     wide, big;        /* 64-bit, big-endian */
    uint16_t type;
    uint64_t program_at, section_at;
    uint32_t header_size, program_size, program_count, section_size, section_count, names_index;
};

/* Kept between calls: how far the tables have been read. */
struct elf_state {
    uint32_t programs, sections;
    uint64_t end;
};

struct elf_section {
    uint32_t name, type;
    uint64_t offset, size, align;
};

static uint16_t elf_u16(const struct elf *elf, const uint8_t *p)
{
    return elf->big ? bytes_u16be(p) : bytes_u16le(p);
}

static uint32_t elf_u32(const struct elf *elf, const uint8_t *p)
{
    return elf->big ? bytes_u32be(p) : bytes_u32le(p);
}

/* A word of the file's class: 8 bytes or 4. */
static uint64_t elf_word(const struct elf *elf, const uint8_t *p)
{
    if (elf->wide)
        return elf->big ? bytes_u64be(p) : bytes_u64le(p);
    return elf_u32(elf, p);
}

/* The header into elf; NULL, or why it is none. head holds 64 bytes, or 52 for a 32-bit file. */
static const char *elf_read_header(const uint8_t *head, struct elf *elf)
{
    const uint32_t word = elf->wide ? 8 : 4;
    const uint8_t *rest = head + 24 + 3 * word; /* behind entry, program and section header offsets */

    elf->type = elf_u16(elf, head + 16);
    elf->program_at = elf_word(elf, head + 24 + word);
    elf->section_at = elf_word(elf, head + 24 + 2 * word);
    elf->header_size = elf_u16(elf, rest + 4);
    elf->program_size = elf_u16(elf, rest + 6);
    elf->program_count = elf_u16(elf, rest + 8);
    elf->section_size = elf_u16(elf, rest + 10);
    elf->section_count = elf_u16(elf, rest + 12);
    elf->names_index = elf_u16(elf, rest + 14);
    if (elf_u32(elf, head + 20) != 1)
        return "e_version is not 1";
    if (elf->header_size != (elf->wide ? 64u : 52u))
        return "e_ehsize is not the size of an ELF header";
    if (!(elf->type <= 4 || elf->type >= 0xfe00) || elf_u16(elf, head + 18) == 0)
        return "e_type or e_machine is not known";
    if (elf->program_count > 0 && (elf->program_size != (elf->wide ? 56u : 32u) || elf->program_at < elf->header_size))
        return "program headers of a wrong size or place";
    if (elf->section_count > 0 && (elf->section_size != (elf->wide ? 64u : 40u) || elf->section_at < elf->header_size ||
                                   elf->names_index >= elf->section_count))
        return "section headers of a wrong size or place";
    if (elf->program_count == 0 && elf->section_count == 0)
        return "neither program nor section headers";
    return NULL;
}

static void elf_extend(struct elf_state *state, uint64_t offset, uint64_t size)
{
    const uint64_t end = sig_add(offset, size);

    if (end > state->end)
        state->end = end;
}

static void elf_read_section(const struct elf *elf, const uint8_t *p, struct elf_section *out)
{
    const uint32_t word = elf->wide ? 8 : 4;

    out->name = elf_u32(elf, p);
    out->type = elf_u32(elf, p + 4);
    out->offset = elf_word(elf, p + 8 + 2 * word);
    out->size = elf_word(elf, p + 8 + 3 * word);
    out->align = elf_word(elf, p + 16 + 4 * word);
}

/* Program headers: every segment that lies in the file. */
static bool elf_programs(struct sig_input *in, const struct elf *elf, struct elf_state *state, const char **wrong)
{
    for (; state->programs < elf->program_count; state->programs++) {
        const uint8_t *p = sig_bytes(in, sig_add(elf->program_at, (uint64_t)state->programs * elf->program_size), elf->program_size);
        if (p == NULL)
            return false;
        const uint64_t offset = elf_word(elf, p + (elf->wide ? 8 : 4));
        const uint64_t size = elf_word(elf, p + (elf->wide ? 32 : 16));
        const uint64_t memory = elf_word(elf, p + (elf->wide ? 40 : 20));

        if (elf_u32(elf, p) == PT_LOAD && size > memory && elf->type != 4) {
            *wrong = "a segment is larger in the file than in memory";
            return true;
        }
        if (size > 0)
            elf_extend(state, offset, size);
    }
    elf_extend(state, elf->program_at, (uint64_t)elf->program_count * elf->program_size);
    return true;
}

/* Section headers: each within reason, the first one null, the names' section a string table that all names lie in. */
static bool elf_sections(struct sig_input *in, const struct elf *elf, struct elf_state *state, const char **wrong)
{
    struct elf_section names, section;
    const uint8_t *p =
        sig_bytes(in, sig_add(elf->section_at, (uint64_t)elf->names_index * elf->section_size), elf->section_size);

    if (p == NULL)
        return false;
    elf_read_section(elf, p, &names);
    if (elf->names_index != 0 && names.type != SHT_STRTAB) {
        *wrong = "the section of names is no string table";
        return true;
    }
    for (; state->sections < elf->section_count; state->sections++) {
        p = sig_bytes(in, sig_add(elf->section_at, (uint64_t)state->sections * elf->section_size), elf->section_size);
        if (p == NULL)
            return false;
        elf_read_section(elf, p, &section);
        if (state->sections == 0 && section.type != SHT_NULL) {
            *wrong = "the first section is not the null section";
            return true;
        }
        if ((elf->names_index != 0 && section.name != 0 && section.name >= names.size) || section.align > ELF_ALIGN_MAX ||
            (section.align & (section.align - 1)) != 0) {
            *wrong = "a section header makes no sense";
            return true;
        }
        if (section.type != SHT_NOBITS && section.type != SHT_NULL && section.size > 0)
            elf_extend(state, section.offset, section.size);
    }
    elf_extend(state, elf->section_at, (uint64_t)elf->section_count * elf->section_size);
    return true;
}

static struct sig_result elf_check(struct sig_input *in, void *kept)
{
    struct elf_state *state = kept;
    struct elf elf = { 0 };
    const char *wrong = NULL;
    const uint8_t *head = sig_bytes(in, 0, ELF_IDENT);

    if (head == NULL)
        return sig_short(in);
    if ((head[4] != 1 && head[4] != 2) || (head[5] != 1 && head[5] != 2) || head[6] != 1)
        return sig_reject("class, data or version byte is not known");
    elf.wide = head[4] == 2;
    elf.big = head[5] == 2;
    head = sig_bytes(in, 0, elf.wide ? 64 : 52);
    if (head == NULL)
        return sig_short(in);
    wrong = elf_read_header(head, &elf);
    if (wrong != NULL)
        return sig_reject(wrong);
    if (elf.section_count > 0 && elf.section_at > in->sig->size_max)
        return sig_reject("section headers lie further out than any file is long");

    elf_extend(state, 0, elf.header_size);
    if (!elf_programs(in, &elf, state, &wrong))
        return sig_short(in);
    if (wrong != NULL)
        return sig_reject(wrong);
    sig_valid(in, elf.header_size);
    if (elf.section_count > 0 && !elf_sections(in, &elf, state, &wrong))
        return sig_short(in);
    if (wrong != NULL)
        return sig_breaks(in, wrong);
    return sig_complete(in, state->end, elf.section_count > 0 ? "section headers agree" : "end of the last segment");
}

const struct sig sig_elf = {
    .name = "elf",
    .what = "ELF programs, libraries, objects, core files",
    .source = "System V ABI, gABI 4.1, chapter 4 (ELF header, sections) and chapter 5 (program headers)",
    .types = (const struct sig_type[]){ { "elf", "elf" }, { 0 } },
    .headers = { SIG_PATTERN("\x7f" "ELF\x01\x01\x01"), SIG_PATTERN("\x7f" "ELF\x01\x02\x01"),
                 SIG_PATTERN("\x7f" "ELF\x02\x01\x01"), SIG_PATTERN("\x7f" "ELF\x02\x02\x01") },
    .flags = SIG_CONTAINER,
    .size_min = 52,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct elf_state),
    .check = elf_check,
};
