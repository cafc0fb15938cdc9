/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble_sample.c - see resemble.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/resemble_impl.h"

enum {
    RESEMBLE_SEEN = 1 << 14,
    RESEMBLE_PLACE_BYTES = RESEMBLE_PLACE * LIMIT_SECTOR,
    RESEMBLE_SPOT_PLACES = RESEMBLE_PLACES / RESEMBLE_SPOTS,
    RESEMBLE_SPOT_BYTES = RESEMBLE_SPOT_PLACES * RESEMBLE_PLACE_BYTES,
};

/* A sector was asked for its strings, which are lower bits. */
static const uint64_t RESEMBLE_ASKED = UINT64_C(1) << 63;

struct resemble_place {
    uint64_t at; /* image offset */
    uint64_t alone[RESEMBLE_LEVELS];
    uint16_t counts[RESEMBLE_LEVELS][RESEMBLE_VALUES];
    uint8_t head[EDGES_BYTES];
    uint16_t grams_to[RESEMBLE_LEVELS]; /* strings of each level, of */
    uint32_t grams[RESEMBLE_PLACE * GRAMS_MAX];
};

struct resemble_sample {
    uint32_t count;
    uint32_t blank_count;        /* of them are zeros */
    bool taken[RESEMBLE_PLACES]; /* before it is settled: this place is there, */
    bool blank[RESEMBLE_PLACES]; /* and this one is zeros */
    struct grams_common common;
    uint32_t says[RESEMBLE_PLACES + 1]; /* what a string says that stands in so many places */
    /* 8 MB, which are first touched by the threads that take them */
    struct resemble_place places[RESEMBLE_PLACES];
};

/* Strings that were seen, each once, but for some that look the same. Zeroed is empty. */
struct resemble_seen {
    uint64_t bits[RESEMBLE_SEEN / 64];
};

/* Whether this string is new. */
static bool resemble_see(struct resemble_seen *seen, uint32_t hash)
{
    uint64_t *word = &seen->bits[hash / GRAMS_SHARE / 64 % (RESEMBLE_SEEN / 64)];
    const uint64_t bit = UINT64_C(1) << hash / GRAMS_SHARE % 64;
    const bool fresh = (*word & bit) == 0;

    *word |= bit;
    return fresh;
}

/* The largest level that has no more sectors than these, of which there is one at least. */
static uint32_t resemble_level(uint32_t sectors)
{
    uint32_t level = 0;

    while (level + 1 < RESEMBLE_LEVELS && 2u << level <= sectors)
        level++;
    return level;
}

static void resemble_count_place(const struct resemble_table *table, const uint8_t *bytes,
                                 struct resemble_place *place)
{
    uint16_t counts[RESEMBLE_VALUES] = { 0 };
    uint32_t level = 0, grams = 0;
    struct resemble_seen seen = { 0 };
    uint64_t alone = 0;

    memcpy(place->head, bytes, sizeof place->head);
    for (uint32_t i = 0; i < RESEMBLE_PLACE; i++) {
        uint16_t own[RESEMBLE_VALUES] = { 0 };

        resemble_add_sector(bytes + (size_t)i * LIMIT_SECTOR, own);
        alone += resemble_cost(table, own);
        for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
            counts[k] = (uint16_t)(counts[k] + own[k]);
        struct grams sector;
        grams_of_sector(bytes + (size_t)i * LIMIT_SECTOR, &sector);
        for (uint32_t k = 0; k < sector.count; k++)
            if (resemble_see(&seen, sector.hashes[k]))
                place->grams[grams++] = sector.hashes[k];
        if (i + 1 != 1u << level)
            continue;
        place->alone[level] = alone;
        memcpy(place->counts[level], counts, sizeof counts);
        place->grams_to[level] = (uint16_t)grams;
        level++;
    }
}

