/* SPDX-License-Identifier: Apache-2.0
 * signatures/system/job.c - job: what Windows 95 to 7 were to run, and when.
 *
 *   u16le version of Windows | u16le 1 | 16 bytes that name the job | u16le 70, place of the names
 * | u16le place of the times | ... 68 bytes | u16le running now names: program, arguments, folder,
 * author, remark: u16le characters, UTF-16 | u16le bytes of data, data | u16le bytes, reserved |
 * u16le times, 48 bytes each | [1, 1, 64 bytes of signature]
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    JOB_HEAD = 70,
    JOB_NAMES = 5,
    JOB_NAME_MAX = 8192, /* characters */
    JOB_TIME = 48,
    JOB_TIMES_MAX = 1024,
    JOB_SIGNATURE = 68,
};

/* A text of UTF-16 that a NUL ends, or data: `unit` bytes each. *at moves behind it. */
static enum step job_part(struct sig_input *in, uint64_t *at, uint32_t unit)
{
    const uint8_t *p = sig_bytes(in, *at, 2);

    if (p == NULL)
        return STEP_WAIT;
    const uint32_t len = bytes_u16le(p) * unit;
    if (len > JOB_NAME_MAX * unit)
        return STEP_BAD;
    *at += 2 + len;
    if (unit == 1 || len == 0)
        return STEP_DONE;
    p = sig_bytes(in, *at - 2, 2);
    return p == NULL ? STEP_WAIT : bytes_u16le(p) == 0 ? STEP_DONE : STEP_BAD;
}

static struct sig_result job_check(struct sig_input *in, void *memory)
{
    const uint8_t *p = sig_bytes(in, 0, JOB_HEAD);
    uint64_t at = JOB_HEAD;

    (void)memory;
    if (p == NULL)
        return sig_short(in);
    const uint32_t times_at = bytes_u16le(p + 22);
    for (uint32_t i = 0; i < JOB_NAMES + 2; i++) {
        const enum step step = job_part(in, &at, i < JOB_NAMES ? 2 : 1);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid name");
    }
    p = sig_bytes(in, at, 2);
    if (p == NULL)
        return sig_short(in);
    const uint32_t times = bytes_u16le(p);
    if (at != times_at || times > JOB_TIMES_MAX)
        return sig_reject("the times do not stand behind the names");
    at += 2 + JOB_TIME * (uint64_t)times;
    sig_valid(in, times_at);
    if (sig_bytes(in, at - 1, 1) == NULL)
        return sig_short(in);
    if (at < in->limit) {
        p = sig_bytes(in, at, 4);
        if (p == NULL)
            return sig_short(in);
        if (bytes_u32le(p) == 0x00010001)
            at += JOB_SIGNATURE;
        if (sig_bytes(in, at - 1, 1) == NULL)
            return sig_short(in);
    }
    return sig_complete(in, at, "names lead to the times");
}

const struct sig sig_job = {
    .name = "job",
    .what = "what Windows 95 to 7 were to run, and when (job)",
    .proves = "names lead to the times, which the head tells the place of",
    .source = "Microsoft, [MS-TSCH] 2.4: .JOB File Format",
    .types = (const struct sig_type[]){ { "job", "job" }, { 0 } },
    .headers = { SIG_MASKED("\0\0\1\0????????????????\x46\0",
                            "\xf8\xf0\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = JOB_HEAD + 2 * (JOB_NAMES + 3),
    .size_max = 1 << 20,
    .check = job_check,
};
