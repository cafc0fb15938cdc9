/* SPDX-License-Identifier: Apache-2.0
 * match/digest/digest.c - see digest_parts.h: chooses the form, and fills up the last group of
 * texts. */
#include <assert.h>

#include "match/digest.h"

struct digest_form digest_form_get(uint32_t index)
{
    static const char absent[] = "this processor has no such vectors";
    const struct digest_form portable = { .name = "portable",
                                          .lanes = 4,
                                          .run = digest_run_portable };

#ifdef __x86_64__
    if (index == 0) {
        const int has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");

        return (struct digest_form){
            .name = "avx512", .lanes = 16, .missing = has ? NULL : absent, .run = digest_run_avx512
        };
    }
    if (index == 1)
        return (struct digest_form){ .name = "avx2",
                                     .lanes = 8,
                                     .missing = __builtin_cpu_supports("avx2") ? NULL : absent,
                                     .run = digest_run_avx2 };
#else
    if (index < 2)
        return (struct digest_form){
            .name = "x86", .lanes = 4, .missing = absent, .run = digest_run_portable
        };
#endif
    return portable;
}

static struct digest_form digest_best(void)
{
    uint32_t index = 0;

    while (digest_form_get(index).missing != NULL)
        index++;
    return digest_form_get(index);
}

void digest_blocks(enum digest_kind kind, const uint8_t *const *blocks, uint32_t count,
                   uint32_t block_len, uint8_t *out)
{
    const struct digest_form form = digest_best();
    const uint32_t len = digest_len(kind);
    uint32_t done = 0;

    assert(block_len % DIGEST_STEP == 0 && block_len < 1u << 29);
    for (; done + form.lanes <= count; done += form.lanes)
        form.run(kind, blocks + done, block_len, out + done * len);
    if (done < count) {
        uint8_t last[DIGEST_LANES_MAX * DIGEST_MAX];
        const uint8_t *texts[DIGEST_LANES_MAX];

        for (uint32_t lane = 0; lane < form.lanes; lane++)
            texts[lane] = blocks[done + lane < count ? done + lane : done];
        form.run(kind, texts, block_len, last);
        memcpy(out + done * len, last, (count - done) * len);
    }
}
