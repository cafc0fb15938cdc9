/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/plausible.c - see plausible.h. The limits were set on some 900 sounds, 60 bitmaps
 * and 60 WebP pictures. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/uninitialized.h"
#include "signatures/lib/plausible.h"

enum {
    PLAUSIBLE_NOISY_SECTORS = 4, /* one or two in a row are met in cymbals */
    PLAUSIBLE_LOUD = 13000,      /* mean of 16-bit samples; noise at full scale has 16384 */
    PLAUSIBLE_ROUGH_TENTHS =
        11,                  /* mean step between samples, in tenths of their mean; noise has 13 */
    PLAUSIBLE_CUT_OFF = 300, /* the sample before; sound fades out to silence */
    PLAUSIBLE_PIXEL_STEP = 75,   /* mean step between pixels; noise has 85 */
    PLAUSIBLE_PIXEL_BYTES = 190, /* different bytes in a sector: noise has 221, pictures of windows
                                    full of small letters up to 178 */
    PLAUSIBLE_SPACES = 20,       /* spaces and line ends in a sector of text, at least */
    PLAUSIBLE_LETTERS = 10,      /* different small letters */
    PLAUSIBLE_LEAP = 6, /* a step at the edge of a sector, in largest steps of the sector before;
                         819 sounds have none */
    PLAUSIBLE_LEAP_MIN = 1000,  /* such a step at least */
    PLAUSIBLE_SAMPLES_MIN = 64, /* samples that are told from noise */
    PLAUSIBLE_TEXT_MIN = 128,   /* bytes of text at the end that are told from samples */
};

/* No byte above 127, as in zeros and text: compressed bytes are as often above as not. */
static bool plausible_is_low(const uint8_t *bytes, uint32_t len)
{
    uint8_t all = 0;

    for (uint32_t i = 0; i < len; i++)
        all |= bytes[i];
    return all < 0x80;
}

static inline bool plausible_is_space(uint8_t c)
{
    return c == ' ' || (uint8_t)(c - '\t') <= '\r' - '\t';
}

/* Nothing but printable ASCII, spaces and line ends. */
static bool plausible_is_printable(const uint8_t *bytes, uint32_t len)
{
    uint8_t others = 0;

    for (uint32_t i = 0; i < len; i++)
        others |= (uint8_t)((uint8_t)(bytes[i] - '!') > '~' - '!') &
                  (uint8_t)!plausible_is_space(bytes[i]);
    return others == 0;
}

static uint32_t plausible_spaces(const uint8_t *bytes, uint32_t len)
{
    uint32_t spaces = 0;

    while (len > 0) {
        const uint32_t some = len < UINT8_MAX / 2 + 1 ? len : UINT8_MAX / 2 + 1;
        uint8_t few = 0; /* fits: so sixteen are counted at a time */

        for (uint32_t i = 0; i < some; i++)
            few = (uint8_t)(few + plausible_is_space(bytes[i]));
        spaces += few;
        bytes += some;
        len -= some;
    }
    return spaces;
}

/* Nothing but printable ASCII and line ends, words apart, letters of many kinds. */
static bool plausible_is_text(const uint8_t *sector, uint32_t len)
{
    if (!plausible_is_low(sector, len) || !plausible_is_printable(sector, len))
        return false;
    const uint32_t spaces = plausible_spaces(sector, len);
    uint32_t kinds = 0;

    if (spaces < len * PLAUSIBLE_SPACES / LIMIT_SECTOR || spaces > len / 2)
        return false;
    for (uint8_t letter = 'a'; letter <= 'z'; letter++)
        kinds += memchr(sector, letter, len) != NULL;
    return kinds >= PLAUSIBLE_LETTERS;
}

/* The samples of a sector, as if they were of 16 bits. */
struct plausible_samples {
    int16_t at[LIMIT_SECTOR];
    uint32_t count;
    uint32_t channels; /* 0: not known, samples that were cut by the edge of a sector are missing */
};

/* Bytes of a sample; 0: no samples of sound that is heard here. */
static uint32_t plausible_width(enum plausible_kind kind)
{
    switch (kind) {
    case PLAUSIBLE_SAMPLES_8_SIGNED:
        return 1;
    case PLAUSIBLE_SAMPLES_16:
    case PLAUSIBLE_SAMPLES_16_BIG:
        return 2;
    case PLAUSIBLE_SAMPLES_24_BIG:
        return 3;
    case PLAUSIBLE_SAMPLES_32_BIG:
        return 4;
    default:
        return 0;
    }
}

