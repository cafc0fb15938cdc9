/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned_scan.c - finds patterns that are aligned to sectors: sectors are sifted
 * many at a time, and what is left is compared.
 */
#include <string.h>

#include "base/limits.h"
#include "base/uninitialized.h"
#include "match/aligned/aligned_rows.h"

enum {
    ALIGNED_AHEAD = 16,           /* sectors fetched before they are looked at */
    ALIGNED_BATCH = ALIGNED_WIDE, /* sectors sifted at a time */
    ALIGNED_LINE = 64,
};

static bool aligned_matches(const struct match_pattern *pattern, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (!aligned_sieve_byte(pattern, i, bytes[i]))
            return false;
    return true;
}

/* What one call of match_aligned_scan works on. */
struct aligned_scan {
    const struct match_aligned *aligned;
    const struct match_text *text;
    uint32_t fresh, from, to;
    struct match_sink *sink;
};

/* A place where patterns may begin: an index of the text, the bytes left from there on, and the
 * first of them. */
struct aligned_place {
    uint32_t at, left;
    uint64_t word;
};

/* The place `distance` bytes behind the start of the sector, which itself may begin before the
 * text; false when it is not to be looked at. */
static bool aligned_place_at(const struct aligned_scan *scan, int64_t sector, uint32_t distance,
                             struct aligned_place *place)
{
    const struct match_text *text = scan->text;
    const int64_t at = sector + distance;

    if (at < scan->from || at >= scan->to)
        return false;
    *place = (struct aligned_place){ .at = (uint32_t)at, .left = text->len - (uint32_t)at };
    if (place->left >= sizeof place->word)
        memcpy(&place->word, text->bytes + at, sizeof place->word);
    else
        memcpy(&place->word, text->bytes + at, place->left);
    return true;
}

/* Whether the pattern stands at the place is told with a hit; false when the sink is full. */
static bool aligned_try(const struct aligned_scan *scan, const struct aligned_start *start,
                        const struct aligned_place *place)
{
    if ((place->word & start->mask) != start->want || start->len > place->left ||
        place->at + start->len <= scan->fresh ||
        !aligned_matches(match_dictionary_get(scan->aligned->dictionary, start->index),
                         scan->text->bytes + place->at))
        return true;
    if (scan->sink->count == scan->sink->max)
        return false;
    scan->sink->items[scan->sink->count++] = (struct hit){ .offset = scan->text->offset + place->at,
                                                           .pattern = start->index,
                                                           .len = start->len };
    return true;
}

/* The patterns of the row that may begin in the sector; false when the sink is full. */
static bool aligned_row_scan(const struct aligned_scan *scan, const struct aligned_row *row,
                             int64_t sector)
{
    struct aligned_place place;

    if (!aligned_place_at(scan, sector, row->distance, &place) || place.left <= row->key_at)
        return true;
    const uint8_t *bytes = scan->text->bytes + place.at + row->key_at;
    const uint32_t key = bytes[0] | (place.left > row->key_at + 1 ? (uint32_t)bytes[1] << 8 : 0);
    if ((row->keys[key / 64] >> key % 64 & 1) == 0)
        return true;
    const uint32_t number = aligned_number(row, key);
    for (uint32_t i = row->first[number]; i < row->first[number + 1]; i++)
        if (!aligned_try(scan, &scan->aligned->starts[row->patterns[i]], &place))
            return false;
    return true;
}

/* Members [from, to) of the sieve, likewise. */
static bool aligned_members_scan(const struct aligned_scan *scan, uint32_t from, uint32_t to,
                                 const struct aligned_place *place)
{
    const struct aligned_start *members = scan->aligned->members;
    const struct aligned_wide *wide = scan->aligned->wide;
    bool fits = true;

    for (uint32_t m = from; wide == NULL && fits && m < to; m++)
        fits = aligned_try(scan, &members[m], place);
    for (uint32_t m = from; wide != NULL && fits && m < to; m += ALIGNED_WIDE) {
        uint64_t begin = aligned_wide_starts(wide, m, to - m < ALIGNED_WIDE ? to - m : ALIGNED_WIDE,
                                             place->word);

        for (; fits && begin != 0; begin &= begin - 1)
            fits = aligned_try(scan, &members[m + (uint32_t)__builtin_ctzll(begin)], place);
    }
    return fits;
}

/* The patterns of the buckets, likewise: there are few in each, so each is compared. */
static bool aligned_buckets_scan(const struct aligned_scan *scan, uint64_t buckets, int64_t sector)
{
    const struct aligned_sieve *sieve = scan->aligned->sieve;

    for (; buckets != 0; buckets &= buckets - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(buckets);
        struct aligned_place place;

        if (!aligned_place_at(scan, sector, sieve->distance[b], &place))
            continue;
        if (!aligned_members_scan(scan, sieve->first[b], sieve->first[b + 1], &place))
            return false;
    }
    return true;
}

/* Rows by the bits of `possible`, and all that have no bit. */
static bool aligned_sector(const struct aligned_scan *scan, uint32_t possible, int64_t sector)
{
    const struct match_aligned *aligned = scan->aligned;

    for (; possible != 0; possible &= possible - 1)
        if (!aligned_row_scan(scan, aligned->rows[__builtin_ctz(possible)], sector))
            return false;
    for (uint32_t i = ALIGNED_SIEVE_ROWS; i < aligned->row_count; i++)
        if (!aligned_row_scan(scan, aligned->rows[i], sector))
            return false;
    return true;
}

