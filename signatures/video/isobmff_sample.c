/* SPDX-License-Identifier: Apache-2.0
 * signatures/video/isobmff_sample.c - does a sample look like what its codec makes?
 *
 * Samples of video begin with a start code or are a chain of lengths, so that a file in two pieces
 * shows behind the first of them. Compressed data has no four sectors in a row without a byte above
 * 127 (text), and zeros at its end at most; in a thorough check one such sector is open.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "signatures/video/isobmff.h"

enum {
    SAMPLE_LOW_SECTORS = 4, /* in a row */
    SAMPLE_AAC_LEARN = 32,  /* samples whose first elements are noted */
    SAMPLE_AAC_ODD = 4,     /* weight of a sample that begins with none of those */
    SAMPLE_AAC_LIMIT = 24,
};

/* NAL units, each behind its length. */
static enum step sample_nal(struct sig_input *in, struct isobmff_sample *sample, bool hevc,
                            uint32_t nal_len, uint64_t at, uint64_t size)
{
    while (size - sample->done > nal_len) {
        const uint8_t *head = sig_bytes(in, at + sample->done, nal_len + 1);
        uint64_t len = 0;

        if (head == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < nal_len; i++)
            len = len << 8 | head[i];
        if (len > size - sample->done - nal_len || (len > 0 && (head[nal_len] & 0x80) != 0))
            return STEP_BAD;
        if (len == 0) /* zeros that fill up, or that stand where something was */
            sig_open(in, at + sample->done, at + size);
        if (len > 1 && hevc) {
            const uint8_t *nal = sig_bytes(in, at + sample->done + nal_len, 2);

            if (nal == NULL)
                return STEP_WAIT;
            if ((nal[1] & 7) == 0) /* temporal id plus one */
                return STEP_BAD;
        }
        sample->done += nal_len + len;
    }
    return STEP_DONE;
}

/* OBUs; the last one may do without a length. */
static enum step sample_obu(struct sig_input *in, struct isobmff_sample *sample, uint64_t at,
                            uint64_t size)
{
    while (sample->done < size) {
        const uint32_t want = size - sample->done < 10 ? (uint32_t)(size - sample->done) : 10;
        const uint8_t *head = sig_bytes(in, at + sample->done, want);

        if (head == NULL)
            return STEP_WAIT;
        const uint32_t type = head[0] >> 3 & 15;
        if ((head[0] & 0x81) != 0 || type == 0 || (type > 8 && type != 15))
            return STEP_BAD;
        if ((head[0] & 2) == 0)
            return STEP_DONE;
        uint32_t i = (head[0] & 4) != 0 ? 2 : 1, shift = 0;
        uint64_t len = 0;
        do {
            if (i >= want || shift > 28)
                return STEP_BAD;
            len |= (uint64_t)(head[i] & 0x7f) << shift;
            shift += 7;
        } while ((head[i++] & 0x80) != 0);
        if (len > size - sample->done - i)
            return STEP_BAD;
        sample->done += i + len;
    }
    return STEP_DONE;
}

/* Speech frames, each as long as its first byte says. */
static enum step sample_amr(struct sig_input *in, struct isobmff_sample *sample, bool wide,
                            uint64_t at, uint64_t size)
{
    static const uint8_t narrow_lens[16] = {
        13, 14, 16, 18, 20, 21, 27, 32, 6, 6, 6, 6, 1, 1, 1, 1
    };
    static const uint8_t wide_lens[16] = {
        18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1
    };

    while (sample->done < size) {
        const uint8_t *head = sig_bytes(in, at + sample->done, 1);

        if (head == NULL)
            return STEP_WAIT;
        const uint8_t len = (wide ? wide_lens : narrow_lens)[head[0] >> 3 & 15];
        if ((head[0] & 0x83) != 0 || len > size - sample->done)
            return STEP_BAD;
        sample->done += len;
    }
    return STEP_DONE;
}

/* A raw AAC frame begins with the kind of its first element, and that changes little in a track. */
static enum step sample_aac(struct isobmff_track *track, uint8_t first)
{
    const uint8_t kind = first >> 5;

    if (track == NULL)
        return STEP_DONE;
    if (track->aac_count < SAMPLE_AAC_LEARN) {
        track->aac_count++;
        track->aac_kinds |= (uint8_t)(1u << kind);
        return STEP_DONE;
    }
    if ((track->aac_kinds >> kind & 1) == 0)
        track->aac_odd += SAMPLE_AAC_ODD;
    else if (track->aac_odd > 0)
        track->aac_odd--;
    return track->aac_odd > SAMPLE_AAC_LIMIT ? STEP_BAD : STEP_DONE;
}

