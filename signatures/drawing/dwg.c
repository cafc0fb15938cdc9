/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/dwg.c - AutoCAD drawings of release 13 and later (except 2007): dwg.
 *
 *   "AC1018" (2004), "AC1024" (2010), "AC1027" (2013), "AC1032" (2018) | zeros | ... | 20 108 bytes
 * of file header at 0x80, under a fixed key: "AcFssFcAJMB" | 0, 6C, 4 | ... | 34 u64le place of its
 * copy | ... | 54 u64le place of the page map, from 0x100 on | 68 CRC-32 pages from 0x100 on: data:
 * 8 words under a key from their place: 4163043B, section, size, size of the page, ... page map
 * 41630E3B, section map 4163003B: sizes before and after compression the copy of the file header is
 * the end of the file
 *
 * The pages are walked up to the copy, which must be the same byte for byte.
 *
 *   "AC1012" (13), "AC1014" (14), "AC1015" (2000) | ... | 15 u32le sections | u8 number, u32le
 * place, length of each | CRC | mark header variables and classes begin with marks; object map:
 * u16be length, entries, CRC, up to an empty part; behind it the second header
 *
 * Those end with the last section or with the second header. Drawings of 2007 are not looked for:
 * in those nothing that could be read without decoding tells the end; nor those of release 12 and
 * before.
 */
#include <isa-l.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DWG_HEADER_AT = 0x80,
    DWG_HEADER = 0x6c,
    DWG_PAGES_AT = 0x100,
    DWG_ALIGN = 32,
    DWG_PAGE_HEAD = 32,
    DWG_SYSTEM_HEAD = 20,
    DWG_LIST_AT = 0x15, /* release 13 to 2000 */
    DWG_SECTION = 9,
    DWG_SECTIONS_MAX = 6,
    DWG_MAP_PART_MAX = 2040,
    DWG_SECOND_MAX = 1024,
    DWG_GAP_MAX = 64 * 1024, /* bytes between pages, where former ones were */
};

struct dwg_state {
    uint64_t at, end, map_at; /* end: place of the copy */
    uint32_t gap, pages;
};

static void dwg_clear(const uint8_t *from, uint8_t *to)
{
    uint32_t seed = 1;

    for (uint32_t i = 0; i < DWG_HEADER; i++) {
        seed = seed * 0x343fd + 0x269ec3;
        to[i] = from[i] ^ (uint8_t)(seed >> 16);
    }
}

static const char *dwg_head(const uint8_t *bytes, struct dwg_state *state)
{
    uint8_t head[DWG_HEADER];

    dwg_clear(bytes, head);
    const uint32_t crc = bytes_u32le(head + 0x68);
    memset(head + 0x68, 0, 4);
    if (memcmp(head, "AcFssFcAJMB", 12) != 0 || bytes_u32le(head + 0x10) != DWG_HEADER ||
        crc32_gzip_refl(0, head, sizeof head) != crc)
        return "invalid file header, or its CRC is wrong";
    state->end = bytes_u64le(head + 0x34);
    state->map_at = sig_add(bytes_u64le(head + 0x54), DWG_PAGES_AT);
    if (state->end < DWG_PAGES_AT || state->map_at >= state->end || state->end > UINT64_C(1) << 40)
        return "the places in the header lie outside the file";
    state->at = DWG_PAGES_AT;
    return NULL;
}

/* The length of the page at state->at; 0: there is none. */
static enum step dwg_page(struct sig_input *in, const struct dwg_state *state, uint64_t *len)
{
    const uint8_t *head = sig_bytes(in, state->at, DWG_PAGE_HEAD);
    const uint32_t key = 0x4164536b ^ (uint32_t)state->at;

