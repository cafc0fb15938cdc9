/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/lnk.c - Windows shortcuts.
 *
 *   76 bytes of header | list of item identifiers | link info | up to five strings, each counted |
 * extra blocks: u32le size, u32le signature the terminal block: u32le below 4
 *
 * Jump lists of an application's own (customDestinations): categories of shortcuts, each behind its
 * class, and a mark at a category's end.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"
#include "signatures/system/system_facts.h"

enum {
    LNK_HEAD = 76,
    LNK_HAS_LIST = 1,
    LNK_HAS_INFO = 2,
    LNK_FIRST_STRING = 2, /* bit number */
    LNK_STRINGS = 5,
    LNK_UNICODE = 0x80,
    LNK_NO_INFO = 0x100,
    LNK_BLOCKS_MAX = 64,
    LNK_BLOCK_MAX = 1 << 20,
    LNK_TERMINAL = 4,
    LNK_MAGIC = 20,
    LNK_CLASS = 16,
    LNK_JUMP_HEAD = 12,
    LNK_ENTRIES_MAX = 4096,
    LNK_NAMED = 0, /* kinds of categories */
    LNK_KNOWN = 1,
    LNK_TASKS = 2,
};

static const char lnk_magic[] = "\x4c\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46";

/* Items fill the list, whose last one is two zeros. */
static enum step lnk_list(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 2);

    if (p == NULL)
        return STEP_WAIT;
    const uint64_t end = *at + 2 + bytes_u16le(p);
    for (*at += 2; *at + 2 <= end;) {
        p = sig_bytes(in, *at, 2);
        if (p == NULL)
            return STEP_WAIT;
        const uint32_t len = bytes_u16le(p);
        if (len == 0) {
            *at += 2;
            return *at == end ? STEP_DONE : STEP_BAD;
        }
        if (len < 3)
            return STEP_BAD;
        *at += len;
    }
    return STEP_BAD;
}

static enum step lnk_info(struct sig_input *in, uint64_t *at)
{
    const uint8_t *p = sig_bytes(in, *at, 28);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t size = bytes_u32le(p), head = bytes_u32le(p + 4), flags = bytes_u32le(p + 8);
    if (head < 28 || head > 64 || size < head || size > LNK_BLOCK_MAX || flags > 3)
        return STEP_BAD;
    for (uint32_t i = 12; i < 28; i += 4)
        if (bytes_u32le(p + i) >= size)
            return STEP_BAD;
    *at += size;
    return STEP_DONE;
}

static enum step lnk_strings(struct sig_input *in, uint32_t flags, uint64_t *at)
{
    for (uint32_t i = 0; i < LNK_STRINGS; i++) {
        if ((flags >> (LNK_FIRST_STRING + i) & 1) == 0)
            continue;
        const uint8_t *p = sig_bytes(in, *at, 2);
        if (p == NULL)
            return STEP_WAIT;
        *at += 2 + (uint64_t)bytes_u16le(p) * ((flags & LNK_UNICODE) != 0 ? 2 : 1);
    }
    return STEP_DONE;
}

static enum step lnk_blocks(struct sig_input *in, uint64_t *at)
{
    for (uint32_t i = 0; i < LNK_BLOCKS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 4);

        if (p == NULL)
            return STEP_WAIT;
        const uint32_t size = bytes_u32le(p);
        if (size < LNK_TERMINAL) {
            *at += 4;
            return STEP_DONE;
        }
        if (size < 8 || size > LNK_BLOCK_MAX)
            return STEP_BAD;
        p = sig_bytes(in, *at, 8);
        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32le(p + 4) >> 8 != 0xa00000 || p[4] == 0)
            return STEP_BAD;
        *at += size;
        sig_valid(in, *at);
    }
    return STEP_BAD;
}

/* A whole shortcut at *at, which becomes its end. */
static enum step lnk_file(struct sig_input *in, uint64_t *at)
{
    enum step step = STEP_DONE;
    const uint8_t *p = sig_bytes(in, *at, LNK_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = bytes_u32le(p + 20), show = bytes_u32le(p + 60);
    if (memcmp(p, lnk_magic, LNK_MAGIC) != 0 || (flags & 0xf8000000) != 0 || show > 11 ||
        bytes_u16le(p + 66) != 0 || bytes_u32le(p + 68) != 0)
        return STEP_BAD;
    *at += LNK_HEAD;
    if (flags & LNK_HAS_LIST)
        step = lnk_list(in, at);
    if (step == STEP_DONE && (flags & LNK_HAS_INFO) != 0 && (flags & LNK_NO_INFO) == 0)
        step = lnk_info(in, at);
    if (step == STEP_DONE)
        step = lnk_strings(in, flags, at);
    if (step == STEP_DONE)
        step = lnk_blocks(in, at);
    return step;
}

static struct sig_result lnk_check(struct sig_input *in, void *memory)
{
    uint64_t at = 0;
    const enum step step = lnk_file(in, &at);

