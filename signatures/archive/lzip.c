/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzip.c - lzip: members of LZMA data, each of which ends with its own length.
 *
 *   "LZIP" | 01 | size of the dictionary | LZMA data, the first byte 00 | u32le CRC-32 | u64le
 * plain size | u64le size of the member
 *
 * The data are not unpacked. The end is looked for: eight bytes that hold their own distance from
 * the member's start, with a plain size before them that can be. All members of less than 4 GiB
 * have four zeros there, which packed data seldom have. Sectors that are no packed data (zeros,
 * text) end the search. A member right behind another one belongs to the same file.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    LZIP_HEAD = 7, /* the first byte of the range coder included */
    LZIP_TRAILER = 20,
    LZIP_MEMBER_MIN = 36,
    LZIP_STEP = 4096,          /* bytes searched at a time */
    LZIP_RATIO_MAX = 1 << 14,  /* LZMA packs no better */
    LZIP_MEMBER_MAX = 1 << 29, /* as far as an end is looked for; policy */
};

struct lzip_state {
    uint64_t member,
        at;         /* object offsets: of the member; everything before `at` has been searched */
    uint64_t whole; /* end of the last whole member; 0: none yet */
    bool inside;
    struct plausible plausible;
};

static enum step lzip_head(struct sig_input *in, struct lzip_state *state, const char **why)
{
    const uint8_t *head = sig_bytes(in, state->member, LZIP_HEAD);

    *why = "invalid header of a member";
    if (head == NULL)
        return STEP_WAIT;
    const uint32_t dictionary = head[5] & 31;
    if (memcmp(head, "LZIP\1", 5) != 0 || dictionary < 12 || dictionary > 29 ||
        (dictionary == 12 && head[5] != 12) || head[6] != 0)
        return STEP_BAD;
    if (state->member > 0)
        sig_claim(in, state->member);
    state->at = state->member + LZIP_MEMBER_MIN - LZIP_TRAILER;
    state->inside = true;
    return STEP_DONE;
}

/* Do the 8 bytes at trailer + 12 end a member of this size? */
static bool lzip_ends(const uint8_t *trailer, uint64_t size)
{
    const uint64_t plain = bytes_u64le(trailer + 4);

    return bytes_u64le(trailer + 12) == size && plain / LZIP_RATIO_MAX <= size &&
           size <= LZIP_MEMBER_MIN + plain + plain / 32 && (plain > 0 || bytes_u32le(trailer) == 0);
}

/* The zeros at `zeros` are the first ones of a row: does the size they may belong to end the
 * member? */
static enum step lzip_candidate(struct sig_input *in, struct lzip_state *state, uint64_t zeros)
{
    enum {
        BEFORE = 16,
        LOOK = BEFORE + 7
    }; /* the size begins 1 to 4 bytes before the zeros, the trailer 12 before it */
    const uint64_t from = zeros - BEFORE;
    const uint32_t look = in->limit - from < LOOK ? (uint32_t)(in->limit - from) : LOOK;
    const uint8_t *bytes = sig_bytes(in, from, look);

    if (bytes == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i + LZIP_TRAILER <= look; i++) {
        const uint64_t end = from + i + LZIP_TRAILER;

        if (end < state->member + LZIP_MEMBER_MIN || !lzip_ends(bytes + i, end - state->member))
            continue;
        state->whole = end;
        state->member = end;
        state->inside = false;
        sig_valid(in, end);
        return STEP_DONE;
    }
    return STEP_BAD;
}

/* Looks through the next few kilobytes. */
static enum step lzip_search(struct sig_input *in, struct lzip_state *state, const char **why)
{
    const uint64_t to = state->at + LZIP_STEP;
    uint64_t zeros;

    while (state->at < to) {
        const enum sig_found found = sig_find(in, state->at, to + 3, "\0\0\0\0", 4, &zeros);

        if (found == SIG_FIND_WAIT)
            return STEP_WAIT;
        if (found == SIG_FIND_NONE) {
            if (to + 3 > in->limit) {
                in->wanted = UINT64_MAX;
                return STEP_WAIT;
            }
            break;
        }
        const enum step step = lzip_candidate(in, state, zeros);
        if (step != STEP_BAD)
            return step;
        for (state->at = zeros + 4; state->at < to;
             state->at++) { /* over the other zeros of the row */
            const uint8_t *next = sig_bytes(in, state->at, 1);

            if (next == NULL)
                return STEP_WAIT;
            if (next[0] != 0)
                break;
        }
        in->find_at = 0;
    }
    if (state->at < to)
        state->at = to;
    in->find_at = 0;
    *why = "the size of a member does not come within the limit";
    if (state->at - state->member > LZIP_MEMBER_MAX)
        return STEP_BAD;
    *why = "the data here do not look compressed";
    return plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->member,
                           state->at - LZIP_STEP) == STEP_BAD
               ? STEP_BAD
               : STEP_DONE;
}

static struct sig_result lzip_check(struct sig_input *in, void *memory)
{
    struct lzip_state *state = memory;
    const char *why = "";

    for (;;) {
        if (!state->inside && sig_claims_full(in))
            return sig_again(in);
        const enum step step =
            state->inside ? lzip_search(in, state, &why) : lzip_head(in, state, &why);
        if (step == STEP_DONE)
            continue;
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (state->whole > 0)
            return sig_complete(in, state->whole, "every member ends with its own size");
        return sig_reject(step == STEP_BAD ? why : "the first member has no end");
    }
}

const struct sig sig_lzip = {
    .name = "lz",
    .what = "lzip file",
    .proves = "members end with their own length; data looks compressed",
    .source = "A. Diaz Diaz, Lzip compressed format (RFC draft-diaz-lzip), section 2",
    .types = (const struct sig_type[]){ { "lz", "lz" }, { 0 } },
    .headers = { SIG_MASKED("LZIP\1\0\0", "\xff\xff\xff\xff\xff\0\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CLAIMS,
    .size_min = LZIP_MEMBER_MIN,
    .size_max = UINT64_C(1) << 36,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct lzip_state),
    .check = lzip_check,
};
