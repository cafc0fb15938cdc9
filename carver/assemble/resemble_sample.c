/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble_sample.c - see resemble.h. */
#include <stdlib.h>

#include "base/limits.h"
#include "carver/assemble/resemble_impl.h"

struct resemble_place {
    uint64_t at; /* image offset */
    uint64_t alone[RESEMBLE_LEVELS];
    uint16_t counts[RESEMBLE_LEVELS][RESEMBLE_VALUES];
};

struct resemble_sample {
    struct resemble_place places[RESEMBLE_PLACES];
    uint32_t count;
};

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
    uint32_t counts[RESEMBLE_VALUES] = { 0 }, level = 0;
    uint64_t alone = 0;

    for (uint32_t i = 0; i < RESEMBLE_PLACE; i++) {
        uint32_t own[RESEMBLE_VALUES] = { 0 };

        resemble_add_sector(bytes + (size_t)i * LIMIT_SECTOR, own);
        alone += resemble_cost(table, own);
        for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
            counts[k] += own[k];
        if (i + 1 != 1u << level)
            continue;
        place->alone[level] = alone;
        for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
            place->counts[level][k] = (uint16_t)counts[k];
        level++;
    }
}

enum err_code resemble_sample_make(const struct resemble_table *table, struct splice *splice,
                                   uint64_t image_len, struct resemble_sample **out,
                                   struct err *err)
{
    enum { EACH = RESEMBLE_PLACE * LIMIT_SECTOR, SPOT = RESEMBLE_PLACES / RESEMBLE_SPOTS * EACH };
    struct resemble_sample *sample = malloc(sizeof *sample);
    const uint64_t last = image_len > SPOT ? (image_len - SPOT) / SPLICE_BLOCK : 0;

    *out = sample;
    if (sample == NULL)
        return ERR_NO_MEMORY(err, sizeof *sample);
    sample->count = 0;
    for (uint64_t spot = 0; spot < RESEMBLE_SPOTS; spot++)
        splice_soon(splice->image, last * spot / RESEMBLE_SPOTS * SPLICE_BLOCK, SPOT);
    for (uint64_t spot = 0; spot < RESEMBLE_SPOTS; spot++) {
        const uint64_t from = last * spot / RESEMBLE_SPOTS * SPLICE_BLOCK;

        for (uint64_t at = from; at < from + SPOT && at + EACH <= image_len; at += EACH) {
            uint32_t have = 0;
            const uint8_t *bytes = splice_image(splice, at, &have);

            if (bytes == NULL)
                return splice_error(splice, err);
            sample->places[sample->count].at = at;
            if (have >= EACH)
                resemble_count_place(table, bytes, &sample->places[sample->count++]);
        }
    }
    return ERR_OK;
}

void resemble_sample_free(struct resemble_sample *sample)
{
    free(sample);
}

uint32_t resemble_sample_count(const struct resemble_sample *sample)
{
    return sample->count;
}

/* What is saved when a place shares a code with what has these counts and costs so much alone. */
static int64_t resemble_saved_there(const struct resemble_table *table,
                                    const struct resemble_place *place, uint32_t level,
                                    const uint32_t base[RESEMBLE_VALUES], uint64_t alone)
{
    uint32_t counts[RESEMBLE_VALUES];

    for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
        counts[k] = base[k] + place->counts[level][k];
    return (int64_t)(alone + place->alone[level] - resemble_cost(table, counts));
}

uint32_t resemble_sample_alike(const struct resemble_sample *sample, const struct resemble *window,
                               struct resemble_range range, uint32_t from, uint32_t behind,
                               uint64_t out[RESEMBLE_PLACES])
{
    const uint32_t level = behind > 0 ? resemble_level(behind) : 0;
    const uint32_t to =
        from + (1u << level) < window->sectors ? from + (1u << level) : window->sectors;
    const struct resemble_range own[] = { range, { from < to ? from : to, to } };
    const int64_t saved = resemble_saved(window, own, 2);
    const uint64_t alone = window->alone[range.to] - window->alone[range.from];
    uint32_t base[RESEMBLE_VALUES], n = 0;

    for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
        base[k] = window->sums[range.to][k] - window->sums[range.from][k];
    for (uint32_t i = 0; i < sample->count; i++) {
        const struct resemble_place *place = &sample->places[i];

        if (behind == 0 || resemble_saved_there(window->table, place, level, base, alone) >= saved)
            out[n++] = place->at;
    }
    return n;
}
