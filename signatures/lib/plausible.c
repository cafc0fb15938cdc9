/* signatures/lib/plausible.c - see plausible.h. The limits were set on some 900 sounds, 60 bitmaps
 * and 60 WebP pictures. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "signatures/lib/plausible.h"

enum {
    TEXTURE_NOISY_SECTORS = 4, /* one or two in a row are met in cymbals */
    TEXTURE_LOUD = 13000,      /* mean of 16-bit samples; noise at full scale has 16384 */
    TEXTURE_ROUGH_TENTHS =
        11,                  /* mean step between samples, in tenths of their mean; noise has 13 */
    TEXTURE_CUT_OFF = 300,   /* the sample before; sound fades out to silence */
    TEXTURE_PIXEL_STEP = 75, /* mean step between pixels; noise has 85 */
    TEXTURE_SPACES = 20,     /* spaces and line ends in a sector of text, at least */
    TEXTURE_LETTERS = 10,    /* different small letters */
    TEXTURE_LEAP = 6, /* a step at the edge of a sector, in largest steps of the sector before; 819
                         sounds have none */
    TEXTURE_LEAP_MIN = 1000,  /* such a step at least */
    TEXTURE_SAMPLES_MIN = 64, /* samples that are told from noise */
    TEXTURE_TEXT_MIN = 128,   /* bytes of text at the end that are told from samples */
};

/* Nothing but printable ASCII and line ends, words apart, letters of many kinds. */
static bool texture_is_text(const uint8_t *sector, uint32_t len)
{
    uint32_t spaces = 0, others = 0, kinds = 0;

    for (uint32_t i = 0; i < len; i++) {
        const uint8_t c = sector[i];

        spaces += c == ' ' || (c >= '\t' && c <= '\r');
        others += (uint8_t)(c - '!') > '~' - '!';
    }
    if (others != spaces || spaces < len * TEXTURE_SPACES / LIMIT_SECTOR || spaces > len / 2)
        return false;
    for (uint8_t letter = 'a'; letter <= 'z'; letter++)
        kinds += memchr(sector, letter, len) != NULL;
    return kinds >= TEXTURE_LETTERS;
}

/* The samples of a sector, as if they were of 16 bits. */
struct texture_samples {
    int16_t at[LIMIT_SECTOR];
    uint32_t count;
    uint32_t channels; /* 0: not known, samples that were cut by the edge of a sector are missing */
};

/* Bytes of a sample; 0: no samples of sound that is heard here. */
static uint32_t texture_width(enum texture_kind kind)
{
    switch (kind) {
    case TEXTURE_SAMPLES_8_SIGNED:
        return 1;
    case TEXTURE_SAMPLES_16:
    case TEXTURE_SAMPLES_16_BIG:
        return 2;
    case TEXTURE_SAMPLES_24_BIG:
        return 3;
    case TEXTURE_SAMPLES_32_BIG:
        return 4;
    default:
        return 0;
    }
}