/* A picture: its application segments may hold text, and are left out of what is looked at. */
static enum step sample_jpeg(struct sig_input *in, struct isobmff_sample *sample, uint64_t at,
                             uint64_t size)
{
    if (sample->done == 0) {
        const uint8_t *head = size < 4 ? NULL : sig_bytes(in, at, 3);

        if (head == NULL)
            return size < 4 ? STEP_DONE : STEP_WAIT;
        if (memcmp(head, "\xff\xd8\xff", 3) != 0)
            return STEP_BAD;
        sample->done = 2;
    }
    while (sample->low_at == 0 && size - sample->done >= 4) {
        const uint8_t *segment = sig_bytes(in, at + sample->done, 4);

        if (segment == NULL)
            return STEP_WAIT;
        const uint64_t len = 2u + bytes_u16be(segment + 2);
        if (segment[0] != 0xff || (segment[1] != 0xfe && segment[1] >> 4 != 0xe) ||
            len > size - sample->done)
            break;
        sample->done += len;
    }
    if (sample->low_at == 0)
        sample->low_at = (at + sample->done + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;
    return STEP_DONE;
}

/* What the first bytes of a sample must be. */
static enum step sample_head(struct sig_input *in, struct isobmff_track *track,
                             enum isobmff_codec codec, uint64_t at, uint64_t size)
{
    const uint32_t want = size < 8 ? (uint32_t)size : 8;
    const uint8_t *head = sig_bytes(in, at, want);
    bool right = true;

    if (head == NULL)
        return STEP_WAIT;
    switch (codec) {
    case ISOBMFF_MPEG4: /* its description may say JPEG or PNG as well: chapters' pictures */
        right = want < 4 || memcmp(head, "\0\0\1", 3) == 0 ||
                memcmp(head, "\xff\xd8\xff", 3) == 0 || memcmp(head, "\x89PNG", 4) == 0 ||
                (head[0] == 0 && head[1] == 0 &&
                 (head[2] & 0xfc) == 0x80); /* the short header is that of H.263 */
        break;
    case ISOBMFF_H263:
        right = want < 4 || (head[0] == 0 && head[1] == 0 && (head[2] & 0xfc) == 0x80);
        break;
    case ISOBMFF_PRORES:
        right = want == 8 && bytes_u32be(head) <= size && memcmp(head + 4, "icpf", 4) == 0;
        break;
    case ISOBMFF_VP9:
        right = head[0] >> 6 == 2;
        break;
    case ISOBMFF_AC3:
        right = want < 2 || (head[0] == 0x0b && head[1] == 0x77);
        break;
    case ISOBMFF_FLAC:
        right = want < 2 || (head[0] == 0xff && (head[1] & 0xfe) == 0xf8);
        break;
    case ISOBMFF_AAC:
        return want < 2 ? STEP_DONE : sample_aac(track, head[0]);
    default:
        break;
    }
    return right ? STEP_DONE : STEP_BAD;
}

/* No byte above 127. *padding: and nothing but zeros, or the 00 00 03 that H.264 and H.265 are
 * filled up with. */
static bool sample_is_low(const uint8_t *sector, bool *padding)
{
    uint64_t all = 0, word;

    for (uint32_t i = 0; i < LIMIT_SECTOR; i += (uint32_t)sizeof word) {
        memcpy(&word, sector + i, sizeof word);
        all |= word;
    }
    *padding = (all & UINT64_C(0xfcfcfcfcfcfcfcfc)) == 0;
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

/* The whole sectors of a sample. Cameras fill samples up: padding is right at the end of one, and
 * nowhere else. */
static enum step sample_plausible(struct sig_input *in, struct isobmff_sample *sample, uint64_t at,
                                  uint64_t size)
{
    const uint64_t from = (at + LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR, to = at + size;

    if (sample->low_at < from)
        sample->low_at = from;
    for (; sample->low_at < to && to - sample->low_at >= LIMIT_SECTOR;
         sample->low_at += LIMIT_SECTOR) {
        const uint8_t *sector = sig_bytes(in, sample->low_at, LIMIT_SECTOR);
        bool padding = false;

        if (sector == NULL)
            return STEP_WAIT;
        const bool low = sample_is_low(sector, &padding);
        if (low || padding)
            sig_open(in, sample->low_at, sample->low_at + LIMIT_SECTOR);
        if (!padding && sample->padded >= SAMPLE_LOW_SECTORS)
            return STEP_BAD;
        sample->padded = padding ? sample->padded + 1 : 0;
        sample->low = low && !padding ? sample->low + 1 : 0;
        if (sample->low == SAMPLE_LOW_SECTORS)
            return STEP_BAD;
    }
    return STEP_DONE;
}

enum step isobmff_sample(struct sig_input *in, struct isobmff_sample *sample,
                         struct isobmff_track *track, enum isobmff_codec codec, uint32_t nal_len,
                         uint64_t at, uint64_t size)
{
    enum step step = STEP_DONE;

    if (codec != ISOBMFF_ANY && size > 0) {
        if (codec == ISOBMFF_AVC || codec == ISOBMFF_HEVC)
            step = sample_nal(in, sample, codec == ISOBMFF_HEVC, nal_len, at, size);
        else if (codec == ISOBMFF_AV1)
            step = sample_obu(in, sample, at, size);
        else if (codec == ISOBMFF_AMR || codec == ISOBMFF_AMR_WB)
            step = sample_amr(in, sample, codec == ISOBMFF_AMR_WB, at, size);
        else if (codec == ISOBMFF_JPEG)
            step = sample_jpeg(in, sample, at, size);
        else if (sample->done == 0) {
            step = sample_head(in, track, codec, at, size);
            sample->done = step == STEP_DONE;
        }
        if (step == STEP_DONE)
            step = sample_plausible(in, sample, at, size);
    }
    if (step == STEP_DONE)
        *sample = (struct isobmff_sample){ 0 };
    return step;
}