/* Counts in how many places each string stands, when all places are there. */
static void resemble_weigh(struct resemble_sample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        const struct resemble_place *place = &sample->places[i];

        for (uint32_t k = 0; k < place->grams_to[RESEMBLE_LEVELS - 1]; k++)
            grams_count(&sample->common, place->grams[k]);
    }
    for (uint32_t i = 0; i <= sample->count; i++)
        sample->says[i] = resemble_log2(sample->count + 1) - resemble_log2(i + 1);
}

enum err_code resemble_sample_open(struct resemble_sample **out, struct err *err)
{
    *out = malloc(sizeof **out);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, sizeof **out);
    memset(*out, 0, offsetof(struct resemble_sample, places));
    return ERR_OK;
}

/* Where a spot begins in an image of so many bytes. */
static uint64_t resemble_spot(uint64_t image_len, uint64_t spot)
{
    const uint64_t last =
        image_len > RESEMBLE_SPOT_BYTES ? (image_len - RESEMBLE_SPOT_BYTES) / SPLICE_BLOCK : 0;

    return last * spot / RESEMBLE_SPOTS * SPLICE_BLOCK;
}

void resemble_sample_soon(const struct io_image *image)
{
    for (uint64_t spot = 0; spot < RESEMBLE_SPOTS; spot++)
        splice_soon(image, resemble_spot(io_image_size(image), spot), RESEMBLE_SPOT_BYTES);
}

/* Whether the place is zeros. */
static bool resemble_is_blank(const uint8_t *bytes)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, RESEMBLE_PLACE_BYTES - 1) == 0;
}

enum err_code resemble_sample_take(struct resemble_sample *sample, uint32_t spot,
                                   const struct resemble_table *table, struct splice *splice,
                                   uint64_t image_len, struct err *err)
{
    const uint64_t from = resemble_spot(image_len, spot), end = from + RESEMBLE_SPOT_BYTES;
    uint32_t i = spot * RESEMBLE_SPOT_PLACES;

    for (uint64_t at = from; at < end && at + RESEMBLE_PLACE_BYTES <= image_len;
         at += RESEMBLE_PLACE_BYTES, i++) {
        uint32_t have = 0;
        const uint8_t *bytes = splice_image(splice, at, &have);

        if (bytes == NULL)
            return splice_error(splice, err);
        sample->taken[i] = have >= RESEMBLE_PLACE_BYTES;
        sample->blank[i] = sample->taken[i] && resemble_is_blank(bytes);
        sample->places[i].at = at;
        if (sample->taken[i])
            resemble_count_place(table, bytes, &sample->places[i]);
    }
    return ERR_OK;
}

void resemble_sample_settle(struct resemble_sample *sample)
{
    for (uint32_t i = 0; i < RESEMBLE_PLACES; i++) {
        if (!sample->taken[i])
            continue;
        sample->blank_count += sample->blank[i];
        if (i != sample->count)
            sample->places[sample->count] = sample->places[i];
        sample->count++;
    }
    resemble_weigh(sample);
}

void resemble_sample_free(struct resemble_sample *sample)
{
    free(sample);
}

uint32_t resemble_sample_count(const struct resemble_sample *sample)
{
    return sample->count - sample->blank_count;
}

/* What is saved when a place shares a code with what has these counts and costs so much alone. */
static int64_t resemble_saved_there(const struct resemble_table *table,
                                    const struct resemble_place *place, uint32_t level,
                                    const uint16_t base[RESEMBLE_VALUES], uint64_t alone)
{
    uint16_t counts[RESEMBLE_VALUES];

    for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
        counts[k] = (uint16_t)(base[k] + place->counts[level][k]);
    return (int64_t)(alone + place->alone[level] - resemble_cost(table, counts));
}

/* What this string says, which both sides have. */
static uint32_t resemble_says(const struct resemble_sample *sample, uint32_t hash)
{
    const uint32_t places = grams_places(&sample->common, hash);

    return sample->says[places < sample->count ? places : sample->count];
}

void resemble_add_grams(const struct resemble *window, struct resemble_range range,
                        struct grams_set *set)
{
    for (uint32_t i = range.from; i < range.to; i++)
        grams_add(set, resemble_grams(window, i));
}

