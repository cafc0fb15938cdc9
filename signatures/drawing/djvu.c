/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/djvu.c - DjVu pictures and documents: IFF chunks behind four letters.
 *
 *   "AT&T" | "FORM" | u32be length | kind "DJVU", "DJVM", "DJVI", "THUM", "PM44", "BM44" | chunks:
 * name | u32be length | bytes, padded to 2
 *
 * A document of several pages (DJVM) begins with a directory and has a FORM for each page. All
 * chunks are walked; those that are compressed have to look so.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/drawing/drawing_facts.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    DJVU_HEAD = 16,
    DJVU_CHUNK = 8,
    DJVU_INFO_MIN = 5,
};

struct djvu_state {
    struct plausible plausible;
    uint64_t at;       /* object offset of the next chunk; 0: not begun */
    uint64_t page_end; /* of the FORM that the chunk lies in; 0: in none but the first */
    uint32_t chunks;
    bool first; /* the next chunk is the first of its FORM */
    char kind[4];
};

static bool djvu_is_kind(const char *list, const void *name)
{
    for (; *list != '\0'; list += 4)
        if (memcmp(list, name, 4) == 0)
            return true;
    return false;
}

static bool djvu_is_name(const uint8_t *name)
{
    for (int i = 0; i < 4; i++)
        if (!((name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= 'a' && name[i] <= 'z') ||
              (name[i] >= '0' && name[i] <= '9')))
            return false;
    return true;
}

/* What a chunk of this name has to begin with. NULL: nothing is wrong. */
static const char *djvu_chunk(const struct djvu_state *state, const uint8_t *name, uint32_t length)
{
    if (!djvu_is_name(name))
        return "a valid chunk must follow here, and none does";
    if (state->first && memcmp(state->kind, "DJVU", 4) == 0 &&
        (memcmp(name, "INFO", 4) != 0 || length < DJVU_INFO_MIN))
        return "a page does not begin with its size";
    if (state->first && memcmp(state->kind, "DJVM", 4) == 0 &&
        (memcmp(name, "DIRM", 4) != 0 || length < 3))
        return "the document does not begin with its directory";
    return NULL;
}

/* Goes into the FORM of a page. */
static const char *djvu_enter(struct djvu_state *state, const uint8_t *kind, uint64_t end)
{
    if (state->page_end != 0 || memcmp(state->kind, "DJVM", 4) != 0 ||
        !djvu_is_kind("DJVUDJVITHUM", kind))
        return "invalid page";
    memcpy(state->kind, kind, 4);
    state->page_end = end;
    state->first = true;
    state->at += DJVU_CHUNK + 4;
    return NULL;
}

static struct sig_result djvu_check(struct sig_input *in, void *memory)
{
    struct djvu_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, DJVU_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint64_t end = 12 + (uint64_t)bytes_u32be(head + 8);
    const bool document = memcmp(head + 12, "DJVM", 4) == 0;
    if (!djvu_is_kind("DJVUDJVMDJVITHUMPM44BM44", head + 12))
        return sig_reject("unknown kind of DjVu");
    if (state->at == 0) {
        memcpy(state->kind, head + 12, 4);
        state->at = DJVU_HEAD;
        state->first = true;
    }
    for (;;) {
        if (state->page_end != 0 && state->at >= state->page_end) {
            state->page_end = 0;
            memcpy(state->kind, "DJVM", 4);
        }
        const uint64_t room = state->page_end != 0 ? state->page_end : end;
        if (state->at >= end)
            break;
        const uint8_t *bytes = sig_bytes(in, state->at, DJVU_CHUNK + 4);
        if (bytes == NULL)
            return sig_short(in);
        const uint32_t length = bytes_u32be(bytes + 4);
        const uint64_t chunk_end = state->at + DJVU_CHUNK + length;
        const bool form = memcmp(bytes, "FORM", 4) == 0 && length >= 4;
        const char *why = chunk_end > room ? "a chunk is longer than the one around it"
                                           : djvu_chunk(state, bytes, length);
        if (why == NULL && form)
            why = djvu_enter(state, bytes + DJVU_CHUNK, chunk_end);
        if (why != NULL)
            return sig_breaks(in, why);
        state->chunks++;
        if (form)
            continue;
        state->first = false;
        if (djvu_is_kind("BG44FG44SjbzDjbzTXTzANTzBM44PM44TH44", bytes)) {
            const enum step seen = plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1,
                                                   state->at + DJVU_CHUNK, chunk_end);

            if (seen == STEP_WAIT)
                return state->chunks--, sig_short(in);
            if (seen == STEP_BAD)
                return sig_breaks(in, "the data here do not look compressed");
            state->plausible = (struct plausible){ 0 };
        }
        state->at = (chunk_end + 1) & ~UINT64_C(1);
        sig_valid(in, chunk_end < in->limit ? chunk_end : in->limit);
    }
    if (state->chunks < (document ? 2u : 1u))
        return sig_reject("the document has no pages");
    return sig_complete(in, end, "the chunks lead to the end");
}

const struct sig sig_djvu = {
    .name = "djvu",
    .what = "DjVu picture or document",
    .proves = "chunks lead to the end that the first one gives; compressed ones look compressed",
    .source = "Lizardtech, DjVu Reference (DjVu v3), 2005: 5, 6, 8",
    .types = (const struct sig_type[]){ { "djvu", "djvu" }, { 0 } },
    .headers = { SIG_PATTERN("AT&TFORM") },
    .size_min = 32,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct djvu_state),
    .flags = SIG_LOOSE_END,
    .check = djvu_check,
    .facts = djvu_facts,
};
