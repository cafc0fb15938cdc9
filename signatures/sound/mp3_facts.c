/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/mp3_facts.c - facts of MP3 files: ID3 in front and behind, and how long they
 * play, from the Xing or Info frame, or from the first frame's bit rate.
 *
 * Sources: https://id3.org/id3v2.3.0, id3v2.4.0-structure, ID3v1; ISO/IEC 11172-3, 2.4.2.3;
 * Xing VBR header.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/media.h"
#include "signatures/sound/sound_facts.h"

enum {
    MP3_FACTS_FRAMES = 64, /* of ID3 that are looked at, at most */
    MP3_FACTS_SEEK = 4096, /* bytes behind ID3 in which the first frame begins */
    MP3_FACTS_ID3V1 = 128,
};

/* Four times 7 bits. */
static uint32_t mp3_facts_size(const uint8_t *p)
{
    return (uint32_t)(p[0] & 0x7f) << 21 | (uint32_t)(p[1] & 0x7f) << 14 |
           (uint32_t)(p[2] & 0x7f) << 7 | (uint32_t)(p[3] & 0x7f);
}

/* The text of a frame: its encoding, and its bytes. */
static void mp3_facts_text(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *text,
                           uint32_t len)
{
    const uint8_t encoding = text[0];

    text++;
    len--;
    if (encoding == 0) {
        tell_latin1(facts, key, text, len);
    } else if (encoding == 3) {
        tell_text(facts, key, text, len);
    } else if (encoding == 2) {
        tell_utf16(facts, key, text, len, true);
    } else if (encoding == 1 && len >= 2) {
        const bool big = text[0] == 0xfe;
        const uint32_t mark = big || text[0] == 0xff ? 2 : 0;

        tell_utf16(facts, key, text + mark, len - mark, big);
    }
}

static void mp3_facts_frame(struct sig_facts *facts, const char *name, uint64_t at, uint32_t len)
{
    static const struct {
        const char *name;
        enum sig_fact_key key;
    } names[] = { { "TIT2", SIG_FACT_TITLE },    { "TT2", SIG_FACT_TITLE },
                  { "TPE1", SIG_FACT_AUTHOR },   { "TP1", SIG_FACT_AUTHOR },
                  { "TALB", SIG_FACT_ALBUM },    { "TAL", SIG_FACT_ALBUM },
                  { "TSSE", SIG_FACT_SOFTWARE }, { "TSS", SIG_FACT_SOFTWARE },
                  { "TENC", SIG_FACT_SOFTWARE }, { "TDRC", SIG_FACT_CREATED },
                  { "TDTG", SIG_FACT_MODIFIED } };
    const uint32_t want = len < 2 * SIG_FACT_LEN + 4 ? len : 2 * SIG_FACT_LEN + 4;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const uint8_t *bytes =
            strcmp(name, names[i].name) == 0 && want > 1 ? tell_bytes(facts, at, want) : NULL;

        if (bytes == NULL)
            continue;
        if (names[i].key != SIG_FACT_CREATED && names[i].key != SIG_FACT_MODIFIED)
            mp3_facts_text(facts, names[i].key, bytes, want);
        else if (bytes[0] == 0 || bytes[0] == 3)
            tell_date(facts, names[i].key, (const char *)bytes + 1, want - 1, "", 0);
    }
}

/* ID3 version 2 in front. Returns its bytes; 0: there is none. */
static uint64_t mp3_facts_id3(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, 10);

    if (head == NULL || memcmp(head, "ID3", 3) != 0)
        return 0;
    const uint8_t version = head[3], flags = head[5];
    const uint64_t end = 10 + (uint64_t)mp3_facts_size(head + 6);
    const uint32_t name_len = version == 2 ? 3 : 4, frame_head = version == 2 ? 6 : 10;
    uint64_t at = 10;

    if ((flags & 0x40) != 0 && version > 2) { /* an extended header */
        const uint8_t *more = tell_bytes(facts, at, 4);

        at += more == NULL ? 0 : version == 4 ? mp3_facts_size(more) : 4 + bytes_u32be(more);
    }
    for (uint32_t i = 0; i < MP3_FACTS_FRAMES && at < end && end - at > frame_head; i++) {
        const uint8_t *frame = tell_bytes(facts, at, frame_head);
        char name[5] = { 0 };

        if (frame == NULL || frame[0] == 0)
            break;
        memcpy(name, frame, name_len);
        const uint32_t size = version == 2   ? bytes_u32be(frame + 2) & 0xffffff
                              : version == 4 ? mp3_facts_size(frame + 4)
                                             : bytes_u32be(frame + 4);
        at += frame_head;
        if (size > end - at)
            break;
        /* Those that are packed or encrypted have flags in the last byte. */
        if (version == 2 || (frame[9] & 0xdf) == 0)
            mp3_facts_frame(facts, name, at, size);
        at += size;
    }
    return end + (version == 4 && (flags & 0x10) != 0 ? 10 : 0);
}

