/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/firebird.c - databases of Firebird 3 and later (ODS 12, 13).
 *
 *   pages, each: kind 1 to 10 | flags | u16le | u32le generation | u32le | u32le its number
 *   page 0, kind 1: at 16 u16le bytes of a page | u16le version, the highest bit set
 *   kind 2, at page 1 and before every multiple of what one can tell: at 24 u32le, how many pages
 * from the one on that it begins with were ever used | bits
 *
 * The file has as many pages as were ever used; it may have been made longer, with zeros.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    FIREBIRD_HEAD = 32,
    FIREBIRD_PAGE_MIN = 4096,
    FIREBIRD_PAGE_MAX = 32 << 10,
    FIREBIRD_KINDS = 10,
    FIREBIRD_MAP = 2,
    FIREBIRD_BITS = 28, /* bytes of a map before its bits */
};

struct firebird_state {
    uint64_t page;  /* the number of the next one */
    uint64_t pages; /* how many are known to be used */
};

/* Looks at the page state->page. */
static enum step firebird_page(struct sig_input *in, struct firebird_state *state, uint32_t bytes)
{
    const uint64_t map_pages = (uint64_t)(bytes - FIREBIRD_BITS) * 8;
    const uint8_t *p = sig_bytes(in, state->page * bytes, FIREBIRD_HEAD);
    const bool map = state->page == 1 || (state->page + 1) % map_pages == 0;

    if (p == NULL)
        return STEP_WAIT;
    if (p[0] == 0 || p[0] > FIREBIRD_KINDS || bytes_u32le(p + 12) != state->page ||
        map != (p[0] == FIREBIRD_MAP) || (state->page == 0) != (p[0] == 1))
        return STEP_BAD;
    if (map) {
        const uint64_t used = bytes_u32le(p + 24), from = state->page == 1 ? 0 : state->page + 1;

        if (used > map_pages || (state->page == 1 && used < 3))
            return STEP_BAD;
        state->pages = from + used;
        /* A full map is followed by the page of the next one. */
        if (state->pages <= state->page)
            state->pages = state->page + 1;
    }
    state->page++;
    return STEP_DONE;
}

static struct sig_result firebird_check(struct sig_input *in, void *memory)
{
    struct firebird_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, FIREBIRD_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t bytes = bytes_u16le(p + 16), version = bytes_u16le(p + 18);
    if (bytes < FIREBIRD_PAGE_MIN || bytes > FIREBIRD_PAGE_MAX || (bytes & (bytes - 1)) != 0 ||
        (version != 0x800c && version != 0x800d))
        return sig_reject("unknown version or length of a page");
    if (state->pages == 0)
        state->pages = 2;
    while (state->page < state->pages) {
        const enum step step = firebird_page(in, state, bytes);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return state->page < 2 ? sig_reject("invalid page") : sig_breaks(in, "invalid page");
        if (state->page > 2)
            sig_valid(in, state->page * bytes < in->limit ? state->page * bytes : in->limit);
    }
    return sig_complete(in, state->pages * bytes, "every used page tells its number");
}

const struct sig sig_firebird = {
    .name = "fdb",
    .what = "database of Firebird",
    .proves =
        "every page tells its number; maps of pages count those that were ever used; zeros behind "
        "them, which the server keeps ready, are left out",
    .source = "Firebird, src/jrd/ods.h (ODS 12 and 13), pag.cpp",
    .types = (const struct sig_type[]){ { "fdb", "fdb" }, { 0 } },
    .headers = { SIG_MASKED("\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0c\x80",
                            "\xff\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\x0f\xfe\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 3 * FIREBIRD_PAGE_MIN,
    .size_max = UINT64_C(1) << 46,
    .state_size = sizeof(struct firebird_state),
    .check = firebird_check,
};