/* The upper 16 bits of big-endian samples. */
static void plausible_read_big(const uint8_t *bytes, uint32_t width, struct plausible_samples *out)
{
    for (uint32_t i = 0; i < out->count; i++)
        out->at[i] = (int16_t)bytes_u16be(bytes + (size_t)i * width);
}

/* skip: bytes of a sample that began before. step: bytes of a sample of all channels. */
static void plausible_read(enum plausible_kind kind, const uint8_t *bytes, uint32_t len,
                           uint32_t skip, uint32_t step, struct plausible_samples *out)
{
    const uint32_t width = plausible_width(kind);
    const bool cut = skip != 0 || LIMIT_SECTOR % width != 0;

    out->count = len > skip ? (len - skip) / width : 0;
    out->channels = cut && step > width ? 0 : step / width;
    bytes += skip;
    if (width == 1)
        for (uint32_t i = 0; i < out->count; i++)
            out->at[i] = (int16_t)(uint16_t)(bytes[i] << 8);
    else if (kind == PLAUSIBLE_SAMPLES_16)
        for (uint32_t i = 0; i < out->count; i++)
            out->at[i] = (int16_t)bytes_u16le(bytes + (size_t)i * 2);
    else if (width == 2)
        plausible_read_big(bytes, 2, out);
    else
        plausible_read_big(bytes, width, out);
}

/* How far two samples are apart. In 16 bits, of which processors compare many at a time. */
static inline uint16_t plausible_apart(int16_t a, int16_t b)
{
    const int16_t most = a > b ? a : b, least = a > b ? b : a;

    return (uint16_t)((uint16_t)most - (uint16_t)least);
}

static bool plausible_is_loud_noise(const struct plausible_samples *samples)
{
    const uint32_t apart = samples->channels == 0 ? 1 : samples->channels;
    int32_t size = 0, change = 0;

    if (samples->count < PLAUSIBLE_SAMPLES_MIN)
        return false;
    for (uint32_t i = 0; i < samples->count; i++)
        size += abs(samples->at[i]);
    if (size / (int32_t)samples->count <= PLAUSIBLE_LOUD)
        return false;
    for (uint32_t i = apart; i < samples->count; i++)
        change += plausible_apart(samples->at[i], samples->at[i - apart]);
    return (int64_t)change * 10 > (int64_t)size * PLAUSIBLE_ROUGH_TENTHS;
}

static bool plausible_is_silent(const uint8_t *bytes, uint32_t len)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/*
 * From the last sample of the sector before to the first one of this is a step that is out of all
 * proportion: what a channel does at the edge of a sector has nothing to do with where sectors end,
 * unless other data begins there.
 */
static bool plausible_leaps(struct plausible *plausible, const struct plausible_samples *samples)
{
    const uint32_t count = samples->count, apart = samples->channels;
    int32_t leap = 0;
    uint16_t reach = 0;

    if (apart == 0 || count < apart)
        return false;
    for (uint32_t i = 0; plausible->has_tail && i < apart; i++) {
        const int32_t change = abs(samples->at[i] - plausible->tail[i]);

        leap = change > leap ? change : leap;
    }
    if (leap > PLAUSIBLE_LEAP_MIN && leap > PLAUSIBLE_LEAP * (plausible->reach + 8))
        return true;
    for (uint32_t i = apart; i < count; i++) {
        const uint16_t change = plausible_apart(samples->at[i], samples->at[i - apart]);

        reach = change > reach ? change : reach;
    }
    plausible->reach = reach;
    plausible->has_tail = true;
    memcpy(plausible->tail, samples->at + count - apart, apart * sizeof samples->at[0]);
    return false;
}

/* Silence that begins and ends at the very edges of sectors, and not softly, was put there. */
static bool plausible_is_cut_off(struct plausible *plausible, const uint8_t *sector,
                                 const struct plausible_samples *samples)
{
    bool cut = false;

    assert(samples->count > 0); /* a sector has some */
    const int16_t first = samples->at[0];
    if (plausible_is_silent(sector, LIMIT_SECTOR)) {
        if (plausible->silent_at == 0)
            plausible->silent_at = plausible->at;
        return false;
    }
    if (plausible->silent_at != 0)
        cut = first != 0 && plausible->last != 0 &&
              (abs(first) > PLAUSIBLE_CUT_OFF || abs(plausible->last) > PLAUSIBLE_CUT_OFF);
    if (!cut) {
        plausible->silent_at = 0;
        plausible->last = samples->at[samples->count - 1];
    }
    return cut;
}

/* Bytes of the sample that goes over the edge in front of the next sector. */
static uint32_t plausible_skip(const struct plausible *plausible, enum plausible_kind kind,
                               uint64_t from)
{
    const uint32_t width = plausible_width(kind);

    return (width - (uint32_t)((plausible->at - from) % width)) % width;
}

