/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/tdata.c - files of Telegram Desktop (folder tdata): keys, settings, lists of
 * its stores, encrypted.
 *
 *   "TDF$" | u32le version of the program | data | MD5 of: data, u32le bytes of the data, version,
 * "TDF$"
 *   data: parts: u32be bytes, ffffffff for none | as many: salt of 32 bytes, what it encrypts
 *
 * Nothing tells the length: it ends behind the part after which the MD5 is right.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/md5.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    TDATA_HEAD = 8,
    TDATA_NONE = -1, /* bytes of a part that is none */
    TDATA_PARTS_MAX = 64,
    TDATA_SIZE_MAX = 64 << 20,
};

struct tdata_state {
    uint64_t at;     /* the next part; 0: not begun */
    uint64_t summed; /* object offset up to which the data are in md5 */
    uint32_t parts;
    struct md5 md5;
};

/* Adds the part at state->at to the sum. */
static enum step tdata_part(struct sig_input *in, struct tdata_state *state)
{
    const uint8_t *p = sig_bytes(in, state->at, 4);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t told = bytes_u32be(p), len = told == (uint32_t)TDATA_NONE ? 0 : told;
    if (len > TDATA_SIZE_MAX)
        return STEP_BAD;
    const uint64_t end = state->at + 4 + len;
    while (state->summed < end) {
        uint32_t have;

        p = sig_span_to(in, state->summed, end, &have);
        if (p == NULL)
            return STEP_WAIT;
        md5_add(&state->md5, p, have);
        state->summed += have;
    }
    return STEP_DONE;
}

/* Whether the MD5 of all that was read stands at `at`. */
static enum step tdata_sum(struct sig_input *in, const struct tdata_state *state, uint64_t at)
{
    struct md5 md5 = state->md5;
    uint8_t tail[12], sum[MD5_LEN];
    const uint64_t len = at - TDATA_HEAD;
    const uint8_t *p = sig_bytes(in, 0, TDATA_HEAD);

    if (p == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < 4; i++)
        tail[i] = (uint8_t)(len >> 8 * i);
    memcpy(tail + 4, p + 4, 4);
    memcpy(tail + 8, p, 4);
    md5_add(&md5, tail, sizeof tail);
    md5_end(&md5, sum);
    p = sig_bytes(in, at, MD5_LEN);
    if (p == NULL)
        return STEP_WAIT;
    return memcmp(p, sum, MD5_LEN) == 0 ? STEP_DONE : STEP_BAD;
}

static struct sig_result tdata_check(struct sig_input *in, void *memory)
{
    struct tdata_state *state = memory;

    if (state->at == 0) {
        md5_begin(&state->md5);
        state->at = state->summed = TDATA_HEAD;
    }
    while (state->parts < TDATA_PARTS_MAX) {
        enum step step = tdata_part(in, state);

        if (step == STEP_DONE)
            step = tdata_sum(in, state, state->summed);
        else if (step == STEP_BAD)
            break;
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE)
            return sig_complete(in, state->summed + MD5_LEN, "the MD5 of data and version");
        state->at = state->summed;
        state->parts++;
    }
    return sig_reject("the MD5 is behind no part");
}

const struct sig sig_tdata = {
    .name = "tdata",
    .what = "file of Telegram Desktop (TDF$)",
    .proves = "the MD5 of data and version; the data are encrypted",
    .source = "Telegram Desktop 4.6, storage/details/storage_file_utilities.cpp: WriteFile",
    .types = (const struct sig_type[]){ { "tdata", "tdata" }, { 0 } },
    .headers = { SIG_MASKED("TDF$???\0", "\xff\xff\xff\xff\0\0\0\xff") },
    .size_min = TDATA_HEAD + 4 + MD5_LEN,
    .size_max = TDATA_SIZE_MAX,
    .seam = SIG_SEAM_EXACT,
    .state_size = sizeof(struct tdata_state),
    .check = tdata_check,
};
