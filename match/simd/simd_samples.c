/* SPDX-License-Identifier: Apache-2.0
 * match/simd/simd_samples.c - see simd_samples.h. */
#include <string.h>

#include "match/simd/simd_samples.h"

enum { SAMPLES_ZEROS = 128 /* bytes of the text, for what a disk is full of must stay rare */ };

static uint32_t samples_random(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 2685821657736338717u) >> 32) % below;
}

void simd_samples_text(const struct simd_pattern *patterns, uint32_t count, uint8_t *text)
{
    const uint32_t end = SAMPLES_TEXT - SAMPLES_ZEROS;
    uint64_t state = 5; /* as good as any other, as measured for several dictionaries */

    for (uint32_t at = 0; at < end;) {
        const struct simd_pattern *pattern = &patterns[samples_random(&state, count)];
        const uint32_t put = pattern->len < end - at ? pattern->len : end - at;

        for (uint32_t i = 0; i < put; i++) {
            const uint32_t open = samples_random(&state, 4) == 0
                                      ? 0
                                      : samples_random(&state, 256); /* zeros are frequent */

            text[at + i] = (uint8_t)(pattern->bytes[i] | (open & ~(uint32_t)pattern->masks[i]));
        }
        if (at < end / 2) {
            at += pattern->len > 1 ? 1 + samples_random(&state, pattern->len - 1) : 1;
            continue;
        }
        const uint32_t back =
            samples_random(&state, 4) != 0 ? 0 : samples_random(&state, pattern->len / 2 + 1);
        const uint32_t wrong = pattern->len - 1 - (back < pattern->len ? back : 0);
        if (wrong < put)
            text[at + wrong] ^= (uint8_t)(1 + samples_random(&state, 31));
        at += put;
    }
}

/* The look-ups of the form, as far as they tell bytes apart. */
static void samples_choose_looks(struct simd_samples *samples, const struct simd_form *form)
{
    const uint32_t halves = form->sharpness == SIMD_NIBBLES ? 2 : 1;
    const uint32_t open = form->sharpness == SIMD_PAIRS ? SIMD_HALF_MASK : 0xff;

    for (uint32_t j = 0; j < form->depth * halves; j++) {
        struct simd_look_up *look = &samples->look[samples->looks++];

        *look = (struct simd_look_up){ .at = j / halves, .count = 1 };
        for (uint32_t v = 0; v < 256; v++)
            look->number[v] = (uint8_t)(halves == 2 ? (j % 2 == 0 ? v & 15 : v >> 4) : v & open);
    }
    for (uint32_t n = 0; form->sharpness == SIMD_PAIRS && n < SIMD_PAIRS_MAX; n++)
        samples->look[samples->looks++] = (struct simd_look_up){ .at = 2 * n, .count = 2 };
}

/* What the look-up sees of one or two bytes. */
static uint32_t samples_number(const struct simd_look_up *look, uint32_t first, uint32_t second)
{
    return look->count == 2 ? simd_pair_number(first | second << 8) : look->number[first];
}

static void samples_read_text(struct simd_samples *samples)
{
    memset(&samples->any, 0xff, sizeof samples->any);
    for (uint32_t i = 0; i < samples->looks; i++)
        for (uint32_t s = 0; s < SAMPLES_COUNT; s++) {
            const uint8_t *at = samples->text + s + samples->look[i].at;

            samples->has[i][samples_number(&samples->look[i], at[0], at[1])].of[s / 64] |=
                UINT64_C(1) << s % 64;
        }
}

/* The samples that a look-up lets through for the pattern with this fingerprint; `room` is for them
 * where there is no set of them yet. */
static const struct simd_set *samples_of(const struct simd_samples *samples, uint32_t look,
                                         const struct simd_pattern *pattern, uint32_t fingerprint,
                                         struct simd_set *room)
{
    const struct simd_look_up *l = &samples->look[look];
    const uint32_t i = fingerprint + l->at;
    uint32_t want = 0, mask = 0, sub = 0;

    for (uint32_t k = 0; k < l->count && i + k < pattern->len; k++) {
        want |= (uint32_t)pattern->bytes[i + k] << 8 * k;
        mask |= (uint32_t)pattern->masks[i + k] << 8 * k;
    }
    const uint32_t free = ~mask & (l->count == 2 ? 0xffff : 0xff);
    if (l->count == 2 ? simd_pair_is_open(free) : free == 0xff)
        return &samples->any;
    if (free == 0)
        return &samples->has[look][samples_number(l, want & 0xff, want >> 8)];
    memset(room, 0, sizeof *room);
    do {
        const uint32_t word = want | sub;
        const struct simd_set *set = &samples->has[look][samples_number(l, word & 0xff, word >> 8)];

        for (uint32_t w = 0; w < SAMPLES_WORDS; w++)
            room->of[w] |= set->of[w];
        sub = (sub - free) & free; /* the next word that differs in free bits alone */
    } while (sub != 0);
    return room;
}

void simd_samples_make(const struct simd_form *form, const struct simd_pattern *patterns,
                       uint32_t count, struct simd_samples *samples)
{
    simd_samples_text(patterns, count, samples->text);
    samples_choose_looks(samples, form);
    samples_read_text(samples);
}

void simd_samples_see(const struct simd_samples *samples, const struct simd_pattern *pattern,
                      uint32_t fingerprint, struct simd_view *view)
{
    for (uint32_t i = 0; i < samples->looks; i++)
        view->sets[i] = samples_of(samples, i, pattern, fingerprint, &view->room[i]);
}
