/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/mp3_sum.c - see mp3_sum.h.
 *
 *   "Xing" | u32be flags | u32be frames | u32be bytes | 100 bytes of places | u32be quality | 9
 * bytes encoder | 19 bytes of settings | u32be bytes of music | u16be its CRC | u16be CRC of the
 * tag
 */
#include "signatures/sound/mp3_sum.h"
#include "base/bytes.h"
#include "signatures/lib/crc16_low.h"

enum {
    SUM_ALL = 0x0f,   /* flags: all fields are there */
    SUM_MUSIC = 148,  /* where the bytes of music stand, behind the mark, */
    SUM_CRC = 152,    /* and their CRC */
    SUM_TAG_LEN = 156 /* bytes of all */
};

enum step mp3_sum_begin(struct sig_input *in, uint64_t first, uint32_t len, uint64_t mark,
                        uint32_t bytes, struct mp3_sum *out)
{
    if (mark - first + SUM_TAG_LEN > len)
        return STEP_DONE;
    const uint8_t *tag = sig_bytes(in, mark, SUM_TAG_LEN);
    if (tag == NULL)
        return STEP_WAIT;
    if ((tag[7] & SUM_ALL) != SUM_ALL || bytes_u32be(tag + SUM_MUSIC) != bytes || bytes == 0)
        return STEP_DONE;
    *out = (struct mp3_sum){ .at = first + len, .want = bytes_u16be(tag + SUM_CRC) };
    return STEP_DONE;
}

enum step mp3_sum_to(struct sig_input *in, uint64_t to, struct mp3_sum *sum)
{
    while (sum->at != 0 && sum->at < to) {
        uint32_t len;
        const uint8_t *bytes = sig_span_to(in, sum->at, to, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        sum->sum = crc16_low(sum->sum, bytes, len);
        sum->at += len;
    }
    return STEP_DONE;
}