/* Which of the strings of this sector of the window the set has, a bit each; and RESEMBLE_ASKED. */
static uint64_t resemble_common(const struct resemble *window, const struct grams_set *set,
                                uint64_t *kept, uint32_t sector)
{
    uint64_t common = kept != NULL ? kept[sector] : 0;

    if (common != 0)
        return common;
    const struct grams *grams = resemble_grams(window, sector);
    for (uint32_t k = 0; k < grams->count; k++)
        common |= (uint64_t)grams_has(set, grams->hashes[k]) << k;
    common |= RESEMBLE_ASKED;
    if (kept != NULL)
        kept[sector] = common;
    return common;
}

/* What these strings of the sector say, each of which counts once. */
static int64_t resemble_say(const struct resemble_sample *sample, const struct grams *grams,
                            uint64_t common, struct resemble_seen *seen)
{
    int64_t sum = 0;

    for (; common != 0; common &= common - 1) {
        const uint32_t hash = grams->hashes[__builtin_ctzll(common)];

        if (resemble_see(seen, hash))
            sum += resemble_says(sample, hash);
    }
    return sum;
}

int64_t resemble_shared(const struct resemble_sample *sample, const struct resemble *window,
                        const struct grams_set *set, uint64_t *kept, struct resemble_range range)
{
    struct resemble_seen seen;
    bool any = false;
    int64_t sum = 0;

    for (uint32_t i = range.from; i < range.to; i++) {
        const uint64_t common = resemble_common(window, set, kept, i) & ~RESEMBLE_ASKED;

        if (common == 0)
            continue;
        if (!any) /* most ranges have none, and it takes longer than the rest */
            memset(&seen, 0, sizeof seen);
        any = true;
        sum += resemble_say(sample, resemble_grams(window, i), common, &seen);
    }
    return sum * RESEMBLE_SHARED;
}

int64_t resemble_edges(const struct edges *edges, const uint8_t before[EDGES_BYTES],
                       const uint8_t behind[EDGES_BYTES], uint64_t at)
{
    return edges_go_on(edges, before, behind, at) * RESEMBLE_EDGES;
}

/* The same as resemble_shared of the first sectors of a place. */
static int64_t resemble_shared_there(const struct resemble_sample *sample,
                                     const struct resemble_place *place, uint32_t level,
                                     const struct grams_set *set)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < place->grams_to[level]; k++)
        if (grams_has(set, place->grams[k]))
            sum += resemble_says(sample, place->grams[k]);
    return sum * RESEMBLE_SHARED;
}

uint32_t resemble_sample_alike(const struct resemble_sample *sample, const struct resemble *window,
                               const struct resemble_with *with, struct resemble_range range,
                               uint32_t from, uint32_t behind, uint64_t out[RESEMBLE_PLACES])
{
    const uint32_t level = behind > 0 ? resemble_level(behind) : 0;
    const uint32_t to =
        from + (1u << level) < window->sectors ? from + (1u << level) : window->sectors;
    const struct resemble_range own[] = { range, { from < to ? from : to, to } };
    const int64_t saved =
        resemble_saved(window, own, 2) +
        resemble_shared(sample, window, with->strings, NULL, own[1]) +
        resemble_edges(with->edges, with->before,
                       window->bytes + (size_t)own[1].from * LIMIT_SECTOR, with->at);
    const uint64_t alone = window->alone[range.to] - window->alone[range.from];
    uint16_t base[RESEMBLE_VALUES] = { 0 };
    uint32_t n = 0;

    resemble_counts(window, range, base);
    for (uint32_t i = 0; i < sample->count; i++) {
        const struct resemble_place *place = &sample->places[i];

        if (behind == 0 ||
            resemble_saved_there(window->table, place, level, base, alone) +
                    resemble_shared_there(sample, place, level, with->strings) +
                    resemble_edges(with->edges, with->before, place->head, with->at) >=
                saved)
            out[n++] = place->at;
    }
    return n;
}
