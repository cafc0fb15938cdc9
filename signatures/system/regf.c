/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/regf.c - registry hives of Windows NT and later, registries of Windows 95
 * and 98.
 *
 *   NT: 4096 bytes of header with a checksum | bins ("hbin", own offset, size), filled by cells:
 * i32 size, negative when in use 95: "CREG", "RGKN" with the tree | as many "RGDB" blocks as the
 * header says, one behind the other
 *
 * The header keeps the last 31 characters of the hive's own name in UTF-16, from byte 48 on: it
 * tells the type. Amcache, whose header may have none, is known by the name of its root.
 *
 * A hive of more than 256 KiB is allocated in units of 256 KiB: what is left over is zeros or bins
 * given up, and belongs to the file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    REGF_HEAD = 4096,
    REGF_SUMMED = 508,
    REGF_BIN_HEAD = 32,
    REGF_AMCACHE = 8, /* its type */
    REGF_NAME_AT = 48,
    REGF_NAME_MAX = 32,      /* characters */
    REGF_ROOT_NAME = 76,     /* of a key: where its name begins, */
    REGF_ROOT_NAME_LEN = 72, /* and where its length stands */
    REGF_UNIT = 256 << 10,
    REGF_BINS_MAX = 0x7fffe000,
    REGF_TREE_AT = 32, /* CREG */
    REGF_BLOCKS_MAX = 4096,
};

/* The type of a hive that has one of these names. */
static const struct sig_type regf_types[] = {
    { "hive", "hive" },          { "hive-sam", "hive" },     { "hive-security", "hive" },
    { "hive-software", "hive" }, { "hive-system", "hive" },  { "hive-default", "hive" },
    { "hive-ntuser", "dat" },    { "hive-usrclass", "dat" }, { "hive-amcache", "hve" },
    { "hive-syscache", "hve" },  { "hive-bcd", "hive" },     { "hive-components", "hive" },
    { "hive-drivers", "hive" },  { "hive-settings", "dat" }, { 0 }
};

/* The end of the name of the file, in the order of the types but for the first. */
static const char *const regf_names[] = { "sam",          "security",    "software",
                                          "system",       "default",     "ntuser.dat",
                                          "usrclass.dat", "amcache.hve", "syscache.hve",
                                          "bcd",          "components",  "drivers",
                                          "settings.dat" };

struct regf_state {
    uint64_t at;      /* next cell, or next bin when it is bin_end; later, next page left over */
    uint64_t bin_end; /* 0: not begun */
};

static uint32_t regf_sum(const uint8_t *p)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < REGF_SUMMED; i += 4)
        sum ^= bytes_u32le(p + i);
    return sum == 0 ? 1 : sum == UINT32_MAX ? UINT32_MAX - 1 : sum;
}

/* The header of a bin at object offset at; *size 0: none. */
static enum step regf_bin(struct sig_input *in, uint64_t at, uint32_t *size)
{
    const uint8_t *p = sig_bytes(in, at, REGF_BIN_HEAD);

    *size = 0;
    if (p == NULL)
        return STEP_WAIT;
    if (memcmp(p, "hbin", 4) == 0 && bytes_u32le(p + 4) == at - REGF_HEAD &&
        bytes_u32le(p + 8) % REGF_HEAD == 0)
        *size = bytes_u32le(p + 8);
    return STEP_DONE;
}

/* Every bin up to end, and every cell in it. */
static enum step regf_bins(struct sig_input *in, struct regf_state *state, uint64_t end)
{
    if (state->bin_end == 0)
        state->at = state->bin_end = REGF_HEAD;
    while (state->at < end) {
        if (state->at == state->bin_end) {
            uint32_t size;
            const enum step step = regf_bin(in, state->at, &size);

            if (step != STEP_DONE)
                return step;
            if (size == 0 || size > end - state->at)
                return STEP_BAD;
            sig_valid(in, state->at);
            state->bin_end = state->at + size;
            state->at += REGF_BIN_HEAD;
        }
        const uint8_t *p = sig_bytes(in, state->at, 4);
        if (p == NULL)
            return STEP_WAIT;
        const int64_t size = (int32_t)bytes_u32le(p);
        const uint64_t cell = (uint64_t)(size < 0 ? -size : size);
        if (cell < 8 || cell % 8 != 0 || cell > state->bin_end - state->at)
            return STEP_BAD;
        state->at += cell;
    }
    return STEP_DONE;
}

/* The root of the tree: a key. */
static enum step regf_root(struct sig_input *in, uint32_t root, uint64_t end)
{
    static const char amcache[] = "{11517B7C-E79D-4e20-961B-75A811715ADD}";
    const uint64_t at = REGF_HEAD + (uint64_t)root + 4;
    const uint8_t *p = sig_bytes(in, at, REGF_ROOT_NAME);

    if (p == NULL)
        return STEP_WAIT;
    if (root >= end || memcmp(p, "nk", 2) != 0 || (p[2] & 4) == 0)
        return STEP_BAD;
    if (bytes_u16le(p + REGF_ROOT_NAME_LEN) == sizeof amcache - 1) {
        p = sig_bytes(in, at + REGF_ROOT_NAME, sizeof amcache - 1);
        if (p == NULL)
            return STEP_WAIT;
        if (memcmp(p, amcache, sizeof amcache - 1) == 0)
            in->type = &regf_types[REGF_AMCACHE];
    }
    return STEP_DONE;
}

