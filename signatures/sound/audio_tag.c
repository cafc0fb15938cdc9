/* SPDX-License-Identifier: Apache-2.0
 * signatures/sound/audio_tag.c - see audio_tag.h. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sound/audio_tag.h"

enum {
    TAG_ID3_FOOTER = 1 << 4, /* flag of ID3v2.4: ten more bytes behind the tag */
    TAG_V1 = 128,
    TAG_V1_TEXT = 3, /* title, artist and album, 30 bytes each; then four of the year */
    TAG_V1_YEAR = 93,
    TAG_V1_PLUS = 227, /* "TAG+" in front of ID3v1 */
    TAG_APE = 32,      /* header and footer of an APE tag, each */
    TAG_APE_MAX = 16 << 20,
    TAG_APE_ITEMS_MAX = 256,
    TAG_APE_KEY_MAX = 255,
    TAG_LYRICS_OLD_MAX = 5120 + 20, /* bytes of Lyrics3 v1, with both marks */
    TAG_LYRICS_FIELDS_MAX = 64,
    TAG_ROUNDS = 6, /* tags behind each other, at most */
};
static const char tag_lyrics[] = "LYRICSBEGIN";

uint64_t audio_tag_id3_len(const uint8_t head[AUDIO_TAG_ID3_HEAD])
{
    if (memcmp(head, "ID3", 3) != 0 || head[3] < 2 || head[3] > 4 || head[4] == 0xff ||
        ((head[6] | head[7] | head[8] | head[9]) & 0x80) != 0)
        return 0;
    const uint64_t size =
        (uint64_t)head[6] << 21 | (uint64_t)head[7] << 14 | (uint64_t)head[8] << 7 | head[9];
    return AUDIO_TAG_ID3_HEAD + size +
           (head[3] == 4 && head[5] & TAG_ID3_FOOTER ? AUDIO_TAG_ID3_HEAD : 0);
}

/* Each of these finds the end of its own kind of tag at *end, or leaves *end alone. */
static enum step tag_v1(struct sig_input *in, uint64_t *end)
{
    const uint8_t *tag = sig_bytes(in, *end, 4);
    uint64_t at = *end;

    if (tag == NULL)
        return STEP_WAIT;
    if (memcmp(tag, "TAG", 3) != 0)
        return STEP_DONE;
    if (tag[3] == '+') {
        tag = sig_bytes(in, at + TAG_V1_PLUS, 3);
        if (tag == NULL)
            return STEP_WAIT;
        if (memcmp(tag, "TAG", 3) == 0)
            at += TAG_V1_PLUS;
    }
    tag = sig_bytes(in, at, TAG_V1);
    if (tag == NULL)
        return STEP_WAIT;
    for (uint32_t i = TAG_V1_TEXT; i < TAG_V1_YEAR; i++)
        if (tag[i] < ' ' && tag[i] != 0 && tag[i] != '\n' && tag[i] != '\r' && tag[i] != '\t')
            return STEP_DONE;
    *end = at + TAG_V1;
    return STEP_DONE;
}

static bool tag_ape_is(const uint8_t *bytes)
{
    const uint32_t version = bytes_u32le(bytes + 8);

    return memcmp(bytes, "APETAGEX", 8) == 0 && (version == 1000 || version == 2000) &&
           bytes_u32le(bytes + 12) >= TAG_APE && bytes_u32le(bytes + 12) <= TAG_APE_MAX &&
           bytes_u32le(bytes + 16) <= TAG_APE_ITEMS_MAX;
}

/* Items without a header before them: sizes and names, up to the footer that counts them. */
static enum step tag_ape_items(struct sig_input *in, uint64_t from, uint64_t *end)
{
    uint64_t at = from;

    for (uint32_t items = 0; items <= TAG_APE_ITEMS_MAX; items++) {
        const uint8_t *item = sig_bytes(in, at, 8);

        if (item == NULL)
            return STEP_WAIT;
        if (items > 0 && memcmp(item, "APETAGEX", 8) == 0) {
            item = sig_bytes(in, at, TAG_APE);
            if (item == NULL)
                return STEP_WAIT;
            if (tag_ape_is(item) && bytes_u32le(item + 16) == items &&
                bytes_u32le(item + 12) == at - from + TAG_APE)
                *end = at + TAG_APE;
            return STEP_DONE;
        }
        const uint32_t size = bytes_u32le(item), flags = bytes_u32le(item + 4);
        if (size > TAG_APE_MAX || flags > 7)
            return STEP_DONE;
        for (uint32_t name = 0;; name++) {
            const uint8_t *letter = sig_bytes(in, at + 8 + name, 1);

            if (letter == NULL)
                return STEP_WAIT;
            if (letter[0] == 0 && name >= 2) {
                at += 8 + (uint64_t)name + 1 + size;
                break;
            }
            if (letter[0] < ' ' || letter[0] > '~' || name == TAG_APE_KEY_MAX)
                return STEP_DONE;
        }
    }
    return STEP_DONE;
}

