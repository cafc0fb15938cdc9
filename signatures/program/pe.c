/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pe.c - programs and libraries of Windows, drivers, EFI programs.
 *
 *   DOS header, whose u32le at 60 says where | "PE\0\0", COFF header, optional header with
 * directories | section table sections | COFF symbols and their strings | certificates
 *
 * The length is the largest end of what these tables point to. What an installer appends behind it
 * is another thing, and not taken, unless a certificate table stands behind it. A checksum that is
 * right proves the whole file; few linkers other than Microsoft's and GNU's write one. Wine's build
 * writes its mark over GNU's DOS stub and leaves the checksum of before: such a file is summed as
 * it was.
 */
#include <string.h>

#include "signatures/program/pe.h"
#include "signatures/program/program_facts.h"

enum {
    PE_AT_MAX = 0x1000,
    PE_COFF_HEAD = 24, /* with "PE\0\0" */
    PE_SECTION_SIZE = 40,
    PE_SYMBOL_SIZE = 18,
    PE_LINE_SIZE = 6,
    PE_DEBUG_SIZE = 28,
    PE_CHECKSUM_AT = 64, /* in the optional header */
    PE_FLAGS_AT = 70,
    PE_PREFER_NATIVE = 0x10, /* Wine sets it together with its mark */
    PE_MARK_LEN = 32,
    PE_DLL = 0x2000,
    PE_DEBUG_MAX = 64,
    PE_STRINGS_MAX = 256 << 20,
};

enum { PE_TYPE_EXE, PE_TYPE_DLL, PE_TYPE_SYS, PE_TYPE_EFI };
static const struct sig_type pe_types[] = {
    { "exe", "exe" }, { "dll", "dll" }, { "sys", "sys" }, { "efi", "efi" }, { 0 }
};

uint64_t pe_place(const struct pe_header *header, uint32_t address, uint32_t *rest)
{
    for (uint32_t i = 0; i < header->section_count; i++) {
        const struct pe_section *section = &header->sections[i];

        if (address >= section->address && address - section->address < section->size) {
            *rest = section->size - (address - section->address);
            return (uint64_t)section->at + (address - section->address);
        }
    }
    *rest = 0;
    return 0;
}

static bool pe_machine_ok(uint16_t machine)
{
    static const uint16_t known[] = { 0x14c,  0x8664, 0xaa64, 0x1c0,  0x1c2, 0x1c4, 0x200, 0xebc,
                                      0x162,  0x166,  0x168,  0x169,  0x184, 0x284, 0x1a2, 0x1a3,
                                      0x1a6,  0x1a8,  0x1d3,  0x1f0,  0x1f1, 0x266, 0x366, 0x466,
                                      0x5032, 0x5064, 0x6232, 0x6264, 0xa641 };

    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (machine == known[i])
            return true;
    return false;
}

/* Fills header from the optional header at p. NULL: right. */
static const char *pe_optional(struct pe_header *header, const uint8_t *p, uint32_t size)
{
    const uint16_t magic = bytes_u16le(p);
    const uint32_t directories_at = magic == 0x20b ? 112 : 96;

    if ((magic != 0x10b && magic != 0x20b) || size < directories_at)
        return "unknown kind of the optional header";
    header->wide = magic == 0x20b;
    const uint32_t align = bytes_u32le(p + 32), file_align = bytes_u32le(p + 36);
    const uint32_t count = bytes_u32le(p + directories_at - 4);
    if (align == 0 || (align & (align - 1)) != 0 || file_align == 0 ||
        (file_align & (file_align - 1)) != 0 || file_align > align || file_align > 0x10000)
        return "invalid alignments";
    if (count > PE_DIRECTORIES || size < directories_at + count * 8)
        return "there are more directories than the header has room for";
    header->align = align;
    header->image_base = header->wide ? bytes_u64le(p + 24) : bytes_u32le(p + 28);
    header->image_size = bytes_u32le(p + 56);
    header->headers_size = bytes_u32le(p + 60);
    header->checksum = bytes_u32le(p + PE_CHECKSUM_AT);
    header->subsystem = bytes_u16le(p + 68);
    header->flags = bytes_u16le(p + PE_FLAGS_AT);
    if (header->subsystem > 17 || bytes_u32le(p + 52) != 0)
        return "invalid subsystem or reserved field";
    for (uint32_t i = 0; i < count; i++) {
        header->directories[i].address = bytes_u32le(p + directories_at + i * 8);
        header->directories[i].size = bytes_u32le(p + directories_at + i * 8 + 4);
    }
    return NULL;
}

