/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/au.c - Sun and NeXT sound: .au, .snd.
 *
 *   ".snd" | u32be offset of the data | u32be its length | u32be encoding | u32be rate | u32be
 * channels | text, NULs to the data
 *
 * A length of 2^32 - 1 stands for "not known": such a file cannot be measured, and breaks behind
 * its header.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/sig.h"

enum {
    AU_HEAD = 24,
    AU_TEXT_MAX = 4096,
    AU_RATE_MIN = 1000,
    AU_RATE_MAX = 400000,
    AU_CHANNELS_MAX = 64,
};

/* Bits of a sample by encoding; 0: no such encoding, or one with blocks of its own. */
static uint32_t au_bits(uint32_t encoding)
{
    static const uint8_t bits[] = { 0, 8, 8, 16, 24, 32, 32, 64 };

    if (encoding < sizeof bits)
        return bits[encoding];
    return encoding == 27                     ? 8
           : encoding == 23 || encoding == 24 ? 4
           : encoding == 25                   ? 3
           : encoding == 26                   ? 5
                                              : 0;
}

/* The samples of mu-law and A-law are looked at for text alone. */
static enum plausible_kind au_plausible(uint32_t encoding)
{
    static const enum plausible_kind kinds[] = { PLAUSIBLE_ANY,
                                                 PLAUSIBLE_SAMPLES_8,
                                                 PLAUSIBLE_SAMPLES_8_SIGNED,
                                                 PLAUSIBLE_SAMPLES_16_BIG,
                                                 PLAUSIBLE_SAMPLES_24_BIG,
                                                 PLAUSIBLE_SAMPLES_32_BIG };

    return encoding < sizeof kinds / sizeof kinds[0] ? kinds[encoding] : PLAUSIBLE_SAMPLES_8;
}

static struct sig_result au_check(struct sig_input *in, void *memory)
{
    struct plausible *plausible = memory;
    const uint8_t *head = sig_bytes(in, 0, AU_HEAD);

    if (head == NULL)
        return sig_short(in);
    const uint32_t data = bytes_u32be(head + 4), len = bytes_u32be(head + 8),
                   encoding = bytes_u32be(head + 12);
    const uint32_t rate = bytes_u32be(head + 16), channels = bytes_u32be(head + 20),
                   bits = au_bits(encoding);
    if (data < AU_HEAD || data > AU_HEAD + AU_TEXT_MAX || bits == 0 || rate < AU_RATE_MIN ||
        rate > AU_RATE_MAX || channels == 0 || channels > AU_CHANNELS_MAX)
        return sig_reject("invalid sound format");
    const uint32_t step = bits * channels / 8;
    if (len == 0 || (len != UINT32_MAX && bits % 8 == 0 && len % step != 0))
        return sig_reject("the length is not a whole number of samples");
    if (data > AU_HEAD) {
        const uint8_t *text = sig_bytes(in, AU_HEAD, data - AU_HEAD);

        if (text == NULL)
            return sig_short(in);
        const uint32_t used = (uint32_t)strnlen((const char *)text, data - AU_HEAD);
        for (uint32_t i = 0; i < used; i++)
            if (text[i] < ' ' && (text[i] < '\t' || text[i] > '\r'))
                return sig_reject("the text is not printable");
        if (data - AU_HEAD - used > 1 &&
            memcmp(text + used, text + used + 1, data - AU_HEAD - used - 1) != 0)
            return sig_reject("other data follow the text");
    }
    if (len == UINT32_MAX) {
        sig_valid(in, data);
        return sig_breaks(in, "the file was written as a stream: its length is not recorded");
    }
    const enum plausible_kind kind =
        step > PLAUSIBLE_STEP_MAX ? PLAUSIBLE_ANY : au_plausible(encoding);
    const uint64_t end = (uint64_t)data + len;
    switch (plausible_check(in, plausible, kind, step == 0 ? 1 : step, data, end)) {
    case STEP_WAIT:
        if (in->wanted > in->limit)
            sig_valid(in, in->limit);
        return sig_short(in);
    case STEP_BAD:
        sig_valid(in, plausible->at > AU_HEAD + AU_TEXT_MAX ? plausible->at : 0);
        return sig_breaks(in, "the data here do not look like samples");
    default:
        return sig_believe(in, end, "the header gives the length, and the data look like samples");
    }
}

const struct sig sig_au = {
    .name = "au",
    .what = "Sun or NeXT sound",
    .proves = "as long as the header says; no text or zeros among the samples",
    .source = "Sun Microsystems, audio(4) and <audio/au.h>; NeXT, <sound/soundstruct.h>",
    .types = (const struct sig_type[]){ { "au", "au" }, { 0 } },
    .headers = { SIG_MASKED(
        ".snd\0\0??????\0\0\0?\0?\?\?\0\0\0",
        "\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\xff\xff\xff\0\xff\0\0\0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = AU_HEAD + 1,
    .size_max = UINT64_C(1) << 33, /* lengths have 32 bits */
    .state_size = sizeof(struct plausible),
    .check = au_check,
};