/* Behind the last whole sector: text, a leap, or silence that began with a cut and lasts to the
 * end. */
static enum step plausible_end(struct sig_input *in, struct plausible *plausible,
                               enum plausible_kind kind, uint32_t step, uint64_t from, uint64_t to)
{
    const bool silent = plausible->silent_at != 0 && abs(plausible->last) > PLAUSIBLE_CUT_OFF;

    if (plausible->at < to) {
        const uint32_t len = (uint32_t)(to - plausible->at);
        const uint8_t *rest = sig_bytes(in, plausible->at, len);
        struct plausible_samples samples UNINITIALIZED;
        struct plausible after = *plausible; /* this may be called again */

        if (rest == NULL)
            return STEP_WAIT;
        if (kind != PLAUSIBLE_COMPRESSED && len >= PLAUSIBLE_TEXT_MIN &&
            plausible_is_text(rest, len))
            return STEP_BAD;
        if (plausible_width(kind) > 0) {
            plausible_read(kind, rest, len, plausible_skip(plausible, kind, from), step, &samples);
            if (plausible_leaps(&after, &samples))
                return STEP_BAD;
        }
        if (!silent || !plausible_is_silent(rest, len))
            return STEP_DONE;
    }
    if (!silent)
        return STEP_DONE;
    plausible->at = plausible->silent_at;
    return STEP_BAD;
}

uint32_t plausible_kinds(const uint8_t *sector)
{
    bool seen[256] = { 0 };
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < LIMIT_SECTOR; i++)
        seen[sector[i]] = true;
    for (uint32_t i = 0; i < 256; i++)
        kinds += seen[i];
    return kinds;
}

static bool plausible_is_pixel_noise(const uint8_t *sector, uint32_t step)
{
    int32_t change = 0;

    for (uint32_t i = step; i < LIMIT_SECTOR; i++)
        change += abs(sector[i] - sector[i - step]);
    return change > PLAUSIBLE_PIXEL_STEP * (int32_t)(LIMIT_SECTOR - step) &&
           plausible_kinds(sector) >= PLAUSIBLE_PIXEL_BYTES;
}

enum step plausible_check(struct sig_input *in, struct plausible *plausible,
                          enum plausible_kind kind, uint32_t step, uint64_t from, uint64_t to)
{
    if (kind == PLAUSIBLE_ANY)
        return STEP_DONE;
    assert(step >= 1 && step <= PLAUSIBLE_STEP_MAX);
    if (plausible->at == 0)
        plausible->at = (from + LIMIT_SECTOR - 1) & ~(uint64_t)(LIMIT_SECTOR - 1);
    for (; plausible->at < to && to - plausible->at >= LIMIT_SECTOR;
         plausible->at += LIMIT_SECTOR) {
        const uint8_t *sector = sig_bytes(in, plausible->at, LIMIT_SECTOR);

        if (sector == NULL)
            return STEP_WAIT;
        if (kind == PLAUSIBLE_COMPRESSED ? plausible_is_low(sector, LIMIT_SECTOR)
                                         : plausible_is_text(sector, LIMIT_SECTOR))
            return STEP_BAD;
        bool noise = kind == PLAUSIBLE_PIXELS && plausible_is_pixel_noise(sector, step);
        if (plausible_width(kind) > 0) {
            struct plausible_samples samples UNINITIALIZED;

            plausible_read(kind, sector, LIMIT_SECTOR, plausible_skip(plausible, kind, from), step,
                           &samples);
            if (plausible_is_cut_off(plausible, sector, &samples)) {
                plausible->at = plausible->silent_at;
                return STEP_BAD;
            }
            if (plausible_leaps(plausible, &samples))
                return STEP_BAD;
            noise = plausible_is_loud_noise(&samples);
        }
        plausible->noisy = noise ? plausible->noisy + 1 : 0;
        if (plausible->noisy == PLAUSIBLE_NOISY_SECTORS) {
            plausible->at -= (PLAUSIBLE_NOISY_SECTORS - 1) * LIMIT_SECTOR;
            return STEP_BAD;
        }
    }
    return plausible_end(in, plausible, kind, step, from, to);
}

struct sig_result plausible_believe(struct sig_input *in, struct plausible *plausible,
                                    enum plausible_kind kind, uint64_t from, uint64_t to,
                                    uint64_t len, const char *why)
{
    switch (plausible_check(in, plausible, kind, 1, from, to)) {
    case STEP_WAIT:
        return sig_short(in);
    case STEP_BAD:
        sig_valid(in, plausible->at);
        return sig_breaks(in, "the data here do not look compressed");
    default:
        return sig_believe(in, len, why);
    }
}