static void pe_raise(uint64_t *end, uint64_t to)
{
    if (to > *end)
        *end = to;
}

static bool pe_is_efi(const struct pe_header *header)
{
    return header->subsystem >= 10 && header->subsystem <= 13;
}

/* Fills the sections from their table at p. NULL: right. */
static const char *pe_sections(struct pe_header *header, const uint8_t *p, uint64_t table_end,
                               uint64_t *end)
{
    uint64_t memory_end = 0;

    for (uint32_t i = 0; i < header->section_count; i++, p += PE_SECTION_SIZE) {
        struct pe_section *section = &header->sections[i];
        const uint32_t lines_at = bytes_u32le(p + 28);

        *section = (struct pe_section){ .memory = bytes_u32le(p + 8),
                                        .address = bytes_u32le(p + 12),
                                        .size = bytes_u32le(p + 16),
                                        .at = bytes_u32le(p + 20) };
        if (section->at == 0)
            section->size = 0;
        if (section->address < memory_end ||
            (!pe_is_efi(header) && section->address % header->align != 0) ||
            section->address >= header->image_size)
            return "the sections are out of order in memory";
        memory_end =
            (uint64_t)section->address + (section->memory != 0 ? section->memory : section->size);
        if (section->size > 0 && section->at < table_end)
            return "a section lies inside the headers";
        if (section->size > 0)
            pe_raise(end, (uint64_t)section->at + section->size);
        if (lines_at != 0)
            pe_raise(end, lines_at + (uint64_t)PE_LINE_SIZE * bytes_u16le(p + 34));
    }
    return NULL;
}

/* Raises *end over debug data behind the sections. */
static enum step pe_debug_end(struct sig_input *in, const struct pe_header *header, uint64_t *end)
{
    const struct pe_directory *directory = &header->directories[PE_DEBUG];
    uint32_t rest;
    const uint64_t at = pe_place(header, directory->address, &rest);
    const uint32_t count = directory->size / PE_DEBUG_SIZE;

    if (at == 0 || count == 0 || count > PE_DEBUG_MAX || directory->size > rest)
        return STEP_DONE;
    const uint8_t *p = sig_bytes(in, at, count * PE_DEBUG_SIZE);
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < count; i++, p += PE_DEBUG_SIZE) {
        const uint32_t debug_at = bytes_u32le(p + 24), size = bytes_u32le(p + 16);

        if (debug_at != 0 && bytes_u32le(p + 12) < 64 && debug_at < in->limit &&
            size < in->limit - debug_at)
            pe_raise(end, (uint64_t)debug_at + size);
    }
    return STEP_DONE;
}

/* Raises *end over the symbols, their strings and the certificates. */
static enum step pe_rest_end(struct sig_input *in, const struct pe_header *header, uint64_t *end)
{
    const struct pe_directory *certificate = &header->directories[PE_CERTIFICATE];

