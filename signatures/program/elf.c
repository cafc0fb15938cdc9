/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/elf.c - ELF programs, libraries, objects, core files.
 *
 *   file header | program header table | segments, sections | section header table      both tables
 * may stand anywhere
 *
 * The length is the largest of what the header and its tables reach to. Linkers put the section
 * headers last, so that a file that is not in one piece has other data there: the entries, their
 * names and the tables of strings and symbols must make sense.
 */
#include <string.h>

#include "base/limits.h"
#include "signatures/program/elf.h"

enum {
    ELF_SECTIONS_MAX = 1 << 20,
    ELF_SEGMENTS_MAX = 1 << 20,
    ELF_NUMBER_ESCAPE = 0xffff,
    ELF_ALLOCATED = 2, /* section flag: takes memory at run time */
};

enum step elf_section(struct sig_input *in, const struct elf_header *header, uint32_t index,
                      struct elf_section *out)
{
    const uint8_t *p =
        sig_bytes(in, sig_add(header->sections_at, (uint64_t)index * header->section_size),
                  header->section_size);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t word = header->wide ? 8 : 4;
    *out = (struct elf_section){
        .name = elf_u32(header, p),
        .type = elf_u32(header, p + 4),
        .flags = elf_word(header, p + 8),
        .at = elf_word(header, p + 8 + 2 * word),
        .size = elf_word(header, p + 8 + 3 * word),
        .link = elf_u32(header, p + 8 + 4 * word),
        .info = elf_u32(header, p + 12 + 4 * word),
        .align = elf_word(header, p + 16 + 4 * word),
        .entry_size = elf_word(header, p + 16 + 5 * word),
    };
    return STEP_DONE;
}

enum step elf_segment(struct sig_input *in, const struct elf_header *header, uint32_t index,
                      struct elf_segment *out)
{
    const uint8_t *p =
        sig_bytes(in, sig_add(header->segments_at, (uint64_t)index * header->segment_size),
                  header->segment_size);

    if (p == NULL)
        return STEP_WAIT;
    *out = (struct elf_segment){
        .type = elf_u32(header, p),
        .at = elf_word(header, p + (header->wide ? 8 : 4)),
        .size = elf_word(header, p + (header->wide ? 32 : 16)),
    };
    return STEP_DONE;
}

const char *elf_header(const uint8_t *p, struct elf_header *header)
{
    static const uint8_t none[7] = { 0 };

    *header = (struct elf_header){ .wide = p[4] == 2, .big_endian = p[5] == 2 };
    if (p[4] < 1 || p[4] > 2 || p[5] < 1 || p[5] > 2 || p[6] != 1 ||
        memcmp(p + 9, none, sizeof none) != 0)
        return "invalid class, byte order or version";
    header->type = elf_u16(header, p + 16);
    if (header->type == 0 || (header->type > ELF_FILE_CORE && header->type < 0xfe00) ||
        elf_u16(header, p + 18) == 0 || elf_u32(header, p + 20) != 1)
        return "invalid type, machine or version";
    const uint32_t word = header->wide ? 8 : 4;
    const uint8_t *rest = p + 24 + 3 * word + 4;
    header->segments_at = elf_word(header, p + 24 + word);
    header->sections_at = elf_word(header, p + 24 + 2 * word);
    header->head_size = elf_u16(header, rest);
    header->segment_size = elf_u16(header, rest + 2);
    header->segment_count = elf_u16(header, rest + 4);
    header->section_size = elf_u16(header, rest + 6);
    header->section_count = elf_u16(header, rest + 8);
    header->names = elf_u16(header, rest + 10);
    if (header->head_size != (header->wide ? 64 : 52) ||
        (header->segments_at != 0 && header->segments_at < header->head_size) ||
        (header->sections_at != 0 && header->sections_at < header->head_size) ||
        (header->segment_count > 0 &&
         (header->segments_at == 0 || header->segment_size != (header->wide ? 56 : 32))) ||
        (header->sections_at != 0 && header->section_size != (header->wide ? 64 : 40)) ||
        (header->section_count > 0 && header->sections_at == 0))
        return "invalid tables";
    if (header->segment_count == 0 && header->sections_at == 0)
        return "there are neither segments nor sections";
    return NULL;
}