static enum step tag_ape(struct sig_input *in, uint64_t *end)
{
    const uint8_t *tag = sig_bytes(in, *end, 8);

    if (tag == NULL)
        return STEP_WAIT;
    if (memcmp(tag, "APETAGEX", 8) != 0)
        return tag_ape_items(in, *end, end);
    tag = sig_bytes(in, *end, TAG_APE);
    if (tag == NULL)
        return STEP_WAIT;
    if (!tag_ape_is(tag))
        return STEP_DONE;
    const uint64_t footer = *end + bytes_u32le(tag + 12);
    tag = sig_bytes(in, footer, TAG_APE);
    if (tag == NULL)
        return STEP_WAIT;
    if (tag_ape_is(tag))
        *end = footer + TAG_APE;
    return STEP_DONE;
}

/* A number of decimal digits; UINT32_MAX when they are none. */
static uint32_t tag_number(const uint8_t *digits, uint32_t count)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return UINT32_MAX;
        value = value * 10 + digits[i] - '0';
    }
    return value;
}

static enum step tag_lyrics_old(struct sig_input *in, uint64_t *end)
{
    uint64_t found;

    in->find_at = 0;
    switch (sig_find(in, *end, *end + TAG_LYRICS_OLD_MAX, "LYRICSEND", 9, &found)) {
    case SIG_FIND_WAIT:
        return STEP_WAIT;
    case SIG_FOUND:
        *end = found + 9;
        return STEP_DONE;
    default:
        return STEP_DONE;
    }
}

/* Version 2: fields of three letters and five digits, then six digits that count all, and the mark.
 * Version 1: text and a mark. */
static enum step tag_lyrics3(struct sig_input *in, uint64_t *end)
{
    uint64_t at = *end + sizeof tag_lyrics - 1;
    const uint8_t *bytes = sig_bytes(in, *end, sizeof tag_lyrics - 1);

    if (bytes == NULL)
        return STEP_WAIT;
    if (memcmp(bytes, tag_lyrics, sizeof tag_lyrics - 1) != 0)
        return STEP_DONE;
    for (uint32_t i = 0; i < TAG_LYRICS_FIELDS_MAX; i++) {
        bytes = sig_bytes(in, at, 6 + 9);
        if (bytes == NULL)
            return STEP_WAIT;
        if (memcmp(bytes + 6, "LYRICS200", 9) == 0) {
            if (tag_number(bytes, 6) == at - *end)
                *end = at + 6 + 9;
            return STEP_DONE;
        }
        const uint32_t size = tag_number(bytes + 3, 5);
        if (size == UINT32_MAX)
            break;
        at += 8 + (uint64_t)size;
    }
    return tag_lyrics_old(in, end);
}

/* ID3v2 at the end of a file has a footer; one without is the beginning of another file. */
static enum step tag_id3_behind(struct sig_input *in, uint64_t *end)
{
    const uint8_t *tag = sig_bytes(in, *end, AUDIO_TAG_ID3_HEAD);

    if (tag == NULL)
        return STEP_WAIT;
    const uint64_t len = audio_tag_id3_len(tag);
    if (len == 0 || tag[3] != 4 || (tag[5] & TAG_ID3_FOOTER) == 0)
        return STEP_DONE;
    tag = sig_bytes(in, *end + len - AUDIO_TAG_ID3_HEAD, 3);
    if (tag == NULL)
        return STEP_WAIT;
    if (memcmp(tag, "3DI", 3) == 0)
        *end += len;
    return STEP_DONE;
}

enum step audio_tag_behind(struct sig_input *in, uint64_t *end)
{
    static enum step (*const kinds[])(
        struct sig_input *, uint64_t *) = { tag_v1, tag_ape, tag_lyrics3, tag_id3_behind };
    for (uint32_t round = 0; round < TAG_ROUNDS; round++) {
        const uint64_t before = *end;

        for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            /* One that would reach past the end of the image is none. */
            if (kinds[i](in, end) == STEP_WAIT && in->wanted <= in->limit)
                return STEP_WAIT;
        }
        if (*end == before)
            break;
    }
    return STEP_DONE;
}
