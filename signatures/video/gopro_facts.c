/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/gopro_facts.c - facts of the camera in films of a GoPro (box GPMF of the user
 * data).
 *
 *   items: 4 letters | u8 kind: 0 other items, 'c' text | u8 bytes of a value | u16be values |
 * they, filled up to 4 bytes
 *
 * Sources: GoPro, gpmf-parser: README; ExifTool, GoPro tags.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/video/video_facts.h"

enum {
    GOPRO_ITEM = 8,
    GOPRO_ITEMS_MAX = 64,
};

/* The fact that a text of these letters is; SIG_FACT_KEYS: none. */
static enum sig_fact_key gopro_key(const uint8_t *letters)
{
    static const struct {
        char letters[5];
        enum sig_fact_key key;
    } keys[] = { { "MINF", SIG_FACT_CAMERA_MODEL },
                 { "FMWR", SIG_FACT_SOFTWARE },
                 { "CASN", SIG_FACT_SERIAL } };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (memcmp(letters, keys[i].letters, 4) == 0)
            return keys[i].key;
    return SIG_FACT_KEYS;
}

void gopro_facts(struct sig_facts *facts, uint64_t at, uint64_t end)
{
    for (uint32_t i = 0; i < GOPRO_ITEMS_MAX && at < end && end - at >= GOPRO_ITEM; i++) {
        const uint8_t *p = tell_bytes(facts, at, GOPRO_ITEM);

        if (p == NULL)
            return;
        const enum sig_fact_key key = gopro_key(p);
        const uint32_t len = p[5] * (uint32_t)bytes_u16be(p + 6);
        const uint8_t kind = p[4];
        at += GOPRO_ITEM;
        if (kind == 0) /* those that it holds come next */
            continue;
        if (len > end - at)
            return;
        p = key != SIG_FACT_KEYS && kind == 'c' && len > 0 && len <= SIG_FACT_LEN
                ? tell_bytes(facts, at, len)
                : NULL;
        if (p != NULL)
            tell_text(facts, key, p, len);
        at += ((uint64_t)len + 3) / 4 * 4;
    }
}