    *len = 0;
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u32le(head), data = bytes_u32le(head + 8) ^ key,
                   page = bytes_u32le(head + 12) ^ key;
    if (kind == 0x41630e3b || kind == 0x4163003b)
        *len = ((uint64_t)bytes_u32le(head + 8) + DWG_SYSTEM_HEAD + DWG_ALIGN - 1) / DWG_ALIGN *
               DWG_ALIGN;
    else if ((kind ^ key) == 0x4163043b && page > data && page - data >= DWG_PAGE_HEAD)
        *len = page;
    if (*len % DWG_ALIGN != 0)
        *len = 0;
    return STEP_DONE;
}

static enum step dwg_pages(struct sig_input *in, struct dwg_state *state)
{
    while (state->at <= state->map_at) {
        uint64_t len;
        const enum step step = dwg_page(in, state, &len);

        if (step != STEP_DONE)
            return step;
        if (len == 0) {
            state->gap += DWG_ALIGN;
            if (state->gap > DWG_GAP_MAX || state->at == state->map_at)
                return STEP_BAD;
            state->at += DWG_ALIGN;
            continue;
        }
        sig_valid(in, state->at + DWG_PAGE_HEAD);
        state->gap = 0;
        state->pages++;
        state->at += len;
    }
    return state->at - state->map_at > state->end - state->map_at + DWG_ALIGN ? STEP_BAD
                                                                              : STEP_DONE;
}

/* The second header stands behind the object map; it ends with a mark of its own. */
static bool dwg_second(struct sig_input *in, uint64_t from, uint64_t *len, const char **why)
{
    static const uint8_t begin[16] = { 0xd4, 0x7b, 0x21, 0xce, 0x28, 0x93, 0x9f, 0xbf,
                                       0x53, 0x24, 0x40, 0x09, 0x12, 0x3c, 0xaa, 0x01 };
    static const uint8_t end[16] = { 0x2b, 0x84, 0xde, 0x31, 0xd7, 0x6c, 0x60, 0x40,
                                     0xac, 0xdb, 0xbf, 0xf6, 0xed, 0xc3, 0x55, 0xfe };
    uint64_t at = 0;

    *why = "there is no second header behind the object map";
    in->find_at = 0;
    enum sig_found found = sig_find(in, from, from + DWG_SECOND_MAX, begin, sizeof begin, &at);
    if (found == SIG_FOUND) {
        in->find_at = 0;
        found = sig_find(in, at + sizeof begin, at + DWG_SECOND_MAX, end, sizeof end, &at);
    }
    if (found == SIG_FIND_WAIT)
        return false;
    if (found == SIG_FIND_NONE) {
        in->wanted = from + DWG_SECOND_MAX;
        return in->wanted <= in->limit;
    }
    if (at + sizeof end > *len)
        *len = at + sizeof end;
    *why = NULL;
    return true;
}

/*
 * Drawings of release 13 to 2000. NULL in *why: *len is where the last of sections and second
 * header ends. False: bytes are missing.
 */