    if (header->symbols_at != 0 && header->symbol_count > 0) {
        const uint64_t strings =
            header->symbols_at + (uint64_t)header->symbol_count * PE_SYMBOL_SIZE;
        const uint8_t *p = sig_bytes(in, strings, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t size = bytes_u32le(p);
        if (size < 4 || size > PE_STRINGS_MAX ||
            strings + size > in->limit) /* no part of the headers: it may be foreign */
            return STEP_BAD;
        pe_raise(end, strings + size);
    }
    if (certificate->address != 0 && certificate->size > 0) {
        if (certificate->address < header->headers_size)
            return STEP_BAD;
        pe_raise(end, (uint64_t)certificate->address + certificate->size);
    }
    return pe_debug_end(in, header, end);
}

static const struct sig_type *pe_type(const struct pe_header *header)
{
    if (pe_is_efi(header))
        return &pe_types[PE_TYPE_EFI];
    if (header->characteristics & PE_DLL)
        return &pe_types[PE_TYPE_DLL];
    return &pe_types[header->subsystem == 1 ? PE_TYPE_SYS : PE_TYPE_EXE];
}

/* Reads the headers and sets state->length. *why is set with STEP_BAD. */
static enum step pe_measure(struct sig_input *in, struct pe_state *state, const char **why)
{
    struct pe_header *header = &state->header;
    const uint8_t *p = sig_bytes(in, header->at, PE_COFF_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    header->machine = bytes_u16le(p + 4);
    header->section_count = bytes_u16le(p + 6);
    header->symbols_at = bytes_u32le(p + 12);
    header->symbol_count = bytes_u32le(p + 16);
    header->characteristics = bytes_u16le(p + 22);
    const uint32_t size = bytes_u16le(p + 20);
    const uint64_t table_end =
        header->at + PE_COFF_HEAD + size + (uint64_t)header->section_count * PE_SECTION_SIZE;
    *why = "invalid headers";
    if (!pe_machine_ok(header->machine) || header->section_count == 0 ||
        header->section_count > PE_SECTIONS_MAX || size < 96 || size > 0x400 ||
        (header->characteristics & 2) == 0)
        return STEP_BAD;
    p = sig_bytes(in, header->at + PE_COFF_HEAD, size + header->section_count * PE_SECTION_SIZE);
    if (p == NULL)
        return STEP_WAIT;
    uint64_t end = table_end;
    const char *wrong = pe_optional(header, p, size);
    if (wrong == NULL)
        wrong = pe_sections(header, p + size, table_end, &end);
    if (wrong != NULL) {
        *why = wrong;
        return STEP_BAD;
    }
    in->type = pe_type(header);
    sig_valid(in, table_end);
    *why = "invalid tables behind the sections";
    const enum step step = pe_rest_end(in, header, &end);
    if (step == STEP_DONE)
        state->length = end;
    return step;
}

static uint64_t pe_sum(const uint8_t *p, uint32_t len)
{
    uint64_t sum = 0;
    uint32_t i = 0, word;

    for (; i + 4 <= len; i += 4) {
        memcpy(&word, p + i, 4);
        sum += word;
    }
    for (; i < len; i++)
        sum += (uint64_t)p[i] << (8 * (i & 1));
    return sum;
}

/* Sums the whole file, in pieces of an even length. */
static enum step pe_sum_file(struct sig_input *in, struct pe_state *state)
{
    while (state->summed < state->length) {
        const uint64_t rest = state->length - state->summed;
        const uint32_t len = rest < SIG_BYTES_MAX ? (uint32_t)rest : SIG_BYTES_MAX;
        const uint8_t *p = sig_bytes(in, state->summed, len);

        if (p == NULL)
            return STEP_WAIT;
        state->sum += pe_sum(p, len);
        state->summed += len;
    }
    return STEP_DONE;
}

enum pe_proof { PE_PROVEN, PE_STALE, PE_BROKEN };

/* Compares the sum with the checksum. PE_BROKEN: who wrote this file keeps its checksum right. */
static enum step pe_compare(struct sig_input *in, const struct pe_state *state,
                            enum pe_proof *proof)
{
    static const uint8_t gnu_stub[PE_MARK_LEN] =
        "\x0e\x1f\xba\x0e\x00\xb4\x09\xcd\x21\xb8\x01\x4c\xcd\x21"
        "This program canno";
    const struct pe_header *header = &state->header;
    const uint32_t stored = header->checksum, rest = stored - (uint32_t)state->length;
    const uint64_t sum = state->sum + 2 * 65535 - (stored & 0xffff) - (stored >> 16);
    const uint8_t *mark = sig_bytes(in, PE_DOS_HEAD, PE_MARK_LEN);

