/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/binarycookies.c - cookies of Safari and of programs of macOS and iOS.
 *
 *   "cook" | u32be pages | u32be bytes of each page | pages | u32be sum | 07172005 | u32be bytes of
 * a property list | the list, binary page: 00000100 | u32le cookies | u32le place of each | 0 |
 * cookies, each: u32le bytes | ...
 *
 * The sum is that of every fourth byte of each page.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    COOKIES_PAGES_MAX = 16000,
    COOKIES_PAGE_MIN = 16,
    COOKIES_PAGE_MAX = 16 << 20,
    COOKIES_MAX = 65536, /* of a page */
    COOKIE_HEAD = 48,
    COOKIES_TAIL = 8,
    COOKIES_LIST_MIN = 40,
    COOKIES_LIST_MAX = 4096,
};

struct cookies_state {
    uint64_t at; /* of the page; 0: not begun */
    uint32_t page, cookie, sum;
    uint64_t summed; /* object offset up to which the page's bytes are in the sum */
};

/* Adds every fourth byte of the page. */
static enum step cookies_sum(struct sig_input *in, struct cookies_state *state, uint64_t end)
{
    if (state->summed < state->at)
        state->summed = state->at;
    while (state->summed < end) {
        uint32_t len;
        const uint8_t *p = sig_span_to(in, state->summed, end, &len);

        if (p == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i++)
            if ((state->summed + i - state->at) % 4 == 0)
                state->sum += p[i];
        state->summed += len;
    }
    return STEP_DONE;
}

/* One page of `size` bytes at state->at. */
static enum step cookies_page(struct sig_input *in, struct cookies_state *state, uint32_t size)
{
    const uint8_t *p = sig_bytes(in, state->at, 8);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t count = bytes_u32le(p + 4);
    if (bytes_u32be(p) != 0x100 || count > COOKIES_MAX || 12 + UINT64_C(4) * count > size)
        return STEP_BAD;
    for (; state->cookie < count; state->cookie++) {
        p = sig_bytes(in, state->at + 8 + UINT64_C(4) * state->cookie, 4);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t place = bytes_u32le(p);
        if (place < 12 + 4 * count || place > size || size - place < COOKIE_HEAD)
            return STEP_BAD;
        p = sig_bytes(in, state->at + place, 4);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32le(p) < COOKIE_HEAD || bytes_u32le(p) > size - place)
            return STEP_BAD;
    }
    const enum step step = cookies_sum(in, state, state->at + size);
    if (step == STEP_DONE) {
        state->at += size;
        state->cookie = 0;
        state->page++;
        sig_valid(in, state->at);
    }
    return step;
}

/* The sum and its mark, and a property list, which older files do not have. */
static struct sig_result cookies_end(struct sig_input *in, const struct cookies_state *state)
{
    const uint64_t end = state->at + COOKIES_TAIL;
    const uint8_t *p = sig_bytes(in, state->at, COOKIES_TAIL);

    if (p == NULL)
        return sig_short(in);
    if (bytes_u32be(p + 4) != 0x07172005)
        return sig_breaks(in, "no mark behind the last page");
    if (bytes_u32be(p) != state->sum)
        return sig_breaks(in, "wrong sum of the pages");
    if (in->limit == end)
        return sig_complete(in, end, "the pages have their sum");
    p = sig_bytes(in, end, 4);
    if (p == NULL)
        return sig_short(in);
    const uint32_t list = bytes_u32be(p);
    if (list < COOKIES_LIST_MIN || list > COOKIES_LIST_MAX)
        return sig_complete(in, end, "the pages have their sum");
    p = sig_bytes(in, end + 4, 8);
    if (p == NULL)
        return sig_short(in);
    if (memcmp(p, "bplist00", 8) != 0)
        return sig_complete(in, end, "the pages have their sum");
    return sig_complete(in, end + 4 + list, "the pages have their sum; a property list follows");
}

static struct sig_result cookies_check(struct sig_input *in, void *memory)
{
    struct cookies_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, 8);

    if (p == NULL)
        return sig_short(in);
    const uint32_t pages = bytes_u32be(p + 4);
    if (pages == 0 || pages > COOKIES_PAGES_MAX)
        return sig_reject("invalid number of pages");
    if (state->at == 0)
        state->at = 8 + UINT64_C(4) * pages;
    while (state->page < pages) {
        p = sig_bytes(in, 8 + UINT64_C(4) * state->page, 4);
        if (p == NULL)
            return sig_short(in);
        const uint32_t size = bytes_u32be(p);
        if (size < COOKIES_PAGE_MIN || size > COOKIES_PAGE_MAX)
            return sig_breaks(in, "invalid length of a page");
        const enum step step = cookies_page(in, state, size);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a page does not lead to its cookies");
    }
    return cookies_end(in, state);
}

const struct sig sig_binarycookies = {
    .name = "binarycookies",
    .what = "cookies of Safari and of programs of macOS and iOS",
    .proves = "every page leads to its cookies; the sum of the pages; the property list is not "
              "read",
    .source = "libyal, dtformats: Safari Cookies (Cookies.binarycookies) file format; "
              "BinaryCookies (Swift), description of the format",
    .types = (const struct sig_type[]){ { "binarycookies", "binarycookies" }, { 0 } },
    .headers = { SIG_MASKED("cook\0\0", "\xff\xff\xff\xff\xff\xc0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 8 + 4 + COOKIES_PAGE_MIN + COOKIES_TAIL,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct cookies_state),
    .check = cookies_check,
};
