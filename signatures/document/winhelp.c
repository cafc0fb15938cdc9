/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/winhelp.c - Windows Help: hlp, gid, and the like.
 *
 *   3F 5F 03 00 | u32le place of the directory | first free block | u32le size of the file
 *   internal files: u32le space kept, 9 bytes of this head included | u32le space used | flags
 *   the directory is one: 3B 29 | flags | u16le page size | 16 letters | 0 | splits | root | -1 |
 * pages | levels | u32le entries pages of level 1: free bytes | entries | previous, next | names,
 * each with the place of its file
 *
 * The whole directory is read; every file that it names must lie inside of the size.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    HLP_HEAD = 16,
    HLP_FILE_HEAD = 9,
    HLP_TREE = 38,
    HLP_PAGE_MAX = 4096,
    HLP_LEAF_HEAD = 8,
    HLP_IS_DIRECTORY = 4,
    HLP_PAGES_MAX = 4096,
};

struct hlp_state {
    uint32_t size, directory, page_size, pages, levels, entries, page,
        entry;   /* page, entry: that come next */
    uint32_t at; /* of the entry in its page */
    uint32_t found;
    bool begun;
};

/* The head of an internal file. */
static enum step hlp_file(struct sig_input *in, const struct hlp_state *state, uint32_t place,
                          bool directory)
{
    if (place < HLP_HEAD || place > state->size - HLP_FILE_HEAD)
        return STEP_BAD;
    const uint8_t *head = sig_bytes(in, place, HLP_FILE_HEAD);
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t kept = bytes_u32le(head), used = bytes_u32le(head + 4);
    if (kept > state->size - place || used > kept || kept - used < HLP_FILE_HEAD ||
        (directory && head[8] != HLP_IS_DIRECTORY))
        return STEP_BAD;
    return STEP_DONE;
}

static enum step hlp_begin(struct sig_input *in, struct hlp_state *state)
{
    const uint8_t *head = sig_bytes(in, 0, HLP_HEAD);

    if (head == NULL)
        return STEP_WAIT;
    state->directory = bytes_u32le(head + 4);
    state->size = bytes_u32le(head + 12);
    if (state->size < HLP_HEAD + HLP_FILE_HEAD + HLP_TREE ||
        state->directory > state->size - HLP_FILE_HEAD - HLP_TREE)
        return STEP_BAD;
    const enum step step = hlp_file(in, state, state->directory, true);
    if (step != STEP_DONE)
        return step;
    const uint8_t *tree = sig_bytes(in, state->directory + HLP_FILE_HEAD, HLP_TREE);
    if (tree == NULL)
        return STEP_WAIT;
    state->page_size = bytes_u16le(tree + 4);
    state->pages = bytes_u16le(tree + 30);
    state->levels = bytes_u16le(tree + 32);
    state->entries = bytes_u32le(tree + 34);
    if (bytes_u16le(tree) != 0x293b || state->page_size < 256 || state->page_size > HLP_PAGE_MAX ||
        bytes_u16le(tree + 22) != 0 || bytes_u16le(tree + 28) != 0xffff || state->pages == 0 ||
        state->pages > HLP_PAGES_MAX || state->levels == 0 || state->levels > 4)
        return STEP_BAD;
    if (state->directory + HLP_FILE_HEAD + HLP_TREE + (uint64_t)state->pages * state->page_size >
        state->size)
        return STEP_BAD;
    state->begun = true;
    return STEP_DONE;
}

/* One entry of a page of level 1, whose root is the only page when there is one level: a name and
 * the place of its file. */
static enum step hlp_entry(struct sig_input *in, struct hlp_state *state, uint64_t place,
                           bool *last)
{
    const uint8_t *page = sig_bytes(in, place, state->page_size);

    if (page == NULL)
        return STEP_WAIT;
    *last = state->entry == bytes_u16le(page + 2);
    if (*last)
        return STEP_DONE;
    const uint32_t at = state->at == 0 ? HLP_LEAF_HEAD : state->at;
    const uint8_t *end = memchr(page + at, 0, state->page_size - at);
    if (end == NULL || (uint32_t)(page + state->page_size - end) < 5)
        return STEP_BAD;
    const uint32_t next = (uint32_t)(end - page) + 5;
    const enum step step = hlp_file(in, state, bytes_u32le(end + 1), false);
    if (step != STEP_DONE)
        return step;
    state->at = next;
    state->entry++;
    state->found++;
    return STEP_DONE;
}

/* The pages of level 1 in their order; those above them are known by the number of levels being
 * more than one and their not being linked. */
static enum step hlp_pages(struct sig_input *in, struct hlp_state *state)
{
    while (state->page < state->pages) {
        const uint64_t place =
            state->directory + HLP_FILE_HEAD + HLP_TREE + (uint64_t)state->page * state->page_size;
        bool last = false;
        enum step step = hlp_entry(in, state, place, &last);

        if (step == STEP_WAIT)
            return step;
        if (step == STEP_BAD && state->levels > 1 &&
            state->entry == 0) { /* a page of the index above */
            last = true;
            step = STEP_DONE;
        }
        if (step == STEP_BAD)
            return step;
        if (last) {
            state->page++;
            state->entry = state->at = 0;
        }
    }
    return state->found == state->entries ? STEP_DONE : STEP_BAD;
}

static struct sig_result hlp_check(struct sig_input *in, void *memory)
{
    struct hlp_state *state = memory;

    if (!state->begun) {
        const enum step step = hlp_begin(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("there is no valid directory where the header points");
    }
    const enum step step = hlp_pages(in, state);
    if (state->found > 0)
        sig_valid(in, state->directory < in->limit ? state->directory : in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "a file is not where the directory says");
    return sig_complete(in, state->size, "every file is where the directory says");
}

const struct sig sig_winhelp = {
    .name = "hlp",
    .what = "Windows Help file",
    .proves = "every file of the directory has its head where it says; texts are not unpacked",
    .source =
        "M. Winterhoff, Windows Help File Format: HELPHEADER, FILEHEADER, BTREEHEADER, directory",
    .types = (const struct sig_type[]){ { "hlp", "hlp" }, { 0 } },
    .headers = { SIG_PATTERN("\x3f\x5f\x03\0") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = HLP_HEAD + HLP_FILE_HEAD + HLP_TREE + 256,
    .size_max = UINT64_C(1) << 31,
    .state_size = sizeof(struct hlp_state),
    .check = hlp_check,
};
