/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/gitindex.c - the index of a Git work tree.
 *
 *   "DIRC" | u32be version 2, 3, 4 | u32be entries | entries, by name | extensions: four letters,
 * u32be length, content | 20 bytes of SHA-1
 *   entry: u32be seconds and nanoseconds twice, device, inode, mode, user, group, length | 20 bytes
 * of SHA-1 | u16be flags, length of the name | [u16be more flags] | the name, a zero; up to version
 * 3 zeros up to a multiple of 8; in version 4 before it how many bytes of the last name it replaces
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    GITINDEX_HEAD = 12,
    GITINDEX_ENTRY = 62,
    GITINDEX_MORE = 0x4000, /* flag: more flags follow */
    GITINDEX_NAME = 0xfff,  /* bits of the length of the name; all: longer */
    GITINDEX_NAME_MAX = 4096,
    GITINDEX_NUMBER_MAX = 4, /* bytes of a number in version 4 */
    GITINDEX_EXTENSIONS_MAX = 64,
    GITINDEX_EXTENSION_MAX = 1 << 30,
    GITINDEX_DIGEST = 20,
};

struct gitindex_state {
    uint64_t at;
    uint32_t entries; /* done */
    uint32_t stage, len;
    uint8_t name[GITINDEX_NAME_MAX];
};

static bool gitindex_mode(uint32_t mode)
{
    return mode == 0100644 || mode == 0100755 || mode == 0120000 || mode == 0160000 ||
           mode == 0040000;
}

/* Version 4: how many bytes of the last name this one keeps. */
static enum step gitindex_kept(struct sig_input *in, uint64_t *at, uint32_t last, uint32_t *kept)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < GITINDEX_NUMBER_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        number = i == 0 ? p[0] & 0x7f : (number + 1) << 7 | (p[0] & 0x7f);
        if ((p[0] & 0x80) != 0)
            continue;
        if (number > last)
            return STEP_BAD;
        *kept = last - number;
        return STEP_DONE;
    }
    return STEP_BAD;
}

/* Reads the name behind its first *len bytes up to its zero; *at: behind it. */
static enum step gitindex_name(struct sig_input *in, uint64_t *at, uint8_t *name, uint32_t *len)
{
    for (;; ++*len) {
        const uint8_t *p = sig_bytes(in, *at, 1);

        if (p == NULL)
            return STEP_WAIT;
        ++*at;
        if (p[0] == 0)
            return *len > 0 && name[0] != '/' ? STEP_DONE : STEP_BAD;
        if (*len == GITINDEX_NAME_MAX)
            return STEP_BAD;
        name[*len] = p[0];
    }
}

/* Whether the name and stage come behind those of the last entry. */
static bool gitindex_rises(const struct gitindex_state *state, const uint8_t *name, uint32_t len,
                           uint32_t stage)
{
    const int order = memcmp(state->name, name, len < state->len ? len : state->len);

    return order != 0 ? order < 0 : len != state->len ? state->len < len : state->stage < stage;
}

static enum step gitindex_entry(struct sig_input *in, struct gitindex_state *state,
                                uint32_t version)
{
    uint8_t name[GITINDEX_NAME_MAX];
    uint64_t at = state->at + GITINDEX_ENTRY;
    uint32_t len = 0;
    enum step step = STEP_DONE;
    const uint8_t *p = sig_bytes(in, state->at, GITINDEX_ENTRY);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t flags = bytes_u16be(p + 60), stage = flags >> 12 & 3;
    if (bytes_u32be(p + 4) > 999999999 || bytes_u32be(p + 12) > 999999999 ||
        !gitindex_mode(bytes_u32be(p + 24)) || (version == 2 && (flags & GITINDEX_MORE) != 0))
        return STEP_BAD;
    at += (flags & GITINDEX_MORE) != 0 ? 2 : 0;
    if (version == 4)
        step = gitindex_kept(in, &at, state->len, &len);
    memcpy(name, state->name, len);
    if (step == STEP_DONE)
        step = gitindex_name(in, &at, name, &len);
    if (step != STEP_DONE)
        return step;
    if ((flags & GITINDEX_NAME) != (len < GITINDEX_NAME ? len : GITINDEX_NAME) ||
        (state->entries > 0 && !gitindex_rises(state, name, len, stage)))
        return STEP_BAD;
    for (; version != 4 && (at - state->at) % 8 != 0; at++) {
        p = sig_bytes(in, at, 1);
        if (p == NULL)
            return STEP_WAIT;
        if (p[0] != 0)
            return STEP_BAD;
    }
    state->at = at;
    state->len = len;
    state->stage = stage;
    memcpy(state->name, name, len);
    return STEP_DONE;
}

/* *at: behind the extensions. */
static enum step gitindex_extensions(struct sig_input *in, uint64_t *at)
{
    static const char known[][5] = {
        "TREE", "REUC", "link", "UNTR", "FSMN", "EOIE", "IEOT", "sdir"
    };

    for (uint32_t i = 0; i < GITINDEX_EXTENSIONS_MAX; i++) {
        const uint8_t *p = sig_bytes(in, *at, 8);
        bool found = false;

        if (p == NULL)
            return STEP_WAIT;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            found = found || memcmp(p, known[k], 4) == 0;
        if (!found)
            return STEP_DONE;
        const uint32_t len = bytes_u32be(p + 4);
        if (len > GITINDEX_EXTENSION_MAX)
            return STEP_BAD;
        *at += 8 + (uint64_t)len;
    }
    return STEP_BAD;
}

static struct sig_result gitindex_check(struct sig_input *in, void *memory)
{
    struct gitindex_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, GITINDEX_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint32_t version = bytes_u32be(p + 4), entries = bytes_u32be(p + 8);
    if (version < 2 || version > 4 || entries == 0)
        return sig_reject("invalid version, or no entries");
    if (state->at == 0)
        state->at = GITINDEX_HEAD;
    for (; state->entries < entries; state->entries++) {
        const enum step step = gitindex_entry(in, state, version);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "an entry is invalid, or not in the order of the names");
        sig_valid(in, state->at);
    }
    uint64_t end = state->at;
    const enum step step = gitindex_extensions(in, &end);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid extension");
    return sig_complete(in, end + GITINDEX_DIGEST, "the entries are in the order of their names");
}

const struct sig sig_gitindex = {
    .name = "gitindex",
    .what = "index of a Git work tree",
    .proves = "entries have known modes and are in the order of their names; lengths of extensions",
    .source = "Git documentation: gitformat-index",
    .types = (const struct sig_type[]){ { "gitindex", "gitindex" }, { 0 } },
    .headers = { SIG_MASKED("DIRC\0\0\0\2", "\xff\xff\xff\xff\xff\xff\xff\xfe"),
                 SIG_PATTERN("DIRC\0\0\0\4") },
    .size_min = GITINDEX_HEAD + GITINDEX_ENTRY + GITINDEX_DIGEST,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct gitindex_state),
    .check = gitindex_check,
};
