/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/flac_facts.c - facts of FLAC files: STREAMINFO and the comments. Source: RFC
 * 9639. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/media.h"
#include "signatures/sound/sound_facts.h"

enum { FLAC_FACTS_BLOCKS = 128 /* that are looked at, at most */ };

void flac_facts(struct sig_facts *facts)
{
    const uint8_t *magic = tell_bytes(facts, 0, 10);
    uint64_t at = 4;

    if (magic != NULL && memcmp(magic, "ID3", 3) == 0) /* sizes have 7 bits a byte */
        at += 10 + ((uint64_t)(magic[6] & 0x7f) << 21 | (uint64_t)(magic[7] & 0x7f) << 14 |
                    (uint64_t)(magic[8] & 0x7f) << 7 | (uint64_t)(magic[9] & 0x7f));
    magic = tell_bytes(facts, at - 4, 4);
    if (magic == NULL || memcmp(magic, "fLaC", 4) != 0)
        return;

    for (uint32_t i = 0; i < FLAC_FACTS_BLOCKS; i++) {
        const uint8_t *bytes = tell_bytes(facts, at, 4);

        if (bytes == NULL)
            return;
        const uint8_t kind = bytes[0];
        const uint32_t len = bytes_u32be(bytes) & 0xffffff;
        if ((kind & 0x7f) == 0 && len >= 18) {
            bytes = tell_bytes(facts, at + 14, 8);
            /* 20 bits of the rate, 8 of what matters not here, 36 of the number of samples. */
            if (bytes != NULL)
                media_duration(facts, bytes_u64be(bytes) & 0xfffffffff, bytes_u64be(bytes) >> 44);
        } else if ((kind & 0x7f) == 4) {
            media_comments(facts, at + 4, len);
        }
        if ((kind & 0x80) != 0)
            return;
        at += 4 + (uint64_t)len;
    }
}
