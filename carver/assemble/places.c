/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/places.c - see places.h. */
#include "carver/assemble/places.h"

#include <string.h>

#include "base/bisect.h"
#include "base/limits.h"

enum {
    PLACES_VALUES =
        160,           /* byte values in a sector of packed data at the least; of random ones 221 */
    PLACES_SOON = 320, /* bytes behind which that is looked at first, */
    PLACES_STEP = 96,  /* and each time so many more, up to all of them */
    PLACES_BEFORE = 8, /* sectors that are looked at before a cut, */
    PLACES_BEFORE_DENSE = 4,
    PLACES_BEFORE_LEAST = 2 /* and that tell stuffed ones from others */
};

/* Whether each ff in 512 bytes is followed by 00 or a restart marker; what follows the last byte is
 * not known. */
static bool places_is_stuffed(const uint8_t *bytes)
{
    const uint8_t *end = bytes + LIMIT_SECTOR - 1, *at = bytes;

    while (at < end && (at = memchr(at, 0xff, (size_t)(end - at))) != NULL) {
        at++;
        if (*at != 0 && (*at & 0xf8) != 0xd0)
            return false;
    }
    return true;
}

/* Whether 512 bytes have as many values as packed data: of those most have them sooner. */
static bool places_is_dense(const uint8_t *bytes)
{
    uint8_t seen[256] = { 0 };
    uint32_t values = 0, i = 0;

    for (uint32_t to = PLACES_SOON; to <= LIMIT_SECTOR && values < PLACES_VALUES;
         to += PLACES_STEP) {
        for (; i < to; i++)
            seen[bytes[i]] = 1;
        values = 0;
        for (uint32_t k = 0; k < sizeof seen; k++) /* the compiler adds many at a time */
            values += seen[k];
        /* Each byte that is left can have one value more. */
        if (values + LIMIT_SECTOR - to < PLACES_VALUES)
            return false;
    }
    return values >= PLACES_VALUES;
}

/* What 512 bytes look like. */
static uint8_t places_look_at(const uint8_t *bytes)
{
    if (!places_is_dense(bytes))
        return 0;
    return (uint8_t)(LOOK_DENSE | (places_is_stuffed(bytes) ? LOOK_STUFFED : 0));
}

static uint8_t places_look(struct places *places, uint64_t at)
{
    const uint64_t sector = at / LIMIT_SECTOR;
    uint8_t unkept = 0, *kept = places->looks != NULL ? looks_of(places->looks, sector) : &unkept;
    uint32_t have = 0;

    if ((*kept & LOOK_TAKEN) != 0)
        return *kept;
    const uint8_t *bytes = splice_image(places->splice, sector * LIMIT_SECTOR, &have);
    if (bytes == NULL || have < LIMIT_SECTOR)
        return 0;
    *kept |= LOOK_TAKEN | places_look_at(bytes);
    return *kept;
}

static bool places_is_free(const struct places *places, uint64_t begin)
{
    const struct islands *islands = places->islands;
    const size_t at = islands_from(islands, begin);

    return begin < places->image_len && at < islands->count && islands->begins[at] <= begin;
}

bool places_begin(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin)
{
    const struct islands *islands = places->islands;
    const bool sectors = islands->unit == LIMIT_SECTOR;
    const uint32_t reach = sectors ? PLACES_ISLANDS_FEW : PLACES_ISLANDS;

    *begin = UINT64_MAX;
    if (number >= 2 * reach + PLACES_GAPS)
        return false;
    if (sectors && number < reach + PLACES_GAPS)
        number = number < PLACES_GAPS ? number + reach : number - PLACES_GAPS;
    const size_t here = islands_from(islands, cut_at);
    const size_t next = here < islands->count && islands->begins[here] <= cut_at ? here + 1 : here;

    if (number < reach) {
        if (number < islands->count - next)
            *begin = islands->begins[next + number];
    } else if (number < reach + PLACES_GAPS) {
        *begin = cut_at + (number - reach + 1ull) * islands->unit;
        const size_t island = islands_from(islands, *begin);
        if (island >= next && island < islands->count && islands->begins[island] == *begin &&
            island - next < reach)
            *begin = UINT64_MAX; /* it has a number already */
    } else {
        number -= reach + PLACES_GAPS;
        if (number < here)
            *begin = islands->begins[here - 1 - number];
    }
    if (*begin != UINT64_MAX && !places_is_free(places, *begin))
        *begin = UINT64_MAX;
    return true;
}

bool places_island(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin)
{
    const struct islands *islands = places->islands;
    const size_t here = islands_from(islands, cut_at), far = number / 2;

    if (number % 2 == 0)
        *begin = far < islands->count - here ? islands->begins[here + far] : UINT64_MAX;
    else
        *begin = far < here ? islands->begins[here - 1 - far] : UINT64_MAX;
    return number < 2 * PLACES_ISLANDS && (far < islands->count - here || far < here);
}

static bool places_ends_before(const void *at_break, uint64_t at)
{
    return *(const uint64_t *)at_break < at;
}

bool places_break(const struct places *places, uint64_t cut_at, uint32_t number, uint64_t *begin)
{
    const struct islands *islands = places->islands;
    const uint32_t around = PLACES_BACK + 1 + PLACES_ON, far = number / around / 2;
    const uint64_t unit = islands->unit, back = number % around * unit;
    const size_t here = bisect(islands->breaks, islands->break_count, sizeof *islands->breaks,
                               places_ends_before, cut_at);
    const bool behind = number / around % 2 == 0;
    const bool any = behind ? far < islands->break_count - here : far < here;

    *begin = UINT64_MAX;
    if (any) {
        const uint64_t at = islands->breaks[behind ? here + far : here - 1 - far];
        const uint64_t last = (at + unit - islands->phase + unit - 1) / unit * unit +
                              islands->phase - unit + PLACES_ON * unit;

        if (last >= back && places_is_free(places, last - back))
            *begin = last - back;
    }
    return number < 2 * PLACES_BREAKS * around;
}

uint8_t places_before(struct places *places, uint64_t from, uint64_t cut_at)
{
    uint32_t sectors = 0, dense = 0, stuffed = 0;

    while (sectors < PLACES_BEFORE && cut_at - from >= (sectors + 1ull) * LIMIT_SECTOR) {
        const uint8_t look = places_look(places, cut_at - (sectors + 1ull) * LIMIT_SECTOR);

        sectors++;
        dense += sectors <= PLACES_BEFORE_DENSE && (look & LOOK_DENSE) != 0;
        stuffed += (look & LOOK_STUFFED) != 0;
    }
    const uint32_t near = sectors < PLACES_BEFORE_DENSE ? sectors : PLACES_BEFORE_DENSE;
    const bool all = sectors >= PLACES_BEFORE_LEAST && stuffed == sectors;
    return (uint8_t)((near > 0 && dense == near ? LOOK_DENSE : 0) | (all ? LOOK_STUFFED : 0));
}

bool places_alike(struct places *places, uint64_t begin, uint8_t looks)
{
    return looks == 0 || (places_look(places, begin) & looks) == looks;
}
