/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/mo.c - compiled message catalogues of gettext.
 *
 *   0x950412de (byte order) | revision | number of strings | places of the two tables | size and
 * place of the hash table tables: length and place of each string, which a NUL ends; the strings
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MO_HEAD = 28,
    MO_HEAD_DEPENDENT = 48, /* revisions x.1 */
    MO_DEPENDENT_MAX = 4096,
    MO_PIECES_MAX = 64,
    MO_STRINGS_MAX = 1 << 20,
    MO_LEN_MAX = 16 << 20,
    MO_ENDS = 3,       /* ends of strings in a sector that tell it from others, */
    MO_ENDS_MOST = 16, /* and those that are looked at */
};

struct mo_state {
    uint64_t string; /* next one of the two tables together */
    uint64_t end;    /* of what was seen; 0: not begun */
};

static uint32_t mo_u32(bool big_endian, const uint8_t *p)
{
    return big_endian ? bytes_u32be(p) : bytes_u32le(p);
}

struct mo_header {
    bool big_endian;
    uint32_t count, tables[2], hash_size, hash_at;
    uint32_t dependent, dependents[2]; /* strings that depend on the system: how many, and where
                                          they are described */
};

static enum step mo_strings(struct sig_input *in, const struct mo_header *header,
                            struct mo_state *state)
{
    while (state->string < 2 * (uint64_t)header->count) {
        const uint64_t which = state->string / header->count, index = state->string % header->count;
        const uint8_t *p = sig_bytes(in, header->tables[which] + index * 8, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = mo_u32(header->big_endian, p), at = mo_u32(header->big_endian, p + 4);
        const uint64_t end = (uint64_t)at + len + 1;
        if (len > MO_LEN_MAX || at < MO_HEAD)
            return STEP_BAD;
        p = sig_bytes(in, end - 1, 1);
        if (p == NULL)
            return STEP_WAIT;
        if (p[0] != 0)
            return STEP_BAD;
        if (end > state->end)
            state->end = end;
        state->string++;
    }
    return STEP_DONE;
}

/* A string that depends on the system: its place, then pieces of the file and names of what stands
 * between them. */
static enum step mo_dependent(struct sig_input *in, const struct mo_header *header, uint64_t at,
                              uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at, 4);

    if (p == NULL)
        return STEP_WAIT;
    uint64_t text = mo_u32(header->big_endian, p);
    at += 4;
    for (uint32_t i = 0; i < MO_PIECES_MAX; i++, at += 8) {
        p = sig_bytes(in, at, 8);
        if (p == NULL)
            return STEP_WAIT;
        text += mo_u32(header->big_endian, p);
        if (mo_u32(header->big_endian, p + 4) == UINT32_MAX) {
            if (text > *end)
                *end = text;
            return STEP_DONE;
        }
    }
    return STEP_BAD;
}

static enum step mo_dependents(struct sig_input *in, const struct mo_header *header, uint64_t *end)
{
    for (uint32_t i = 0; i < 2 * header->dependent; i++) {
        const uint8_t *p =
            sig_bytes(in, header->dependents[i / header->dependent] + i % header->dependent * 4, 4);

        if (p == NULL)
            return STEP_WAIT;
        const enum step step = mo_dependent(in, header, mo_u32(header->big_endian, p), end);
        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

/* Reads the header; p: MO_HEAD bytes of it. */
static enum step mo_header(struct sig_input *in, const uint8_t *p, struct mo_header *header)
{
    const bool big = p[0] == 0x95;
    const uint32_t revision = mo_u32(big, p + 4);

    *header = (struct mo_header){ .big_endian = big,
                                  .count = mo_u32(big, p + 8),
                                  .tables = { mo_u32(big, p + 12), mo_u32(big, p + 16) },
                                  .hash_size = mo_u32(big, p + 20),
                                  .hash_at = mo_u32(big, p + 24) };
    if ((revision & 0xffff) == 0)
        return STEP_DONE;
    p = sig_bytes(in, 0, MO_HEAD_DEPENDENT);
    if (p == NULL)
        return STEP_WAIT;
    header->dependent = mo_u32(big, p + 36);
    header->dependents[0] = mo_u32(big, p + 40);
    header->dependents[1] = mo_u32(big, p + 44);
    return header->dependent <= MO_DEPENDENT_MAX ? STEP_DONE : STEP_BAD;
}

static struct sig_result mo_check(struct sig_input *in, void *memory)
{
    struct mo_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, MO_HEAD);

    if (p == NULL)
        return sig_short(in);
    struct mo_header header;
    enum step step = mo_header(in, p, &header);
    if (step == STEP_WAIT)
        return sig_short(in);
    const uint64_t tables_end = header.tables[1] + (uint64_t)header.count * 8;
    if (step == STEP_BAD || header.count == 0 || header.count > MO_STRINGS_MAX ||
        header.tables[0] < MO_HEAD || header.tables[0] > 4096 ||
        header.tables[0] + (uint64_t)header.count * 8 > header.tables[1] ||
        header.tables[1] > header.tables[0] + header.count * 8 + 4096 ||
        header.hash_size > 8 * MO_STRINGS_MAX || (header.hash_size > 0 && header.hash_at < MO_HEAD))
        return sig_reject("invalid tables");
    if (state->end == 0) {
        state->end = tables_end;
        if (header.hash_size > 0 && header.hash_at + (uint64_t)header.hash_size * 4 > state->end)
            state->end = header.hash_at + (uint64_t)header.hash_size * 4;
    }
    step = mo_strings(in, &header, state);
    if (step == STEP_DONE)
        step = mo_dependents(in, &header, &state->end);
    if (step == STEP_WAIT && in->wanted > in->limit && state->string > header.count)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD && state->string > 8)
        sig_valid(in, tables_end);
    if (step == STEP_BAD)
        return sig_breaks(in, "a string does not end where its length says");
    return sig_complete(in, state->end, "every string ends where its length says");
}

