/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble.c - see resemble.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "carver/assemble/resemble_impl.h"

enum {
    RESEMBLE_BYTES = RESEMBLE_JOINT * LIMIT_SECTOR, /* in one code */
    RESEMBLE_DENSE = 4100, /* bits: 512 random bytes cost 4190 to 4300 each by itself */
    RESEMBLE_LOG_BITS = 8, /* of a logarithm behind the point */
};

/* Logarithms to the base 2, in 256ths, summed: of k + 1/2 and of k + 128 for all k below. The sums
 * of 49152 of them, below 17 each, have 28 bits. */
struct resemble_table {
    uint32_t half[RESEMBLE_BYTES + 1], whole[RESEMBLE_BYTES + 1];
};

uint32_t resemble_log2(uint32_t value)
{
    const uint32_t whole = 31 - (uint32_t)__builtin_clz(value);
    uint64_t rest = ((uint64_t)value << 32) >> whole; /* 1 to 2, with 32 bits behind the point */
    uint32_t log = whole;

    for (int i = 0; i < RESEMBLE_LOG_BITS; i++) {
        rest = (rest >> 1) * (rest >> 1) >> 30;
        log = 2 * log + (uint32_t)(rest >> 33);
        rest >>= rest >> 33;
    }
    return log;
}

enum err_code resemble_table_make(struct resemble_table **out, struct err *err)
{
    struct resemble_table *table = malloc(sizeof *table);

    *out = table;
    if (table == NULL)
        return ERR_NO_MEMORY(err, sizeof *table);
    table->half[0] = table->whole[0] = 0;
    for (uint32_t k = 0; k < RESEMBLE_BYTES; k++) {
        /* log2(k + 1/2) is log2(2k + 1) less 1. The first one is negative: all are kept 1 larger,
         * which resemble_cost takes back. */
        table->half[k + 1] = table->half[k] + resemble_log2(2 * k + 1);
        table->whole[k + 1] = table->whole[k] + resemble_log2(k + RESEMBLE_VALUES / 2);
    }
    return ERR_OK;
}

void resemble_table_free(struct resemble_table *table)
{
    free(table);
}

void resemble_add_sector(const uint8_t *bytes, uint16_t counts[RESEMBLE_VALUES])
{
    if (memcmp(bytes, bytes + 1, LIMIT_SECTOR - 1) == 0)
        return;
    for (uint32_t i = 0; i < LIMIT_SECTOR; i++)
        counts[bytes[i]]++;
}

uint64_t resemble_cost(const struct resemble_table *table, const uint16_t counts[RESEMBLE_VALUES])
{
    uint64_t saved = 0, more = 0;
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < RESEMBLE_VALUES; i++)
        bytes += counts[i];
    /* Four at a time: a compiler that looks them up by vectors takes twice as long. */
    for (uint32_t i = 0; i < RESEMBLE_VALUES; i += 4) {
        uint64_t four;

        memcpy(&four, &counts[i], sizeof four);
        saved += table->half[four & 0xffff];
        more += table->half[four >> 16 & 0xffff];
        saved += table->half[four >> 32 & 0xffff];
        more += table->half[four >> 48];
    }
    return (uint64_t)table->whole[bytes] + (uint64_t)bytes * RESEMBLE_BIT - saved - more;
}

/* Counts the sector of this number, which lies at image offset at. */
static enum err_code resemble_count(struct resemble *window, struct splice *splice, uint32_t i,
                                    uint64_t at, struct err *err)
{
    uint16_t counts[RESEMBLE_VALUES] = { 0 };
    uint32_t have = 0;
    const uint8_t *bytes = splice_image(splice, at, &have);

    if (bytes == NULL)
        return splice_error(splice, err);
    window->grams[i].count = RESEMBLE_NO_GRAMS;
    if (have >= LIMIT_SECTOR) {
        resemble_add_sector(bytes, counts);
        memcpy(window->bytes + (size_t)i * LIMIT_SECTOR, bytes, LIMIT_SECTOR);
    }
    for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
        window->sums[i + 1][k] = (uint16_t)(window->sums[i][k] + counts[k]);
    window->alone[i + 1] = window->alone[i] + resemble_cost(window->table, counts);
    return ERR_OK;
}

const struct grams *resemble_grams(const struct resemble *window, uint32_t sector)
{
    struct grams *grams = &window->grams[sector];

    if (grams->count == RESEMBLE_NO_GRAMS)
        grams_of_sector(window->bytes + (size_t)sector * LIMIT_SECTOR, grams);
    return grams;
}

void resemble_keep_grams(const struct resemble *window)
{
    for (uint32_t i = 0; i < window->sectors; i++)
        (void)resemble_grams(window, i);
}

