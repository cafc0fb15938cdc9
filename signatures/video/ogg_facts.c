/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/ogg_facts.c - facts of Ogg files: the comments of Vorbis and Opus, and how long
 * they play. Sources: RFC 3533, RFC 7845, https://xiph.org/vorbis/doc/Vorbis_I_spec.html
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/media.h"
#include "signatures/video/video_facts.h"

enum {
    OGG_FACTS_HEAD = 27,
    OGG_FACTS_TAIL = 64 << 10 /* bytes at the end in which the last page begins: its most */
};

/* The length of the page at `at`, and of its header; 0: there is none. */
static uint32_t ogg_facts_page(struct sig_facts *facts, uint64_t at, uint32_t *head_len)
{
    const uint8_t *head = tell_bytes(facts, at, OGG_FACTS_HEAD);
    uint32_t len = 0;

    if (head == NULL || memcmp(head, "OggS", 4) != 0 || head[26] == 0)
        return 0;
    const uint32_t count = head[26];
    *head_len = OGG_FACTS_HEAD + count;
    const uint8_t *sizes = tell_bytes(facts, at + OGG_FACTS_HEAD, count);
    for (uint32_t i = 0; sizes != NULL && i < count; i++)
        len += sizes[i];
    return sizes != NULL ? *head_len + len : 0;
}

/* Samples played by the end of the last page, of the stream with this number. */
static uint64_t ogg_facts_last(struct sig_facts *facts, uint32_t serial)
{
    const uint64_t len = tell_len(facts);
    const uint32_t want = len < OGG_FACTS_TAIL ? (uint32_t)len : OGG_FACTS_TAIL;
    const uint8_t *bytes = tell_bytes(facts, len - want, want);

    for (uint32_t at = want; bytes != NULL && at-- >= OGG_FACTS_HEAD;) {
        const uint8_t *page = bytes + at + 1 - OGG_FACTS_HEAD;
        const uint64_t place = page[0] == 'O' ? bytes_u64le(page + 6) : UINT64_MAX;

        if (place != UINT64_MAX && memcmp(page, "OggS", 4) == 0 && bytes_u32le(page + 14) == serial)
            return place;
    }
    return 0;
}

void ogg_facts(struct sig_facts *facts)
{
    uint32_t head = 0, rate = 0, skip = 0;
    const uint32_t first = ogg_facts_page(facts, 0, &head);
    const uint8_t *bytes = first >= head + 19 ? tell_bytes(facts, head, 19) : NULL;

    if (bytes == NULL)
        return;
    if (memcmp(bytes, "\x01vorbis", 7) == 0) {
        rate = bytes_u32le(bytes + 12);
    } else if (memcmp(bytes, "OpusHead", 8) == 0) {
        rate = 48000;
        skip = bytes_u16le(bytes + 10);
    }
    bytes = tell_bytes(facts, 0, OGG_FACTS_HEAD);
    const uint32_t serial = bytes != NULL ? bytes_u32le(bytes + 14) : 0;
    const uint32_t second = rate > 0 ? ogg_facts_page(facts, first, &head) : 0;
    const uint64_t at = (uint64_t)first + head;
    bytes = second >= head + 8 ? tell_bytes(facts, at, 8) : NULL;
    if (bytes != NULL && memcmp(bytes, "\x03vorbis", 7) == 0)
        media_comments(facts, at + 7, second - head - 7);
    else if (bytes != NULL && memcmp(bytes, "OpusTags", 8) == 0)
        media_comments(facts, at + 8, second - head - 8);
    const uint64_t last = rate > 0 ? ogg_facts_last(facts, serial) : 0;
    if (last > skip && tell_len(facts) > first)
        media_duration(facts, last - skip, rate);
}