/* Counts that do not fit their 16 bits stand in section 0. */
static enum step elf_large_counts(struct sig_input *in, struct elf_header *header)
{
    struct elf_section first;

    if (header->sections_at == 0)
        return STEP_DONE;
    const enum step step = elf_section(in, header, 0, &first);
    if (step != STEP_DONE)
        return step;
    if (first.type != ELF_NULL || first.name != 0 || first.at != 0)
        return STEP_BAD;
    if (header->section_count == 0)
        header->section_count = first.size < ELF_SECTIONS_MAX ? (uint32_t)first.size : 0;
    if (header->names == ELF_NUMBER_ESCAPE)
        header->names = first.link;
    if (header->segment_count == ELF_NUMBER_ESCAPE)
        header->segment_count = first.info;
    return header->section_count > 0 && header->section_count <= ELF_SECTIONS_MAX &&
                   header->segment_count <= ELF_SEGMENTS_MAX &&
                   header->names < header->section_count
               ? STEP_DONE
               : STEP_BAD;
}

static bool elf_section_type_ok(uint32_t type)
{
    return type <= 20 || type >= 0x60000000;
}

/* Raises *end over every section. *loaded: some bytes of the file belong into memory. */
static enum step elf_sections_end(struct sig_input *in, const struct elf_header *header,
                                  uint64_t *end, bool *loaded)
{
    struct elf_section names = { 0 }, section;
    enum step step = STEP_DONE;

    if (header->section_count == 0)
        return STEP_DONE;
    *loaded = false;
    if (header->names != 0)
        step = elf_section(in, header, header->names, &names);
    if (step != STEP_DONE || (header->names != 0 && names.type != ELF_STRTAB))
        return step == STEP_DONE ? STEP_BAD : step;
    for (uint32_t i = 0; i < header->section_count; i++) {
        step = elf_section(in, header, i, &section);
        if (step != STEP_DONE)
            return step;
        if (!elf_section_type_ok(section.type) ||
            (header->names != 0 && section.name >= names.size) ||
            (section.align & (section.align - 1)) != 0)
            return STEP_BAD;
        if (section.type == ELF_NULL || section.type == ELF_NOBITS)
            continue;
        *loaded |=
            (section.flags & ELF_ALLOCATED) != 0 && section.type != ELF_NOTE && section.size > 0;
        const uint64_t section_end = sig_add(section.at, section.size);
        if (section_end > *end)
            *end = section_end;
    }
    return STEP_DONE;
}

static enum step elf_segments_end(struct sig_input *in, const struct elf_header *header,
                                  uint64_t *end)
{
    struct elf_segment segment;

    for (uint32_t i = 0; i < header->segment_count; i++) {
        const enum step step = elf_segment(in, header, i, &segment);

        if (step != STEP_DONE)
            return step;
        if (segment.type != ELF_SEGMENT_NULL && sig_add(segment.at, segment.size) > *end)
            *end = sig_add(segment.at, segment.size);
    }
    return STEP_DONE;
}

/* Where the tables are broken, the dynamic segment says how far the file is certainly right: it
 * stands behind code and constants. */
static struct sig_result elf_break(struct sig_input *in, const struct elf_header *header,
                                   const char *why)
{
    struct elf_segment segment;

    for (uint32_t i = 0; header->segment_count < ELF_NUMBER_ESCAPE && i < header->segment_count;
         i++) {
        uint64_t end;
        enum step step = elf_segment(in, header, i, &segment);

        if (step == STEP_DONE && segment.type != ELF_SEGMENT_DYNAMIC)
            continue;
        if (step == STEP_DONE)
            step = elf_dynamic_content(in, header, segment.at, segment.size, &end);
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in); /* what broke will break again */
        if (step == STEP_DONE && end > LIMIT_SECTOR)
            sig_valid(in, end);
        break; /* there is one at most */
    }
    return sig_breaks(in, why);
}