/* skip: bytes of a sample that began before. step: bytes of a sample of all channels. */
static void texture_read(enum texture_kind kind, const uint8_t *bytes, uint32_t len, uint32_t skip,
                         uint32_t step, struct texture_samples *out)
{
    const uint32_t width = texture_width(kind);
    const bool cut = skip != 0 || LIMIT_SECTOR % width != 0;

    out->count = len > skip ? (len - skip) / width : 0;
    out->channels = cut && step > width ? 0 : step / width;
    bytes += skip;
    for (uint32_t i = 0; i < out->count; i++, bytes += width) {
        const uint32_t value = width == 1 ? (uint32_t)bytes[0] << 8
                               : kind == TEXTURE_SAMPLES_16
                                   ? (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8
                                   : (uint32_t)bytes[1] | (uint32_t)bytes[0] << 8;

        out->at[i] = (int16_t)(uint16_t)value;
    }
}

static bool texture_is_loud_noise(const struct texture_samples *samples)
{
    const uint32_t apart = samples->channels == 0 ? 1 : samples->channels;
    int32_t size = 0, change = 0;

    if (samples->count < TEXTURE_SAMPLES_MIN)
        return false;
    for (uint32_t i = 0; i < samples->count; i++)
        size += abs(samples->at[i]);
    for (uint32_t i = apart; i < samples->count; i++)
        change += abs(samples->at[i] - samples->at[i - apart]);
    return size / (int32_t)samples->count > TEXTURE_LOUD &&
           (int64_t)change * 10 > (int64_t)size * TEXTURE_ROUGH_TENTHS;
}

static bool texture_is_silent(const uint8_t *bytes, uint32_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/*
 * From the last sample of the sector before to the first one of this is a step that is out of all
 * proportion: what a channel does at the edge of a sector has nothing to do with where sectors end,
 * unless other data begins there.
 */
static bool texture_leaps(struct texture *texture, const struct texture_samples *samples)
{
    const uint32_t count = samples->count, apart = samples->channels;
    int32_t leap = 0, reach = 0;

    if (apart == 0 || count < apart)
        return false;
    for (uint32_t i = 0; texture->has_tail && i < apart; i++) {
        const int32_t change = abs(samples->at[i] - texture->tail[i]);

        leap = change > leap ? change : leap;
    }
    if (leap > TEXTURE_LEAP_MIN && leap > TEXTURE_LEAP * (texture->reach + 8))
        return true;
    for (uint32_t i = apart; i < count; i++) {
        const int32_t change = abs(samples->at[i] - samples->at[i - apart]);

        reach = change > reach ? change : reach;
    }
    texture->reach = reach;
    texture->has_tail = true;
    memcpy(texture->tail, samples->at + count - apart, apart * sizeof samples->at[0]);
    return false;
}

/* Silence that begins and ends at the very edges of sectors, and not softly, was put there. */
static bool texture_is_cut_off(struct texture *texture, const uint8_t *sector,
                               const struct texture_samples *samples)
{
    const int16_t first = samples->at[0];
    bool cut = false;

    if (texture_is_silent(sector, LIMIT_SECTOR)) {
        if (texture->silent_at == 0)
            texture->silent_at = texture->at;
        return false;
    }
    if (texture->silent_at != 0)
        cut = first != 0 && texture->last != 0 &&
              (abs(first) > TEXTURE_CUT_OFF || abs(texture->last) > TEXTURE_CUT_OFF);
    if (!cut) {
        texture->silent_at = 0;
        texture->last = samples->at[samples->count - 1];
    }
    return cut;
}

/* Bytes of the sample that goes over the edge in front of the next sector. */
static uint32_t texture_skip(const struct texture *texture, enum texture_kind kind, uint64_t from)
{
    const uint32_t width = texture_width(kind);

    return (width - (uint32_t)((texture->at - from) % width)) % width;
}

/* Behind the last whole sector: text, a leap, or silence that began with a cut and lasts to the
 * end. */
static enum step texture_end(struct sig_input *in, struct texture *texture, enum texture_kind kind,
                             uint32_t step, uint64_t from, uint64_t to)
{
    const bool silent = texture->silent_at != 0 && abs(texture->last) > TEXTURE_CUT_OFF;

    if (texture->at < to) {
        const uint32_t len = (uint32_t)(to - texture->at);
        const uint8_t *rest = sig_bytes(in, texture->at, len);
        struct texture_samples samples;
        struct texture after = *texture; /* this may be called again */

        if (rest == NULL)
            return STEP_WAIT;
        if (kind != TEXTURE_COMPRESSED && len >= TEXTURE_TEXT_MIN && texture_is_text(rest, len))
            return STEP_BAD;
        if (texture_width(kind) > 0) {
            texture_read(kind, rest, len, texture_skip(texture, kind, from), step, &samples);
            if (texture_leaps(&after, &samples))
                return STEP_BAD;
        }
        if (!silent || !texture_is_silent(rest, len))
            return STEP_DONE;
    }
    if (!silent)
        return STEP_DONE;
    texture->at = texture->silent_at;
    return STEP_BAD;
}

static bool texture_is_pixel_noise(const uint8_t *sector, uint32_t step)
{
    int32_t change = 0;

    for (uint32_t i = step; i < LIMIT_SECTOR; i++)
        change += abs(sector[i] - sector[i - step]);
    return change > TEXTURE_PIXEL_STEP * (int32_t)(LIMIT_SECTOR - step);
}

/* Zeros, text: compressed bytes are as often above 127 as not. */
static bool texture_is_low(const uint8_t *sector)
{
    uint64_t all = 0, word;

    for (uint32_t i = 0; i < LIMIT_SECTOR; i += (uint32_t)sizeof word) {
        memcpy(&word, sector + i, sizeof word);
        all |= word;
    }
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

enum step texture_check(struct sig_input *in, struct texture *texture, enum texture_kind kind,
                        uint32_t step, uint64_t from, uint64_t to)
{
    if (kind == TEXTURE_ANY)
        return STEP_DONE;
    assert(step >= 1 && step <= TEXTURE_STEP_MAX);
    if (texture->at == 0)
        texture->at = (from + LIMIT_SECTOR - 1) & ~(uint64_t)(LIMIT_SECTOR - 1);
    for (; texture->at < to && to - texture->at >= LIMIT_SECTOR; texture->at += LIMIT_SECTOR) {
        const uint8_t *sector = sig_bytes(in, texture->at, LIMIT_SECTOR);

        if (sector == NULL)
            return STEP_WAIT;
        if (kind == TEXTURE_COMPRESSED ? texture_is_low(sector)
                                       : texture_is_text(sector, LIMIT_SECTOR))
            return STEP_BAD;
        bool noise = kind == TEXTURE_PIXELS && texture_is_pixel_noise(sector, step);
        if (texture_width(kind) > 0) {
            struct texture_samples samples;

            texture_read(kind, sector, LIMIT_SECTOR, texture_skip(texture, kind, from), step,
                         &samples);
            if (texture_is_cut_off(texture, sector, &samples)) {
                texture->at = texture->silent_at;
                return STEP_BAD;
            }
            if (texture_leaps(texture, &samples))
                return STEP_BAD;
            noise = texture_is_loud_noise(&samples);
        }
        texture->noisy = noise ? texture->noisy + 1 : 0;
        if (texture->noisy == TEXTURE_NOISY_SECTORS) {
            texture->at -= (TEXTURE_NOISY_SECTORS - 1) * LIMIT_SECTOR;
            return STEP_BAD;
        }
    }
    return texture_end(in, texture, kind, step, from, to);
}

struct sig_result texture_believe(struct sig_input *in, struct texture *texture,
                                  enum texture_kind kind, uint64_t from, uint64_t to, uint64_t len,
                                  const char *why)
{
    switch (texture_check(in, texture, kind, 1, from, to)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        sig_valid(in, texture->at);
        return sig_breaks(in, "the data here do not look compressed");
    default:
        return sig_believe(in, len, why);
    }
}