/* Raises *end to a multiple of the unit when nothing else stands between. state->at: at first *end.
 */
static enum step regf_rest(struct sig_input *in, struct regf_state *state, uint64_t *end)
{
    const uint64_t unit_end = (*end + REGF_UNIT - 1) / REGF_UNIT * REGF_UNIT;

    if (*end <= REGF_UNIT || unit_end > in->limit)
        return STEP_DONE;
    while (state->at < unit_end) {
        uint32_t size;
        const enum step step = regf_bin(in, state->at, &size);

        if (step != STEP_DONE)
            return step;
        if (size == 0) {
            const uint8_t *p = sig_bytes(in, state->at, REGF_HEAD);
            if (p == NULL)
                return STEP_WAIT;
            if (p[0] != 0 || memcmp(p, p + 1, REGF_HEAD - 1) != 0)
                return STEP_DONE;
            size = REGF_HEAD;
        }
        state->at += size;
    }
    *end = unit_end;
    return STEP_DONE;
}

/* Sets the type by the file's name in the header at p. */
static void regf_tell_type(struct sig_input *in, const uint8_t *p)
{
    char name[REGF_NAME_MAX + 1];
    uint32_t len = 0, from = 0;

    for (; len < REGF_NAME_MAX; len++) {
        const uint32_t c = bytes_u16le(p + REGF_NAME_AT + 2 * len);

        if (c == 0)
            break;
        name[len] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c < 0x80 ? c : '?');
        from = c == '\\' ? len + 1 : from;
    }
    name[len] = '\0';
    for (uint32_t i = 0; i < sizeof regf_names / sizeof regf_names[0]; i++)
        if (strcmp(name + from, regf_names[i]) == 0)
            in->type = &regf_types[i + 1];
}

static struct sig_result regf_hive(struct sig_input *in, struct regf_state *state)
{
    const uint8_t *p = sig_bytes(in, 0, 512);

    if (p == NULL)
        return sig_short(in);
    const uint32_t root = bytes_u32le(p + 36), size = bytes_u32le(p + 40);
    if (bytes_u32le(p + 20) != 1 || bytes_u32le(p + 24) > 6 || bytes_u32le(p + 32) != 1 ||
        size == 0 || size % REGF_HEAD != 0 || size > REGF_BINS_MAX ||
        regf_sum(p) != bytes_u32le(p + REGF_SUMMED))
        return sig_reject("invalid header, or its checksum is wrong");
    if (bytes_u32le(p + 28) != 0)
        return sig_reject("the header belongs to a transaction log");
    regf_tell_type(in, p);
    sig_valid(in, 512);
    uint64_t end = REGF_HEAD + (uint64_t)size;
    enum step step = state->at < end ? regf_bins(in, state, end) : STEP_DONE;
    if (step == STEP_DONE)
        step = regf_root(in, root, end);
    if (step == STEP_DONE)
        step = regf_rest(in, state, &end);
    if (step == STEP_WAIT && in->wanted > in->limit && state->at > REGF_HEAD)
        sig_valid(in, in->limit);
    if (step == STEP_WAIT)
        return sig_short(in);
    if (step == STEP_BAD)
        return sig_breaks(in, "invalid bin or cell");
    return sig_complete(in, end, "the cells fill every bin");
}

static struct sig_result regf_old(struct sig_input *in)
{
    const uint8_t *p = sig_bytes(in, 0, 64);

    if (p == NULL)
        return sig_short(in);
    const uint32_t blocks_at = bytes_u32le(p + 8), count = bytes_u16le(p + 16),
                   tree = bytes_u32le(p + 36);
    uint64_t at = blocks_at;
    if (count == 0 || count > REGF_BLOCKS_MAX || memcmp(p + REGF_TREE_AT, "RGKN", 4) != 0 ||
        tree + REGF_TREE_AT > blocks_at || tree < 32)
        return sig_reject("invalid header");
    sig_valid(in, 64);
    for (uint32_t i = 0; i < count; i++) {
        p = sig_bytes(in, at, 16);
        if (p == NULL)
            return sig_short(in);
        const uint32_t size = bytes_u32le(p + 4), unused = bytes_u32le(p + 8);
        if (memcmp(p, "RGDB", 4) != 0 || size < 32 || size > REGF_BINS_MAX || unused > size)
            return sig_breaks(in, "invalid block of data");
        at += size;
    }
    return sig_complete(in, at, "as many blocks of data as the header says");
}

static struct sig_result regf_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, 4);

    if (p == NULL)
        return sig_short(in);
    return p[0] == 'r' ? regf_hive(in, memory) : regf_old(in);
}

const struct sig sig_regf = {
    .name = "hive",
    .what = "Windows registry hive",
    .proves = "the header has its checksum; bins follow one another, cells fill each; the root is "
              "a key (95: blocks "
              "follow one another)",
    .source = "Suhanov, Windows registry file format specification, 2024; libcreg documentation "
              "(Windows 95)",
    .types = regf_types,
    .headers = { SIG_MASKED("regf\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0",
                            "\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xf8"
                            "\xff\xff\xff"),
                 SIG_PATTERN("CREG\0\0\1\0") },
    .size_min = 64,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct regf_state),
    .check = regf_check,
};