    (void)memory;
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid part of the shortcut");
    return sig_complete(in, at, "every part up to the terminal block is valid");
}

struct lnk_jump_state {
    uint64_t at;         /* what is read next; 0: the first category */
    uint32_t categories; /* done */
    uint32_t entries;    /* left in this one */
    uint32_t shortcuts;  /* read so far */
    bool inside;         /* of a category */
};

/* The head of a category: its name, or the number of a known one, and how many shortcuts it has. */
static enum step lnk_category(struct sig_input *in, struct lnk_jump_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 8);
    uint64_t at = state->at + 4;

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t kind = bytes_u32le(p);
    state->entries = 0;
    if (kind == LNK_NAMED) {
        at += 2 + (uint64_t)bytes_u16le(p + 4) * 2;
        p = sig_bytes(in, at, 4);
        if (p == NULL)
            return STEP_WAIT;
        state->entries = bytes_u32le(p);
    } else if (kind == LNK_TASKS) {
        state->entries = bytes_u32le(p + 4);
    } else if (kind != LNK_KNOWN) {
        return STEP_BAD;
    }
    state->at = at + 4;
    state->inside = true;
    return state->entries <= LNK_ENTRIES_MAX ? STEP_DONE : STEP_BAD;
}

/* A shortcut behind its class, or the mark at the end of the category. */
static enum step lnk_entry(struct sig_input *in, struct lnk_jump_state *state)
{
    if (state->entries == 0) {
        const uint8_t *p = sig_bytes(in, state->at, 4);

        if (p == NULL)
            return STEP_WAIT;
        if (bytes_u32le(p) != 0xbabffbab)
            return STEP_BAD;
        state->at += 4;
        state->categories++;
        state->inside = false;
        return STEP_DONE;
    }
    const uint8_t *p = sig_bytes(in, state->at, LNK_CLASS);
    if (p == NULL)
        return STEP_WAIT;
    uint64_t at = state->at + LNK_CLASS;
    if (memcmp(p, lnk_magic + 4, LNK_CLASS) != 0)
        return STEP_BAD;
    const enum step step = lnk_file(in, &at);
    if (step == STEP_DONE) {
        state->at = at;
        state->entries--;
        state->shortcuts++;
    }
    return step;
}

static struct sig_result lnk_jump_check(struct sig_input *in, void *memory)
{
    struct lnk_jump_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, LNK_JUMP_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t count = bytes_u32le(p + 4);
    if (state->at == 0)
        state->at = LNK_JUMP_HEAD;
    while (state->categories < count) {
        const enum step step = state->inside ? lnk_entry(in, state) : lnk_category(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && state->shortcuts == 0)
            break; /* numbers as small as those of categories are everywhere */
        if (step == STEP_BAD)
            return sig_breaks(in, "invalid category or shortcut");
        if (state->shortcuts > 0)
            sig_valid(in, state->at);
    }
    if (state->shortcuts == 0)
        return sig_reject("there is no shortcut");
    return sig_complete(in, state->at, "every shortcut of every category is valid");
}

const struct sig sig_lnk = {
    .name = "lnk",
    .what = "Windows shortcut",
    .proves = "items, link info, strings and blocks lead to the terminal block",
    .source = "Microsoft, MS-SHLLINK, 2",
    .types = (const struct sig_type[]){ { "lnk", "lnk" }, { 0 } },
    .headers = { SIG_PATTERN("\x4c\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46") },
    .size_min = LNK_HEAD + LNK_TERMINAL,
    .size_max = 16 << 20,
    .check = lnk_check,
    .facts = lnk_facts,
};

const struct sig sig_jump = {
    .name = "jumplist",
    .what = "jump list of an application's own (customDestinations)",
    .proves = "shortcuts of every category lead to its end mark",
    .source = "libyal, dtformats: Jump lists format, 3; Microsoft, MS-SHLLINK, 2",
    .types =
        (const struct sig_type[]){ { "customdestinations-ms", "customdestinations-ms" }, { 0 } },
    .headers = { SIG_MASKED("\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\xf0\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = LNK_JUMP_HEAD + LNK_HEAD,
    .size_max = 64 << 20,
    .state_size = sizeof(struct lnk_jump_state),
    .check = lnk_jump_check,
};
