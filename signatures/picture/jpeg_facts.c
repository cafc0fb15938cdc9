/* SPDX-License-Identifier: Apache-2.0
 * signatures/picture/jpeg_facts.c - facts of a JPEG file: its Exif and XMP segments, the
 * frame's size, and whether it has a gain map. Sources: ITU-T T.81 annex B; ISO 21496-1 annex C. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/exif.h"
#include "signatures/facts/xmp.h"
#include "signatures/picture/picture_facts.h"

enum { JPEG_FACTS_SEGMENTS = 256 /* that are looked at, at most */ };

static bool jpeg_facts_is_frame(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* The frame header, whose marker is at object offset at. Its height may be told later (DNL). */
static void jpeg_facts_frame(struct sig_facts *facts, uint64_t at)
{
    const uint8_t *bytes = tell_bytes(facts, at + 5, 4);

    if (bytes != NULL)
        tell_size(facts, bytes_u16be(bytes + 2), bytes_u16be(bytes));
}

/* An APP1 segment of len bytes behind its length, at object offset at. */
static void jpeg_facts_app1(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    static const char xmp[] = "http://ns.adobe.com/xap/1.0/";
    const uint8_t *bytes = len > sizeof xmp ? tell_bytes(facts, at, sizeof xmp) : NULL;

    if (bytes != NULL && memcmp(bytes, "Exif\0", 5) == 0)
        exif_tell(facts, at + 6, len - 6, false);
    else if (bytes != NULL && memcmp(bytes, xmp, sizeof xmp) == 0)
        xmp_tell(facts, at + sizeof xmp, len - sizeof xmp);
}

/* An APP2 segment: of a picture with a gain map it names ISO 21496-1 and has its version alone. */
static void jpeg_facts_app2(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    static const char name[] = "urn:iso:std:iso:ts:21496:-1";
    const uint8_t *bytes = len > sizeof name ? tell_bytes(facts, at, sizeof name) : NULL;

    if (bytes != NULL && memcmp(bytes, name, sizeof name) == 0)
        tell_text(facts, SIG_FACT_GAIN_MAP, "ISO 21496-1", strlen("ISO 21496-1"));
}

void jpeg_facts(struct sig_facts *facts)
{
    uint64_t at = 2;

    for (uint32_t i = 0; i < JPEG_FACTS_SEGMENTS; i++) {
        const uint8_t *head = tell_bytes(facts, at, 4);

        if (head == NULL || head[0] != 0xff || head[1] == 0xda || head[1] == 0xd9)
            return;
        if (head[1] == 0xff) { /* a fill byte */
            at++;
            continue;
        }
        const uint8_t marker = head[1];
        const uint32_t len = bytes_u16be(head + 2);
        if (len < 2)
            return;
        if (marker == 0xe1)
            jpeg_facts_app1(facts, at + 4, len - 2);
        else if (marker == 0xe2)
            jpeg_facts_app2(facts, at + 4, len - 2);
        else if (jpeg_facts_is_frame(marker))
            jpeg_facts_frame(facts, at);
        at += 2 + (uint64_t)len;
    }
}