static struct sig_result elf_wait(struct sig_input *in, const struct elf_header *header,
                                  bool counted)
{
    if (in->wanted <= in->limit)
        return sig_short(in);
    const struct sig_result result = sig_short(in);
    if (counted &&
        in->limit >
            LIMIT_SECTOR) /* the tables were read: what is missing is behind the end of the image */
        sig_valid(in, in->limit);
    return elf_break(in, header, result.why);
}

/* Reads the tables and sets state->length. */
static enum step elf_measure(struct sig_input *in, const struct elf_header *header,
                             struct elf_state *state)
{
    uint64_t end = header->head_size;
    bool loaded = true;
    const uint64_t segments_end =
        sig_add(header->segments_at, (uint64_t)header->segment_count * header->segment_size);
    const uint64_t sections_end =
        sig_add(header->sections_at, (uint64_t)header->section_count * header->section_size);

    if (segments_end > end)
        end = segments_end;
    if (sections_end > end)
        end = sections_end;
    enum step step = elf_sections_end(in, header, &end, &loaded);
    if (step == STEP_DONE &&
        loaded) /* files of debug information keep the segments of the program they belong to */
        step = elf_segments_end(in, header, &end);
    if (step == STEP_DONE && end > in->sig->size_max)
        step = STEP_BAD;
    if (step == STEP_DONE)
        state->length = end;
    return step;
}

static struct sig_result elf_check(struct sig_input *in, void *memory)
{
    struct elf_state *state = memory;
    struct elf_header header;
    const char *why;
    const uint8_t *head = sig_bytes(in, 0, 52);

    if (head != NULL && head[4] == 2)
        head = sig_bytes(in, 0, 64);
    if (head == NULL)
        return sig_short(in);
    why = elf_header(head, &header);
    if (why != NULL)
        return sig_reject(why);

    enum step step = elf_large_counts(in, &header);
    if (step == STEP_DONE && state->length == 0)
        step = elf_measure(in, &header, state);
    if (step == STEP_WAIT)
        return elf_wait(in, &header, state->length != 0);
    if (step == STEP_BAD)
        return elf_break(in, &header, "invalid section or segment headers");
    if (state->length > in->limit)
        return elf_break(in, &header, "the image ends before the file does");
    step = elf_sections_content(in, &header, state, &why);
    if (step == STEP_WAIT)
        return elf_wait(in, &header, true);
    if (step == STEP_BAD)
        return elf_break(in, &header, why);
    return sig_complete(in, state->length, "tables and the sections' contents agree");
}

const struct sig sig_elf = {
    .name = "elf",
    .what = "ELF program, library, object, core file",
    .proves = "tables in bounds, sections apart; strings, symbols, relocations and notes make "
              "sense; code is not read",
    .source = "System V ABI, chapters 4 and 5 (gABI)",
    .types = (const struct sig_type[]){ { "elf", "elf" }, { 0 } },
    .headers = { SIG_PATTERN("\x7f"
                             "ELF\1\1\1"),
                 SIG_PATTERN("\x7f"
                             "ELF\1\2\1"),
                 SIG_PATTERN("\x7f"
                             "ELF\2\1\1"),
                 SIG_PATTERN("\x7f"
                             "ELF\2\2\1") },
    .flags = SIG_CONTAINER, /* resources */
    .size_min = 52,
    .size_max = UINT64_C(1) << 38,
    .state_size = sizeof(struct elf_state),
    .check = elf_check,
    .marks = elf_marks,
    .is_mark = elf_is_mark,
};