struct mp3_facts_format {
    uint32_t rate, bits, samples; /* samples and bits a second; samples of a frame */
    uint32_t side;                /* bytes before the Xing header */
};

/* Layer III of MPEG 1, 2 and 2.5. */
static bool mp3_facts_format(const uint8_t *p, struct mp3_facts_format *out)
{
    static const uint16_t bits1[] = { 0,   32,  40,  48,  56,  64,  80,  96,
                                      112, 128, 160, 192, 224, 256, 320, 0 };
    static const uint16_t bits2[] = { 0,  8,  16, 24,  32,  40,  48,  56,
                                      64, 80, 96, 112, 128, 144, 160, 0 };
    static const uint16_t rates[] = { 44100, 48000, 32000, 0 };
    const uint32_t version = p[1] >> 3 & 3, layer = p[1] >> 1 & 3;
    const bool one = version == 3, mono = p[3] >> 6 == 3;

    if (p[0] != 0xff || (p[1] & 0xe0) != 0xe0 || version == 1 || layer != 1)
        return false;
    out->rate = rates[p[2] >> 2 & 3] / (one ? 1u : version == 2 ? 2u : 4u);
    out->bits = 1000u * (one ? bits1 : bits2)[p[2] >> 4];
    out->samples = one ? 1152 : 576;
    out->side = one ? (mono ? 17 : 32) : mono ? 9 : 17;
    return out->rate != 0 && out->bits != 0;
}

static void mp3_facts_length(struct sig_facts *facts, uint64_t at, uint64_t end)
{
    struct mp3_facts_format format;
    const uint8_t *bytes = NULL;
    uint32_t seek = 0;

    for (; seek < MP3_FACTS_SEEK; seek++, at++) {
        bytes = tell_bytes(facts, at, 4);
        if (bytes == NULL || mp3_facts_format(bytes, &format))
            break;
    }
    if (bytes == NULL || seek == MP3_FACTS_SEEK)
        return;
    bytes = tell_bytes(facts, at + 4 + format.side, 12);
    const bool xing =
        bytes != NULL && (memcmp(bytes, "Xing", 4) == 0 || memcmp(bytes, "Info", 4) == 0);
    if (xing && (bytes[7] & 1) != 0)
        media_duration(facts, (uint64_t)bytes_u32be(bytes + 8) * format.samples, format.rate);
    else if (end > at)
        media_duration(facts, (end - at) * 8, format.bits);
}

static bool mp3_facts_id3v1(struct sig_facts *facts)
{
    const uint64_t len = tell_len(facts);
    const uint8_t *bytes =
        len > MP3_FACTS_ID3V1 ? tell_bytes(facts, len - MP3_FACTS_ID3V1, MP3_FACTS_ID3V1) : NULL;

    if (bytes == NULL || memcmp(bytes, "TAG", 3) != 0)
        return false;
    tell_latin1(facts, SIG_FACT_TITLE, bytes + 3, 30);
    tell_latin1(facts, SIG_FACT_AUTHOR, bytes + 33, 30);
    tell_latin1(facts, SIG_FACT_ALBUM, bytes + 63, 30);
    return true;
}

void mp3_facts(struct sig_facts *facts)
{
    const uint64_t at = mp3_facts_id3(facts);
    const bool tail = mp3_facts_id3v1(facts);

    mp3_facts_length(facts, at, tell_len(facts) - (tail ? MP3_FACTS_ID3V1 : 0));
}
