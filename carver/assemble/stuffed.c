/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/stuffed.c - see stuffed.h. */
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/stuffed.h"

enum { STUFFED_BACK = 64 /* sectors before the first one of a run with an ff that may be its */ };

/* What the ffs of a sector say: LOOK_SOME_FF, LOOK_WRONG_FF, or neither. */
static uint8_t stuffed_kind(const uint8_t *bytes)
{
    const uint8_t *end = bytes + LIMIT_SECTOR - 1, *at = memchr(bytes, 0xff, LIMIT_SECTOR - 1);
    uint8_t kind = 0;

    while (at != NULL) {
        if (at[1] != 0 && (at[1] & 0xf8) != 0xd0)
            return LOOK_WRONG_FF;
        kind = LOOK_SOME_FF;
        at += 2;
        at = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
    }
    return kind;
}

/* The same of the sector at image offset at. False: it cannot be read. */
static bool stuffed_look(struct places *places, uint64_t at, uint8_t *kind)
{
    uint8_t unkept = 0;
    uint8_t *kept = places->looks != NULL ? looks_of(places->looks, at / LIMIT_SECTOR) : &unkept;
    uint32_t have = 0;

    if ((*kept & LOOK_FF_TAKEN) == 0) {
        const uint8_t *bytes = splice_image(places->splice, at, &have);

        if (bytes == NULL || have < LIMIT_SECTOR)
            return false;
        *kept |= LOOK_FF_TAKEN | stuffed_kind(bytes);
    }
    *kind = *kept & (LOOK_SOME_FF | LOOK_WRONG_FF);
    return true;
}

static bool stuffed_is_scan(struct places *places, uint64_t at)
{
    return places_alike(places, at, LOOK_DENSE | LOOK_STUFFED);
}

/* A run begins before the first sector that has an ff, if those before that have none. */
static uint64_t stuffed_back(struct places *places, uint64_t at, uint64_t low)
{
    for (uint32_t i = 0; i < STUFFED_BACK && at - low >= LIMIT_SECTOR; i++) {
        if (!stuffed_is_scan(places, at - LIMIT_SECTOR))
            break;
        at -= LIMIT_SECTOR;
    }
    return at;
}

/* The beginnings of runs in [from, to), ascending: the first ones, or the last ones; their number.
 */
static uint32_t stuffed_side(struct places *places, uint64_t from, uint64_t to, bool first,
                             uint64_t begins[STUFFED_SIDE], uint64_t *read)
{
    uint64_t begin = 0;
    uint32_t run = 0, count = 0;

    for (uint64_t at = from; at + LIMIT_SECTOR <= to; at += LIMIT_SECTOR) {
        uint8_t kind = 0;

        if ((first && count == STUFFED_SIDE) || !stuffed_look(places, at, &kind))
            break;
        *read += LIMIT_SECTOR;
        if ((kind & LOOK_WRONG_FF) != 0 || (kind == 0 && run == 0) ||
            !stuffed_is_scan(places, at)) {
            run = 0;
            continue;
        }
        if (run++ == 0) {
            begin = stuffed_back(places, at, from);
            run += (uint32_t)((at - begin) / LIMIT_SECTOR);
        } else if (run > STUFFED_RUN)
            continue;
        if (run < STUFFED_RUN)
            continue;
        run = STUFFED_RUN + 1;
        if (count == STUFFED_SIDE)
            memmove(begins, begins + 1, --count * sizeof *begins);
        begins[count++] = begin;
    }
    return count;
}

void stuffed_find(struct places *places, uint64_t at, struct stuffed *out)
{
    uint64_t behind[STUFFED_SIDE], before[STUFFED_SIDE];
    const uint64_t sector = at / LIMIT_SECTOR * LIMIT_SECTOR;
    const uint64_t rest = places->image_len - sector;
    const uint64_t low = sector > STUFFED_REACH ? sector - STUFFED_REACH : 0;
    const uint64_t high = sector + (rest < STUFFED_REACH ? rest : STUFFED_REACH);

    out->count = 0;
    const uint32_t on = stuffed_side(places, sector, high, true, behind, &out->read);
    const uint32_t back = stuffed_side(places, low, sector, false, before, &out->read);
    for (uint32_t i = 0; i < on || i < back; i++) {
        if (i < on)
            out->begins[out->count++] = behind[i];
        if (i < back)
            out->begins[out->count++] = before[back - 1 - i];
    }
}

bool stuffed_begin(const struct stuffed *stuffed, uint32_t number, uint64_t *begin)
{
    static const int around[] = { 0, -1, 1, -2 }; /* sectors */
    const uint32_t round = stuffed->count > 0 ? number / stuffed->count : 4;

    if (round >= sizeof around / sizeof around[0])
        return false;
    const uint64_t at = stuffed->begins[number % stuffed->count];
    const uint64_t back = around[round] < 0 ? (uint64_t)-around[round] * LIMIT_SECTOR : 0;
    const uint64_t on = around[round] > 0 ? (uint64_t)around[round] * LIMIT_SECTOR : 0;

    *begin = at >= back ? at - back + on : UINT64_MAX;
    return true;
}
