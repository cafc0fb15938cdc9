/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/psafe.c - Password Safe 3: a store of passwords.
 *
 *   "PWS3" | 32 bytes of salt | u32le rounds | 32 bytes of hash | 64 of keys | 16 of initial vector
 * | blocks of 16 bytes, encrypted | "PWS3-EOFPWS3-EOF" | 32 bytes of HMAC
 */
#include "base/bytes.h"
#include "signatures/sig.h"

enum {
    PSAFE_HEAD = 152,
    PSAFE_ROUNDS_AT = 36,
    PSAFE_ROUNDS_MIN = 2048,
    PSAFE_ROUNDS_MAX = 1 << 26,
    PSAFE_BLOCK = 16,
    PSAFE_TAIL = 16 + 32,
    PSAFE_LOOK_MAX = 64 << 20, /* bytes in which the end is looked for */
};

static struct sig_result psafe_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, PSAFE_HEAD);
    uint64_t at;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t rounds = bytes_u32le(p + PSAFE_ROUNDS_AT);
    if (rounds < PSAFE_ROUNDS_MIN || rounds > PSAFE_ROUNDS_MAX)
        return sig_reject("invalid number of rounds");
    const uint64_t most = in->limit < PSAFE_LOOK_MAX ? in->limit : PSAFE_LOOK_MAX;
    const enum sig_found found = sig_find(in, PSAFE_HEAD, most, "PWS3-EOFPWS3-EOF", 16, &at);
    if (found == SIG_FIND_WAIT)
        return sig_short(in);
    if (found == SIG_FIND_NONE || at == PSAFE_HEAD || (at - PSAFE_HEAD) % PSAFE_BLOCK != 0)
        return sig_reject("no end mark behind whole blocks");
    sig_valid(in, at);
    if (sig_bytes(in, at + PSAFE_TAIL - 1, 1) == NULL)
        return sig_short(in);
    return sig_complete(in, at + PSAFE_TAIL, "whole blocks lead to the end mark");
}

const struct sig sig_psafe = {
    .name = "psafe3",
    .what = "store of passwords of Password Safe 3",
    .proves = "whole blocks up to the end mark; the HMAC needs the password",
    .source = "Password Safe, docs/formatV3.txt",
    .types = (const struct sig_type[]){ { "psafe3", "psafe3" }, { 0 } },
    .headers = { SIG_PATTERN("PWS3") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = PSAFE_HEAD + PSAFE_BLOCK + PSAFE_TAIL,
    .size_max = PSAFE_LOOK_MAX,
    .check = psafe_check,
};