/* The string of this number, of both tables together: where its NUL stands. False: the beginning of
 * the file does not tell. */
static bool mo_end(const uint8_t *head, uint64_t number, uint64_t *end, uint32_t *len)
{
    const bool big = head[0] == 0x95;
    const uint64_t count = mo_u32(big, head + 8);

    if (count == 0)
        return false;
    const uint64_t which = number / count;
    const uint64_t at = which < 2 ? mo_u32(big, head + 12 + which * 4) + number % count * 8 : 0;

    if (which > 1 || at < MO_HEAD || at + 8 > SIG_HEAD)
        return false;
    *len = mo_u32(big, head + at);
    *end = (uint64_t)mo_u32(big, head + at + 4) + *len;
    return *len <= MO_LEN_MAX;
}

/*
 * Ends of strings from this number on that stand in the sector at this object offset; *next is the
 * first one behind it. sector: its bytes, which must have a NUL there and none before it; or NULL.
 * UINT32_MAX: they have not.
 */
static uint32_t mo_ends(const uint8_t *head, uint64_t number, uint64_t at, const uint8_t *sector,
                        uint64_t *next)
{
    uint32_t count = 0, len = 0;
    uint64_t end = 0;

    for (*next = number; mo_end(head, *next, &end, &len) && end / SIG_MARK == at / SIG_MARK;
         ++*next) {
        const uint32_t place = (uint32_t)(end % SIG_MARK);

        if (sector != NULL && count == MO_ENDS_MOST)
            break;
        if (sector != NULL &&
            (sector[place] != 0 || (place > 0 && len > 0 && sector[place - 1] == 0)))
            return UINT32_MAX;
        count += len > 0;
    }
    return count;
}

/* Sectors in which some strings end, evenly spread. */
static uint32_t mo_marks(const uint8_t *head, struct sig_mark *out)
{
    uint32_t every = 1, count = SIG_MARKS + 1, len = 0;

    for (; count > SIG_MARKS; every *= 2) {
        uint64_t end = 0, last = 0, next = 0;
        uint32_t seen = 0;

        count = 0;
        for (uint64_t i = 0; count <= SIG_MARKS && mo_end(head, i, &end, &len); i = next) {
            const uint64_t at = end / SIG_MARK * SIG_MARK;

            if (at < last)
                return 0; /* other writers may have their strings in any order */
            last = at;
            if (mo_ends(head, i, at, NULL, &next) < MO_ENDS || at < SIG_MARK || seen++ % every != 0)
                continue;
            if (count < SIG_MARKS)
                out[count] = (struct sig_mark){ .at = at, .number = (uint32_t)i };
            count++;
        }
    }
    return count;
}

static bool mo_is_mark(const uint8_t *head, const struct sig_mark *mark, const uint8_t *sector)
{
    uint64_t next;

    return mo_ends(head, mark->number, mark->at, sector, &next) != UINT32_MAX;
}

const struct sig sig_mo = {
    .name = "mo",
    .what = "message catalogue of gettext",
    .proves = "every string ends with its zero, the last one with the file",
    .source = "GNU gettext manual, 10.3 The Format of GNU MO Files",
    .types = (const struct sig_type[]){ { "mo", "mo" }, { 0 } },
    .headers = { SIG_MASKED("\xde\x12\x04\x95\0\0\0\0", "\xff\xff\xff\xff\xfe\xff\xfe\xff"),
                 SIG_MASKED("\x95\x04\x12\xde\0\0\0\0", "\xff\xff\xff\xff\xff\xfe\xff\xfe") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = MO_HEAD + 18,
    .size_max = UINT64_C(1) << 30,
    .state_size = sizeof(struct mo_state),
    .check = mo_check,
    .marks = mo_marks,
    .marks_head = SIG_HEAD,
    .is_mark = mo_is_mark,
};
