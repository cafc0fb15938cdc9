/*
 * signatures/dwg.c - AutoCAD drawings of 2004 and later (except 2007): dwg.
 *
 *   "AC1018" (2004), "AC1024" (2010), "AC1027" (2013), "AC1032" (2018) | zeros | ... | 20 108 bytes of file header at 0x80, under a fixed key:
 *     "AcFssFcAJMB" | 0, 6C, 4 | ... | 34 u64le place of its copy | ... | 54 u64le place of the page map, from 0x100 on | 68 CRC-32
 *   pages from 0x100 on: data: 8 words under a key from their place: 4163043B, section, size, size of the page, ...
 *     page map 41630E3B, section map 4163003B: sizes before and after compression
 *   the copy of the file header is the end of the file
 *
 * The pages are walked up to the copy, which must be the same byte for byte. Drawings of 2000 and before and of 2007 are refused: in those nothing that
 * could be read without decoding tells the end.
 */
#include <isa-l.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    DWG_HEADER_AT = 0x80,
    DWG_HEADER = 0x6c,
    DWG_PAGES_AT = 0x100,
    DWG_ALIGN = 32,
    DWG_PAGE_HEAD = 32,
    DWG_SYSTEM_HEAD = 20,
    DWG_GAP_MAX = 64 * 1024, /* bytes between pages, where former ones were */
};

struct dwg_state {
    uint64_t at, end, map_at; /* end: place of the copy */
    uint32_t gap, pages;
};

enum dwg_step { DWG_DONE, DWG_WAIT, DWG_BAD };

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
        return "file header or its CRC is not right";
    state->end = bytes_u64le(head + 0x34);
    state->map_at = sig_add(bytes_u64le(head + 0x54), DWG_PAGES_AT);
    if (state->end < DWG_PAGES_AT || state->map_at >= state->end || state->end > UINT64_C(1) << 40)
        return "places outside of the file";
    state->at = DWG_PAGES_AT;
    return NULL;
}

/* The length of the page at state->at; 0: there is none. */
static enum dwg_step dwg_page(struct sig_input *in, const struct dwg_state *state, uint64_t *len)
{
    const uint8_t *head = sig_bytes(in, state->at, DWG_PAGE_HEAD);
    const uint32_t key = 0x4164536b ^ (uint32_t)state->at;

    *len = 0;
    if (head == NULL)
        return DWG_WAIT;
    const uint32_t kind = bytes_u32le(head), data = bytes_u32le(head + 8) ^ key, page = bytes_u32le(head + 12) ^ key;
    if (kind == 0x41630e3b || kind == 0x4163003b)
        *len = ((uint64_t)bytes_u32le(head + 8) + DWG_SYSTEM_HEAD + DWG_ALIGN - 1) / DWG_ALIGN * DWG_ALIGN;
    else if ((kind ^ key) == 0x4163043b && page > data && page - data >= DWG_PAGE_HEAD)
        *len = page;
    if (*len % DWG_ALIGN != 0)
        *len = 0;
    return DWG_DONE;
}

static enum dwg_step dwg_pages(struct sig_input *in, struct dwg_state *state)
{
    while (state->at <= state->map_at) {
        uint64_t len;
        const enum dwg_step step = dwg_page(in, state, &len);

        if (step != DWG_DONE)
            return step;
        if (len == 0) {
            state->gap += DWG_ALIGN;
            if (state->gap > DWG_GAP_MAX || state->at == state->map_at)
                return DWG_BAD;
            state->at += DWG_ALIGN;
            continue;
        }
        sig_valid(in, state->at + DWG_PAGE_HEAD);
        state->gap = 0;
        state->pages++;
        state->at += len;
    }
    return state->at - state->map_at > state->end - state->map_at + DWG_ALIGN ? DWG_BAD : DWG_DONE;
}

static struct sig_result dwg_check(struct sig_input *in, void *memory)
{
    struct dwg_state *state = memory;
    uint8_t head[DWG_HEADER];
    const uint8_t *bytes = sig_bytes(in, DWG_HEADER_AT, DWG_HEADER);

    if (bytes == NULL)
        return sig_short(in);
    memcpy(head, bytes, sizeof head);
    if (state->at == 0) {
        const char *why = dwg_head(head, state);
        if (why != NULL)
            return sig_reject(why);
    }
    const enum dwg_step step = dwg_pages(in, state);
    if (step == DWG_WAIT)
        return sig_short(in);
    if (step == DWG_BAD)
        return sig_breaks(in, "no page where one must be");
    bytes = sig_bytes(in, state->end, DWG_HEADER);
    if (bytes == NULL)
        return sig_short(in);
    if (memcmp(bytes, head, sizeof head) != 0)
        return sig_breaks(in, "the copy of the file header is not where it must be");
    return sig_complete(in, state->end + DWG_HEADER, "pages up to the copy of the file header");
}

#define DWG_VERSION(digits) SIG_MASKED("AC10" digits "\0\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")

const struct sig sig_dwg = {
    .name = "dwg",
    .what = "AutoCAD drawing of 2004 and 2010 to 2018",
    .source = "Open Design Alliance, Open Design Specification for .dwg files 5.4, chapters 4, 6 and 7",
    .types = (const struct sig_type[]){ { "dwg", "dwg" }, { 0 } },
    .headers = { DWG_VERSION("18"), DWG_VERSION("24"), DWG_VERSION("27"), DWG_VERSION("32") },
    .size_min = DWG_PAGES_AT + DWG_HEADER,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct dwg_state),
    .check = dwg_check,
};