    if (mark == NULL)
        return STEP_WAIT;
    const bool wine =
        memcmp(mark, "Wine builtin DLL", 17) == 0 || memcmp(mark, "Wine placeholder DLL", 21) == 0;
    const bool fits = stored >= state->length && rest <= 0xffff;
    *proof = wine || header->directories[PE_CERTIFICATE].size > 0 ? PE_BROKEN : PE_STALE;
    if (fits && sum % 65535 == rest % 65535)
        *proof = PE_PROVEN;
    if (fits && wine) {
        const uint64_t was = sum % 65535 + (UINT64_C(65535) << 32) - pe_sum(mark, PE_MARK_LEN) +
                             pe_sum(gnu_stub, PE_MARK_LEN);
        const uint32_t native = header->flags & PE_PREFER_NATIVE;

        if (was % 65535 == rest % 65535 || (was - native) % 65535 == rest % 65535)
            *proof = PE_PROVEN;
    }
    return STEP_DONE;
}

static struct sig_result pe_verdict(struct sig_input *in, struct pe_state *state)
{
    enum pe_proof proof = PE_STALE;
    enum step step = STEP_DONE;
    const char *why = "";

    if (state->header.checksum != 0) {
        step = pe_sum_file(in, state);
        if (step == STEP_DONE)
            step = pe_compare(in, state, &proof);
    }
    if (step == STEP_DONE && proof == PE_PROVEN)
        return sig_complete(in, state->length, "the checksum is right");
    if (step == STEP_DONE)
        step = pe_content(in, state, &why);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, why);
    if (proof == PE_BROKEN)
        return sig_breaks(in, "the checksum is wrong");
    if (state->header.checksum != 0)
        return sig_believe(in, state->length,
                           "the directories lead to valid data, but the checksum is wrong");
    return sig_complete(in, state->length, "the directories lead to valid data");
}

static struct sig_result pe_check(struct sig_input *in, void *memory)
{
    struct pe_state *state = memory;
    const char *why = "";
    const uint8_t *head = sig_bytes(in, 0, PE_DOS_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t at = bytes_u32le(head + 60);
    uint8_t dos[PE_DOS_HEAD];
    memcpy(dos, head, sizeof dos);
    if (at < PE_DOS_HEAD || at > PE_AT_MAX || at % 4 != 0)
        return pe_old_check(in, dos);
    const uint8_t *magic = sig_bytes(in, at, 4);
    if (magic == NULL)
        return sig_short(in);
    if (memcmp(magic, "PE\0\0", 4) != 0)
        return pe_old_check(in, dos);
    if (state->length == 0) {
        state->header.at = at;
        const enum step step = pe_measure(in, state, &why);
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit); /* the tables were read: what is missing is behind the end of
                                         the image */
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, why);
    }
    if (state->length > in->limit)
        return sig_complete(in, state->length, "");
    return pe_verdict(in, state);
}

const struct sig sig_pe = {
    .name = "exe",
    .what = "Windows, EFI or DOS program, library, driver",
    .proves = "tables give the length; the checksum is right, or imports, exports, resources, "
              "functions, relocated "
              "words, symbols and certificates read",
    .source = "Microsoft, PE Format, 2024; Microsoft, Segmented-Executable File Format, 1992 "
              "(16-bit); Wine, winebuild: "
              "builtin mark",
    .types = pe_types,
    .headers = { SIG_PATTERN("MZ") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_LOOSE_END, /* resources */
    .size_min = 97,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct pe_state),
    .check = pe_check,
    .facts = pe_facts,
};
