/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pe_old.c - programs of DOS and of 16-bit Windows.
 *
 * DOS: 28 bytes of header, a table of places to relocate, the program; the header says how many
 * 512-byte pages all of it has. 16-bit Windows: a second header "NE" with tables of segments and
 * resources, in units of a power of two. What DOS programs load by themselves (overlays,
 * installers' data) stands behind and is not taken.
 */
#include <string.h>

#include "signatures/program/pe.h"

enum {
    PE_OLD_HEAD = 28,
    PE_OLD_PAGE = 512,
    PE_NE_HEAD = 64,
    PE_NE_SEGMENTS = 255,
    PE_NE_RESOURCES = 4096,
};

static struct sig_result pe_dos_check(struct sig_input *in, const uint8_t *head)
{
    const uint32_t last = bytes_u16le(head + 2), pages = bytes_u16le(head + 4),
                   count = bytes_u16le(head + 6);
    const uint32_t head_size = bytes_u16le(head + 8) * 16u, table = bytes_u16le(head + 24);
    const uint32_t length = pages * PE_OLD_PAGE - (last == 0 ? 0 : PE_OLD_PAGE - last);
    const uint32_t entry = (uint32_t)bytes_u16le(head + 22) * 16 + bytes_u16le(head + 20);

    if (pages == 0 || last >= PE_OLD_PAGE || head_size >= length || head_size < PE_OLD_HEAD ||
        table < PE_OLD_HEAD || table > PE_DOS_HEAD - 1 || count == 0 ||
        table + count * 4 > head_size || (entry & 0xfffff) >= length - head_size ||
        bytes_u16le(head + 26) != 0 || bytes_u16le(head + 10) > bytes_u16le(head + 12))
        return sig_reject("neither a PE file nor a plain DOS program");
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p = sig_bytes(in, table + i * 4, 4);

        if (p == NULL)
            return sig_short(in);
        if ((uint32_t)bytes_u16le(p + 2) * 16 + bytes_u16le(p) + 2 > length - head_size)
            return sig_reject("a place to relocate lies outside the program");
    }
    sig_valid(in, table + count * 4);
    return sig_believe(in, length, "every place to relocate lies in the program");
}

struct pe_ne {
    uint64_t at, end;
    uint32_t segments, count, resources, names, shift;
};

static void pe_ne_raise(struct pe_ne *ne, uint64_t to)
{
    if (to > ne->end)
        ne->end = to;
}

static enum step pe_ne_segments(struct sig_input *in, struct pe_ne *ne)
{
    for (uint32_t i = 0; i < ne->count; i++) {
        const uint8_t *p = sig_bytes(in, ne->at + ne->segments + i * 8, 8);

        if (p == NULL)
            return STEP_WAIT;
        const uint64_t at = (uint64_t)bytes_u16le(p) << ne->shift;
        const uint32_t size = bytes_u16le(p + 2) == 0 ? 0x10000 : bytes_u16le(p + 2);
        const bool relocated = (p[5] & 1) != 0;
        if (at == 0)
            continue; /* nothing of it is in the file */
        if (at < ne->at + PE_NE_HEAD)
            return STEP_BAD;
        pe_ne_raise(ne, at + size);
        if (!relocated)
            continue;
        p = sig_bytes(in, at + size, 2);
        if (p == NULL)
            return STEP_WAIT;
        pe_ne_raise(ne, at + size + 2 + 8u * bytes_u16le(p));
    }
    return STEP_DONE;
}

static enum step pe_ne_resources(struct sig_input *in, struct pe_ne *ne)
{
    uint64_t at = ne->at + ne->resources + 2;
    const uint8_t *p;

    if (ne->resources == ne->names)
        return STEP_DONE; /* there are none */
    p = sig_bytes(in, at - 2, 2);
    if (p == NULL)
        return STEP_WAIT;
    const uint32_t shift = bytes_u16le(p);
    if (shift > 16)
        return STEP_BAD;
    for (uint32_t total = 0; total < PE_NE_RESOURCES;) {
        p = sig_bytes(in, at, 2);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u16le(p) == 0)
            return STEP_DONE;
        p = sig_bytes(in, at, 8);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t count = bytes_u16le(p + 2);
        if (count == 0)
            return STEP_BAD;
        at += 8;
        total += count;
        for (uint32_t i = 0; i < count; i++, at += 12) {
            p = sig_bytes(in, at, 12);
            if (p == NULL)
                return STEP_WAIT;
            if (bytes_u16le(p) == 0)
                return STEP_BAD;
            pe_ne_raise(ne, ((uint64_t)bytes_u16le(p) + bytes_u16le(p + 2)) << shift);
        }
    }
    return STEP_BAD;
}

static struct sig_result pe_ne_check(struct sig_input *in, uint32_t at)
{
    const uint8_t *p = sig_bytes(in, at, PE_NE_HEAD);
    struct pe_ne ne = { .at = at };

    if (p == NULL)
        return sig_short(in);
    ne.count = bytes_u16le(p + 28);
    ne.segments = bytes_u16le(p + 34);
    ne.resources = bytes_u16le(p + 36);
    ne.names = bytes_u16le(p + 38);
    ne.shift = bytes_u16le(p + 50) == 0 ? 9 : bytes_u16le(p + 50);
    const uint32_t entry = bytes_u16le(p + 4), others_at = bytes_u32le(p + 44),
                   others = bytes_u16le(p + 32);
    if (ne.count > PE_NE_SEGMENTS || ne.shift > 15 || ne.segments < PE_NE_HEAD ||
        ne.names < ne.resources || ne.resources < ne.segments + ne.count * 8 || entry < ne.names ||
        bytes_u16le(p + 40) < ne.names || p[54] > 5 || others_at < at + PE_NE_HEAD)
        return sig_reject("invalid 16-bit header");
    in->type = (p[13] & 0x80) != 0 ? &in->sig->types[1] : &in->sig->types[0];
    pe_ne_raise(&ne, (uint64_t)at + entry + bytes_u16le(p + 6));
    pe_ne_raise(&ne, (uint64_t)others_at + others);
    enum step step = pe_ne_segments(in, &ne);
    if (step == STEP_DONE)
        step = pe_ne_resources(in, &ne);
    if (step == STEP_BAD)
        return sig_reject("invalid segments or resources");
    sig_valid(in, at + ne.segments + ne.count * 8u);
    return step == STEP_WAIT ? sig_short(in)
                             : sig_believe(in, ne.end, "the segments and resources are valid");
}

struct sig_result pe_old_check(struct sig_input *in, const uint8_t *head)
{
    const uint32_t at = bytes_u32le(head + 60);

    if (bytes_u16le(head + 24) < PE_DOS_HEAD)
        return pe_dos_check(in, head);
    if (at < PE_DOS_HEAD || at > 0xffff)
        return sig_reject("there is no second header");
    const uint8_t *magic = sig_bytes(in, at, 2);
    if (magic == NULL)
        return sig_short(in);
    return memcmp(magic, "NE", 2) == 0 ? pe_ne_check(in, at)
                                       : sig_reject("unknown kind of the second header");
}