static bool dwg_old(struct sig_input *in, struct dwg_state *state, uint64_t *len, const char **why)
{
    static const uint8_t begins[2][16] = { { 0xcf, 0x7b, 0x1f, 0x23, 0xfd, 0xde, 0x38, 0xa9, 0x5f,
                                             0x7c, 0x68, 0xb8, 0x4e, 0x6d, 0x33, 0x5f },
                                           { 0x8d, 0xa1, 0xc4, 0xb8, 0xc4, 0xa9, 0xf8, 0xc5, 0xc0,
                                             0xdc, 0xf4, 0x5f, 0xe7, 0xcf, 0xb6, 0x8a } };
    static const uint8_t list_end[16] = { 0x95, 0xa0, 0x4e, 0x28, 0x99, 0x82, 0x1a, 0xe5,
                                          0x5e, 0x41, 0xe0, 0x5f, 0x9d, 0x3a, 0x4d, 0x00 };
    uint64_t places[DWG_SECTIONS_MAX], ends[DWG_SECTIONS_MAX];
    const uint8_t *list =
        sig_bytes(in, DWG_LIST_AT, 4 + DWG_SECTIONS_MAX * DWG_SECTION + 2 + sizeof list_end);

    if (list == NULL)
        return false;
    const uint32_t count = bytes_u32le(list);
    *why = "there is no valid list of sections";
    if (count < 3 || count > DWG_SECTIONS_MAX ||
        memcmp(list + 4 + count * DWG_SECTION + 2, list_end, sizeof list_end) != 0)
        return true;
    *len = 0;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = bytes_u32le(list + 4 + i * DWG_SECTION + 1);
        ends[i] = places[i] + bytes_u32le(list + 4 + i * DWG_SECTION + 5);
        *len = ends[i] > *len ? ends[i] : *len;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t *begin = sig_bytes(in, places[i], 16);

        if (begin == NULL)
            return false;
        if (memcmp(begin, begins[i], 16) != 0)
            return true;
    }
    sig_valid(in, places[1] + 16);
    *why = "the object map does not end where its section does";
    if (state->at == 0)
        state->at = places[2];
    for (uint32_t size = 0; size != 2;
         state->at += size + 2) { /* the last part is empty; two bytes of CRC behind each */
        const uint8_t *part = sig_bytes(in, state->at, 2);

        if (part == NULL)
            return false;
        size = bytes_u16be(part);
        if (size < 2 || size > DWG_MAP_PART_MAX || size + 2 > ends[2] - state->at) {
            state->at = places[2];
            return true;
        }
        if (size == 2 && state->at + 4 != ends[2])
            return true;
        if (size == 2)
            break;
    }
    return dwg_second(in, ends[2], len, why);
}

static struct sig_result dwg_check(struct sig_input *in, void *memory)
{
    struct dwg_state *state = memory;
    uint8_t head[DWG_HEADER];
    const uint8_t *bytes = sig_bytes(in, 0, 6);

    if (bytes == NULL)
        return sig_short(in);
    if (bytes[4] == '1' && bytes[5] < '8') {
        const char *why = NULL;
        uint64_t len = 0;

        if (!dwg_old(in, state, &len, &why))
            return sig_short(in);
        return why != NULL ? sig_breaks(in, why)
                           : sig_complete(in, len,
                                          "the sections, the object map and the second "
                                          "header are there");
    }
    bytes = sig_bytes(in, DWG_HEADER_AT, DWG_HEADER);

    if (bytes == NULL)
        return sig_short(in);
    memcpy(head, bytes, sizeof head);
    if (state->at == 0) {
        const char *why = dwg_head(head, state);
        if (why != NULL)
            return sig_reject(why);
    }
    const enum step step = dwg_pages(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a valid page must follow here, and none does");
    bytes = sig_bytes(in, state->end, DWG_HEADER);
    if (bytes == NULL)
        return sig_short(in);
    if (memcmp(bytes, head, sizeof head) != 0)
        return sig_breaks(in, "the copy of the file header is not where the header says");
    return sig_complete(in, state->end + DWG_HEADER,
                        "the pages lead to the copy of the file "
                        "header");
}

#define DWG_VERSION(digits)                                                                        \
    SIG_MASKED("AC10" digits "\0\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")

const struct sig sig_dwg = {
    .name = "dwg",
    .what = "AutoCAD drawing of release 13 to 2018, without 2007",
    .proves = "pages lead to the copy of the file header (old ones: sections to the second "
              "header); not unpacked",
    .source = "Open Design Alliance, Open Design Specification for .dwg files 5.4, chapters 3, 4, "
              "6 and 7",
    .types = (const struct sig_type[]){ { "dwg", "dwg" }, { 0 } },
    .headers = { DWG_VERSION("12"), DWG_VERSION("14"), DWG_VERSION("15"), DWG_VERSION("18"),
                 DWG_VERSION("24"), DWG_VERSION("27"), DWG_VERSION("32") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = DWG_PAGES_AT + DWG_HEADER,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct dwg_state),
    .check = dwg_check,
};