/* A window of so many sectors, none of which has been counted. */
static enum err_code resemble_room(struct resemble *out, const struct resemble_table *table,
                                   uint32_t sectors, struct err *err)
{
    *out = (struct resemble){ .table = table, .sectors = sectors };
    out->sums = malloc((sectors + 1) * sizeof *out->sums);
    out->alone = malloc((sectors + 1) * sizeof *out->alone);
    out->grams = malloc((sectors + 1) * sizeof *out->grams);
    out->bytes = calloc(sectors + 1, LIMIT_SECTOR);
    if (out->sums == NULL || out->alone == NULL || out->grams == NULL || out->bytes == NULL) {
        resemble_close(out);
        return ERR_NO_MEMORY(err, (sectors + 1) * sizeof *out->sums);
    }
    memset(out->sums[0], 0, sizeof out->sums[0]);
    out->alone[0] = 0;
    return ERR_OK;
}

enum err_code resemble_open(struct resemble *out, const struct resemble_table *table,
                            struct splice *splice, uint64_t image_len, uint64_t from,
                            uint32_t sectors, struct err *err)
{
    const uint64_t left = from < image_len ? (image_len - from) / LIMIT_SECTOR : 0;
    const uint64_t room = RESEMBLE_SECTORS < left ? RESEMBLE_SECTORS : left;
    enum err_code rc = resemble_room(out, table, sectors < room ? sectors : (uint32_t)room, err);

    if (rc == ERR_OK)
        splice_soon(splice->image, from, (uint64_t)out->sectors * LIMIT_SECTOR);
    for (uint32_t i = 0; rc == ERR_OK && i < out->sectors; i++)
        rc = resemble_count(out, splice, i, from + (uint64_t)i * LIMIT_SECTOR, err);
    if (rc != ERR_OK)
        resemble_close(out);
    return rc;
}

enum err_code resemble_open_at(struct resemble *out, const struct resemble_table *table,
                               struct splice *splice, const uint64_t *sectors, uint32_t count,
                               struct err *err)
{
    enum err_code rc = resemble_room(out, table, count, err);

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        rc = resemble_count(out, splice, i, sectors[i], err);
    if (rc != ERR_OK)
        resemble_close(out);
    return rc;
}

void resemble_close(struct resemble *window)
{
    free(window->sums);
    free(window->alone);
    free(window->grams);
    free(window->bytes);
    *window = (struct resemble){ 0 };
}

void resemble_counts(const struct resemble *window, struct resemble_range range,
                     uint16_t counts[RESEMBLE_VALUES])
{
    const uint16_t *low = window->sums[range.from], *high = window->sums[range.to];

    for (uint32_t k = 0; k < RESEMBLE_VALUES; k++)
        counts[k] = (uint16_t)(counts[k] + high[k] - low[k]);
}

int64_t resemble_saved(const struct resemble *window, const struct resemble_range *ranges,
                       uint32_t count)
{
    uint16_t counts[RESEMBLE_VALUES] = { 0 };
    uint64_t alone = 0;

    for (uint32_t i = 0; i < count; i++) {
        alone += window->alone[ranges[i].to] - window->alone[ranges[i].from];
        resemble_counts(window, ranges[i], counts);
    }
    return (int64_t)(alone - resemble_cost(window->table, counts));
}

int64_t resemble_apart(const struct resemble *window, struct resemble_range a,
                       struct resemble_range b)
{
    const struct resemble_range both[] = { a, b };

    return resemble_saved(window, &a, 1) + resemble_saved(window, &b, 1) -
           resemble_saved(window, both, 2);
}

int64_t resemble_saved_with(const struct resemble *a, struct resemble_range in_a,
                            const struct resemble *b, struct resemble_range in_b)
{
    const uint64_t alone =
        a->alone[in_a.to] - a->alone[in_a.from] + b->alone[in_b.to] - b->alone[in_b.from];
    uint16_t counts[RESEMBLE_VALUES] = { 0 };

    resemble_counts(a, in_a, counts);
    resemble_counts(b, in_b, counts);
    return (int64_t)(alone - resemble_cost(a->table, counts));
}

bool resemble_is_text(const struct resemble *window, const struct resemble_range *range)
{
    bool text = true;

    for (uint32_t k = 0; k < ' '; k++)
        text = text && (k == '\t' || k == '\n' || k == '\f' || k == '\r' ||
                        window->sums[range->to][k] == window->sums[range->from][k]);
    return text;
}

bool resemble_is_dense(const struct resemble *window, uint32_t sector)
{
    return window->alone[sector + 1] - window->alone[sector] >=
           (uint64_t)RESEMBLE_DENSE * RESEMBLE_BIT;
}

bool resemble_is_flat(const struct resemble *window, uint32_t sector)
{
    return memcmp(window->sums[sector], window->sums[sector + 1], sizeof window->sums[0]) == 0;
}