static uint32_t aligned_rows_of(const struct aligned_sieve *sieve, uint64_t buckets)
{
    uint32_t rows = 0;

    for (; buckets != 0; buckets &= buckets - 1)
        rows |= sieve->rows_of[__builtin_ctzll(buckets)];
    return rows;
}

/* What is left of some neighbouring sectors. */
struct aligned_left {
    uint32_t count;
    struct aligned_left_sector {
        uint32_t number; /* of the sector */
        uint64_t buckets;
    } sectors[ALIGNED_BATCH];
};

/*
 * Sifts `count` sectors from bytes on, by half of the probes, and then what is left by the others.
 * To branch on each would cost more than to write all down.
 */
static void aligned_sift(const struct aligned_sieve *sieve, const uint8_t *bytes, uint32_t count,
                         struct aligned_left *left)
{
    const uint32_t half = (sieve->count / ALIGNED_SIEVE_STEP + 1) / 2 * ALIGNED_SIEVE_STEP;
    uint32_t some = 0, used = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *sector = bytes + (size_t)i * LIMIT_SECTOR;

        __builtin_prefetch(sector + ALIGNED_AHEAD * LIMIT_SECTOR);
        if (sieve->deepest >= ALIGNED_LINE)
            __builtin_prefetch(sector + ALIGNED_AHEAD * LIMIT_SECTOR + sieve->deepest);
        const uint64_t buckets = aligned_sieve_buckets(sieve, sector, sieve->all, 0, half);
        left->sectors[some] = (struct aligned_left_sector){ .number = i, .buckets = buckets };
        some += buckets != 0;
    }
    for (uint32_t i = 0; i < some; i++) {
        const struct aligned_left_sector one = left->sectors[i];
        const uint64_t buckets = aligned_sieve_buckets(
            sieve, bytes + (size_t)one.number * LIMIT_SECTOR, one.buckets, half, sieve->count);

        left->sectors[used] =
            (struct aligned_left_sector){ .number = one.number, .buckets = buckets };
        used += buckets != 0;
    }
    left->count = used;
}

/* The same of ALIGNED_WIDE sectors, many at a time. */
static void aligned_sift_wide(const struct aligned_wide *wide, const uint8_t *bytes,
                              struct aligned_left *left)
{
    uint64_t buckets[ALIGNED_WIDE] UNINITIALIZED;
    uint64_t sectors = aligned_wide_sift(wide, bytes, buckets);

    for (left->count = 0; sectors != 0; sectors &= sectors - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(sectors);

        left->sectors[left->count++] =
            (struct aligned_left_sector){ .number = i, .buckets = buckets[i] };
    }
}

/* Whether they can be, and all that is read of them lies in the text. */
static bool aligned_is_wide(const struct aligned_scan *scan, int64_t sector, uint32_t count)
{
    const struct aligned_wide *wide = scan->aligned->wide;

    return wide != NULL && count == ALIGNED_WIDE &&
           sector + (ALIGNED_WIDE - 1) * LIMIT_SECTOR + aligned_wide_reach(wide) <=
               (int64_t)scan->text->len;
}

bool match_aligned_scan(const struct match_aligned *aligned, const struct match_text *text,
                        uint32_t fresh, uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct aligned_scan scan = {
        .aligned = aligned, .text = text, .fresh = fresh, .from = from, .to = to, .sink = sink
    };
    const uint32_t before = sink->count;
    const uint32_t behind = (uint32_t)((text->offset + from) % LIMIT_SECTOR);
    const struct aligned_sieve *sieve = aligned->sieve;
    const uint32_t all_rows = aligned_rows_of(sieve, sieve->all);
    int64_t sector = (int64_t)from - behind;
    bool fits = true;

    /* Sector by sector, so that each is fetched once; the first one may begin before `from`. */
    while (fits && sector < to) {
        struct aligned_left left UNINITIALIZED;
        const int64_t sure =
            sector >= from && (int64_t)to - sieve->deepest > sector &&
                    aligned->row_count <= ALIGNED_SIEVE_ROWS
                ? ((int64_t)to - sieve->deepest - sector + LIMIT_SECTOR - 1) / LIMIT_SECTOR
                : 0;
        if (sure == 0) {
            fits = aligned_sector(&scan, all_rows, sector);
            sector += LIMIT_SECTOR;
            continue;
        }
        const uint32_t count = sure < ALIGNED_BATCH ? (uint32_t)sure : ALIGNED_BATCH;
        if (aligned_is_wide(&scan, sector, count))
            aligned_sift_wide(aligned->wide, text->bytes + sector, &left);
        else
            aligned_sift(sieve, text->bytes + sector, count, &left);
        for (uint32_t i = 0; fits && i < left.count; i++)
            fits = aligned_buckets_scan(&scan, left.sectors[i].buckets,
                                        sector + (int64_t)left.sectors[i].number * LIMIT_SECTOR);
        sector += (int64_t)count * LIMIT_SECTOR;
    }
    if (!fits)
        sink->count = before;
    return fits;
}
