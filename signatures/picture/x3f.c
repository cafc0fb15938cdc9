/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/x3f.c - X3F: raw pictures of Sigma.
 *
 *   "FOVb" | u32le version ... | sections, each begins "SEC" and a letter | "SECd" | u32le version
 * | u32le entries | entries: u32le place, length, kind | u32le place of "SECd", which ends the file
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { X3F_HEAD = 40, X3F_DIRECTORY = 12, X3F_ENTRY = 12, X3F_ENTRIES_MAX = 512 };
#define X3F_SIZE_MAX (UINT64_C(1) << 30)

struct x3f_state {
    uint64_t at; /* a directory is looked for from here on; 0: not begun */
};

/* The directory at `at`; *end: behind it. STEP_BAD: there is none. */
static enum step x3f_directory(struct sig_input *in, uint64_t at, uint64_t *end)
{
    const uint8_t *p = sig_bytes(in, at, X3F_DIRECTORY);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t entries = bytes_u32le(p + 8);
    if (entries == 0 || entries > X3F_ENTRIES_MAX)
        return STEP_BAD;
    p = sig_bytes(in, at + X3F_DIRECTORY, entries * X3F_ENTRY + 4);
    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < entries * X3F_ENTRY; i += X3F_ENTRY)
        if (bytes_u32le(p + i) < X3F_HEAD || bytes_u32le(p + i) > at ||
            bytes_u32le(p + i + 4) > at - bytes_u32le(p + i))
            return STEP_BAD;
    *end = at + X3F_DIRECTORY + entries * X3F_ENTRY + 4;
    return bytes_u32le(p + entries * X3F_ENTRY) == at ? STEP_DONE : STEP_BAD;
}

static struct sig_result x3f_check(struct sig_input *in, void *memory)
{
    struct x3f_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, X3F_HEAD);
    uint64_t at, end;

    if (p == NULL)
        return sig_short(in);
    if (bytes_u32le(p + 4) >> 16 < 2 || bytes_u32le(p + 4) >> 16 > 4)
        return sig_reject("unknown version");
    if (state->at == 0)
        state->at = X3F_HEAD;
    for (;;) {
        switch (sig_find(in, state->at, in->limit, "SECd", 4, &at)) {
        case SIG_FOUND:
            break;
        case SIG_FIND_WAIT:
            return sig_short(in);
        case SIG_FIND_NONE:
            return sig_breaks(in, "there is no directory");
        }
        switch (x3f_directory(in, at, &end)) {
        case STEP_DONE:
            return sig_complete(in, end, "the directory tells its own place and ends the file");
        case STEP_WAIT:
            return sig_short(in);
        case STEP_BAD:
            state->at = at + 4;
            break;
        }
    }
}

const struct sig sig_x3f = {
    .name = "x3f",
    .what = "X3F, raw picture of Sigma",
    .proves = "the directory leads to sections in the file and tells its own place",
    .source = "Foveon, X3F File Format Specification 1.0; LibRaw, x3f_utils",
    .types = (const struct sig_type[]){ { "x3f", "x3f" }, { 0 } },
    .headers = { SIG_MASKED("FOVb\0\0\0\0", "\xff\xff\xff\xff\0\0\xf8\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = X3F_HEAD + X3F_DIRECTORY + X3F_ENTRY + 4,
    .size_max = X3F_SIZE_MAX,
    .state_size = sizeof(struct x3f_state),
    .check = x3f_check,
};
