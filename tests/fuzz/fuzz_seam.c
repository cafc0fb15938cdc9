/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_seam.c - arbitrary bytes as the pieces of a unit that is looked for: the joint of
 * bzip2, and the flow of gzip.
 *
 * The first bytes say which of them, where the one piece ends in the data and the other begins, and
 * at which bit the number behind the unit stands. Found: crashes, reads outside of the pieces,
 * seams outside of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct sig sig_bzip2, sig_gzip;

enum { FUZZ_HEAD = 6, FUZZ_MOST = 1 << 16, FUZZ_SEAMS = 16, FUZZ_STEP = 16 };

static uint8_t *copy(const uint8_t *bytes, uint32_t len, uint32_t more)
{
    uint8_t *out = calloc(1, len + more + 1);

    if (out == NULL)
        abort();
    memcpy(out, bytes, len);
    return out;
}

static void join(const uint8_t *here, uint32_t here_len, const uint8_t *there, uint32_t there_len,
                 uint32_t end_bit)
{
    const struct sig_joint_job job = { .here = here,
                                       .there = there,
                                       .here_len = here_len,
                                       .there_len = there_len,
                                       .cut = FUZZ_STEP,
                                       .step = FUZZ_STEP,
                                       .end_bit = end_bit };
    struct sig_seam_at seams[FUZZ_SEAMS];
    uint32_t count = 0;

    if (!sig_bzip2.joint->join(&job, seams, FUZZ_SEAMS, &count) || count > FUZZ_SEAMS)
        abort();
    for (uint32_t i = 0; i < count; i++)
        if (seams[i].end > here_len || seams[i].begin > there_len)
            abort();
}

static void follow(const uint8_t *here, uint32_t here_len, const uint8_t *there, uint32_t there_len)
{
    const struct sig_flow_job job = {
        .here = here, .here_len = here_len, .cut = FUZZ_STEP, .step = FUZZ_STEP
    };
    void *flow = sig_gzip.flow->open(&job);

    if (flow == NULL)
        return;
    for (uint32_t at = 0; at < there_len; at += FUZZ_STEP) {
        uint32_t end = 0;

        if (sig_gzip.flow->follow(flow, there + at, there_len - at, &end) > 0 && end > here_len)
            abort();
    }
    sig_gzip.flow->close(flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < FUZZ_HEAD || size > FUZZ_MOST)
        return 0;
    const uint32_t len = (uint32_t)size - FUZZ_HEAD, here_len = bytes_u16le(data + 1) % (len + 1);
    const uint32_t there_len = len - here_len;
    uint8_t *here = copy(data + FUZZ_HEAD, here_len, SIG_FLOW_SLACK);
    uint8_t *there = copy(data + FUZZ_HEAD + here_len, there_len, 0);

    if ((data[0] & 1) != 0)
        follow(here, here_len, there, there_len);
    else {
        uint8_t *exact = copy(here, here_len, 0);

        join(exact, here_len, there, there_len,
             (data[3] | (uint32_t)data[4] << 8 | (uint32_t)data[5] << 16) % (there_len * 8 + 1));
        free(exact);
    }
    free(here);
    free(there);
    return 0;
}
