/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/nist.c - SPHERE: recorded speech for research (NIST).
 *
 *   "NIST_1A\n" | "   1024\n", bytes of the head | lines "name -i value", "name -sN value" |
 * "end_head" | samples
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { NIST_HEAD = 1024, NIST_WORD_MAX = 10, NIST_CHANNELS_MAX = 256, NIST_WIDTH_MAX = 8 };

/* The value of "name -i value" in the head; false: it is not there. */
static bool nist_value(const uint8_t *head, const char *name, uint64_t *value)
{
    const size_t len = strlen(name);
    const uint8_t *at = memmem(head, NIST_HEAD - len - NIST_WORD_MAX - 4, name, len);

    if (at == NULL || memcmp(at + len, " -i ", 4) != 0)
        return false;
    at += len + 4;
    *value = 0;
    for (uint32_t i = 0; i < NIST_WORD_MAX && at[i] >= '0' && at[i] <= '9'; i++)
        *value = 10 * *value + (uint64_t)(at[i] - '0');
    return true;
}

static struct sig_result nist_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, NIST_HEAD);
    uint64_t count, channels = 1, width;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    if (memmem(p, NIST_HEAD, "\nend_head", 9) == NULL || !nist_value(p, "\nsample_count", &count) ||
        !nist_value(p, "\nsample_n_bytes", &width))
        return sig_reject("the head does not tell the samples");
    if (!nist_value(p, "\nchannel_count", &channels))
        channels = 1;
    if (count == 0 || channels == 0 || channels > NIST_CHANNELS_MAX || width == 0 ||
        width > NIST_WIDTH_MAX)
        return sig_reject("invalid number of samples");
    if (memmem(p, NIST_HEAD, "shorten", 7) != NULL)
        return sig_reject("packed samples, whose length is not told");
    sig_valid(in, NIST_HEAD);
    const uint64_t end = NIST_HEAD + count * channels * width;
    if (sig_bytes(in, end - 1, 1) == NULL)
        return sig_short(in);
    return sig_believe(in, end, "number and width of samples give the length");
}

const struct sig sig_nist = {
    .name = "sph",
    .what = "recorded speech (NIST SPHERE)",
    .proves = "number and width of samples give the length; they are not looked at",
    .source = "NIST, SPHERE 2.7: sphere.doc, header",
    .types = (const struct sig_type[]){ { "sph", "sph" }, { 0 } },
    .headers = { SIG_PATTERN("NIST_1A\n   1024\n") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = NIST_HEAD + 1,
    .size_max = UINT64_C(1) << 40,
    .check = nist_check,
};
