/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/lzma2.c - see lzma2.h. */
#include "signatures/archive/lzma2.h"
#include "base/bytes.h"

enum {
    LZMA2_HEAD = 7 /* with properties, and the first byte of the range coder, which is always 0 */
};

/* Length of the chunk that begins so, or 0 when none can. *plain: what it unpacks to. */
static uint32_t lzma2_len(const struct lzma2 *lzma2, const uint8_t *head, uint32_t *plain)
{
    const uint8_t control = head[0];

    if (control < 0x80) {
        *plain = bytes_u16be(head + 1) + 1u;
        return control > 2 || (control == 2 && !lzma2->has_dictionary) ? 0 : 3 + *plain;
    }
    const bool properties = control >= 0xc0;
    if ((!lzma2->has_dictionary && control < 0xe0) || (!lzma2->has_properties && !properties) ||
        (properties && (head[5] >= 9 * 5 * 5 || head[5] % 9 + head[5] / 9 % 5 > 4)) ||
        head[properties ? 6 : 5] != 0)
        return 0;
    *plain = ((control & 0x1fu) << 16 | bytes_u16be(head + 1)) + 1u;
    return (properties ? 6u : 5u) + bytes_u16be(head + 3) + 1u;
}

enum lzma2_step lzma2_chunk(struct sig_input *in, struct lzma2 *lzma2)
{
    const uint8_t *head = sig_bytes(in, lzma2->at, 1);
    uint32_t plain = 0;

    if (head == NULL)
        return LZMA2_WAIT;
    if (head[0] == 0) {
        lzma2->at++;
        return LZMA2_END;
    }
    if ((head = sig_bytes(in, lzma2->at, LZMA2_HEAD)) == NULL)
        return LZMA2_WAIT;
    const bool properties = head[0] >= 0x80;
    const uint32_t len = lzma2_len(lzma2, head, &plain);
    if (len == 0)
        return LZMA2_BAD;
    switch (plausible_check(in, &lzma2->plausible, PLAUSIBLE_COMPRESSED, 1, lzma2->at,
                            lzma2->at + len)) {
    case STEP_WAIT:
        return LZMA2_WAIT;
    case STEP_BAD:
        return LZMA2_LOW;
    default:
        break;
    }
    lzma2->has_dictionary = true;
    lzma2->has_properties |= properties;
    lzma2->at += len;
    lzma2->plain += plain;
    return LZMA2_CHUNK;
}
