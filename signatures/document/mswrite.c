/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/mswrite.c - documents of Windows Write: wri.
 *
 *   header, a page of 128 bytes: 31 BE (32 BE: with OLE objects) | 0 | 00 AB | zeros | 0E u32le end
 * of the text | 12 u16le pages where begin: paragraphs, footnotes, 16 sections, section table, 1A
 * page table, fonts | ... | 60 u16le pages in all text from 128 on | pages of character formats |
 * of paragraph formats: u32le first position | entries of 6 bytes: u32le end, u16le | ... | 7F u8
 * entries
 *
 * The pages of formats must cover the text without a gap. Word for DOS, which begins likewise, has
 * no number of pages and is refused.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    WRI_PAGE = 128,
    WRI_ENTRY = 6,
    WRI_ENTRIES_MAX = 20,
};

struct wri_state {
    uint32_t page, expected; /* to look at; text position that it must begin with */
};

/* The page at state->page covers the text from expected on. */
static bool wri_page_fits(struct wri_state *state, const uint8_t *page, uint32_t text_end)
{
    const uint32_t count = page[WRI_PAGE - 1];
    uint32_t position = bytes_u32le(page);

    if (count == 0 || count > WRI_ENTRIES_MAX || position != state->expected)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t end = bytes_u32le(page + 4 + i * WRI_ENTRY);

        if (end <= position || end > text_end)
            return false;
        position = end;
    }
    state->expected = position;
    return true;
}

static struct sig_result wri_check(struct sig_input *in, void *memory)
{
    struct wri_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, WRI_PAGE);
    uint32_t places[6];

    if (head == NULL)
        return sig_short(in);
    const uint32_t text_end = bytes_u32le(head + 14), pages = bytes_u16le(head + 96);
    for (uint32_t i = 0; i < 6; i++)
        places[i] = bytes_u16le(head + 18 + 2 * i);
    const uint32_t formats = (text_end + WRI_PAGE - 1) / WRI_PAGE;
    if (bytes_u64le(head + 6) != 0 || text_end < WRI_PAGE || formats >= places[0] ||
        places[0] >= places[1] || places[5] > pages || pages == 0)
        return sig_reject("the pages are out of order");
    for (uint32_t i = 2; i < 6; i++)
        if (places[i] < places[i - 1])
            return sig_reject("the pages are out of order");
    if (state->page == 0) {
        state->page = formats;
        state->expected = WRI_PAGE;
    }
    for (; state->page < places[1]; state->page++) {
        const uint8_t *page = sig_bytes(in, (uint64_t)state->page * WRI_PAGE, WRI_PAGE);

        if (page == NULL)
            return sig_short(in);
        if (state->page == places[0]) {
            if (state->expected != text_end)
                return sig_breaks(in, "the formats end before the text does");
            state->expected = WRI_PAGE;
        }
        if (!wri_page_fits(state, page, text_end))
            return sig_breaks(in, "a page of formats does not match the text");
        sig_valid(in, (state->page + UINT64_C(1)) * WRI_PAGE);
    }
    if (state->expected != text_end)
        return sig_breaks(in, "the formats end before the text does");
    return sig_complete(in, (uint64_t)pages * WRI_PAGE, "the pages of formats cover the text");
}

const struct sig sig_mswrite = {
    .name = "wri",
    .what = "Windows Write document",
    .proves = "pages of formats cover the text without a gap; the text itself is not read",
    .source = "Microsoft, Windows Write Binary File Format (Knowledge Base Q60825)",
    .types = (const struct sig_type[]){ { "wri", "wri" }, { 0 } },
    .headers = { SIG_PATTERN("\x31\xbe\0\0\0\xab\0\0\0\0\0\0\0\0"),
                 SIG_PATTERN("\x32\xbe\0\0\0\xab\0\0\0\0\0\0\0\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = 4 * WRI_PAGE,
    .size_max = UINT64_C(65535) * WRI_PAGE,
    .state_size = sizeof(struct wri_state),
    .check = wri_check,
};
