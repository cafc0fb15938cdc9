/*
 * match/aligned/grid_scan.c - finds the patterns of a grid: sectors are sifted many at a time, and
 * what is left is compared.
 */
#include <string.h>

#include "base/limits.h"
#include "match/aligned/aligned_rows.h"

enum {
    GRID_AHEAD = 16, /* sectors fetched before they are looked at */
    GRID_BATCH = 64, /* sectors sifted at a time */
    GRID_LINE = 64,
};

static bool grid_matches(const struct match_pattern *pattern, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (!grid_sieve_byte(pattern, i, bytes[i]))
            return false;
    return true;
}

/* What one call of match_grid_scan works on. */
struct grid_scan {
    const struct match_grid *grid;
    const struct match_text *text;
    uint32_t fresh, from, to;
    struct match_sink *sink;
};

/* A place where patterns may begin: an index of the text, the bytes left from there on, and the
 * first of them. */
struct grid_place {
    uint32_t at, left;
    uint64_t word;
};

/* The place `distance` bytes behind the start of the sector, which itself may begin before the
 * text; false when it is not to be looked at. */
static bool grid_place_at(const struct grid_scan *scan, int64_t sector, uint32_t distance,
                          struct grid_place *place)
{
    const struct match_text *text = scan->text;
    const int64_t at = sector + distance;

    if (at < scan->from || at >= scan->to)
        return false;
    *place = (struct grid_place){ .at = (uint32_t)at, .left = text->len - (uint32_t)at };
    if (place->left >= sizeof place->word)
        memcpy(&place->word, text->bytes + at, sizeof place->word);
    else
        memcpy(&place->word, text->bytes + at, place->left);
    return true;
}

/* Whether the pattern stands at the place is told with a hit; false when the sink is full. */
static bool grid_try(const struct grid_scan *scan, const struct grid_start *start,
                     const struct grid_place *place)
{
    if ((place->word & start->mask) != start->want || start->len > place->left ||
        place->at + start->len <= scan->fresh ||
        !grid_matches(match_dictionary_get(scan->grid->dictionary, start->index),
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
static bool grid_row_scan(const struct grid_scan *scan, const struct grid_row *row, int64_t sector)
{
    struct grid_place place;

    if (!grid_place_at(scan, sector, row->distance, &place) || place.left <= row->key_at)
        return true;
    const uint8_t *bytes = scan->text->bytes + place.at + row->key_at;
    const uint32_t key = bytes[0] | (place.left > row->key_at + 1 ? (uint32_t)bytes[1] << 8 : 0);
    if ((row->keys[key / 64] >> key % 64 & 1) == 0)
        return true;
    const uint32_t number = grid_number(row, key);
    for (uint32_t i = row->first[number]; i < row->first[number + 1]; i++)
        if (!grid_try(scan, &scan->grid->starts[row->patterns[i]], &place))
            return false;
    return true;
}

/* The patterns of the buckets, likewise: there are few in each, so each is compared. */
static bool grid_buckets_scan(const struct grid_scan *scan, uint64_t buckets, int64_t sector)
{
    const struct grid_sieve *sieve = scan->grid->sieve;

    for (; buckets != 0; buckets &= buckets - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(buckets);
        struct grid_place place;

        if (!grid_place_at(scan, sector, sieve->distance[b], &place))
            continue;
        for (uint32_t m = sieve->first[b]; m < sieve->first[b + 1]; m++)
            if (!grid_try(scan, &scan->grid->members[m], &place))
                return false;
    }
    return true;
}

/* Rows by the bits of `possible`, and all that have no bit. */
static bool grid_sector(const struct grid_scan *scan, uint32_t possible, int64_t sector)
{
    const struct match_grid *grid = scan->grid;

    for (; possible != 0; possible &= possible - 1)
        if (!grid_row_scan(scan, grid->rows[__builtin_ctz(possible)], sector))
            return false;
    for (uint32_t i = GRID_SIEVE_ROWS; i < grid->row_count; i++)
        if (!grid_row_scan(scan, grid->rows[i], sector))
            return false;
    return true;
}

static uint32_t grid_rows_of(const struct grid_sieve *sieve, uint64_t buckets)
{
    uint32_t rows = 0;

    for (; buckets != 0; buckets &= buckets - 1)
        rows |= sieve->rows_of[__builtin_ctzll(buckets)];
    return rows;
}

/* What is left of some neighbouring sectors. */
struct grid_left {
    uint32_t count;
    struct grid_left_sector {
        uint32_t number; /* of the sector */
        uint64_t buckets;
    } sectors[GRID_BATCH];
};

/*
 * Sifts `count` sectors from bytes on, by half of the probes, and then what is left by the others.
 * To branch on each would cost more than to write all down.
 */
static void grid_sift(const struct grid_sieve *sieve, const uint8_t *bytes, uint32_t count,
                      struct grid_left *left)
{
    const uint32_t half = (sieve->count / GRID_SIEVE_STEP + 1) / 2 * GRID_SIEVE_STEP;
    uint32_t some = 0, used = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *sector = bytes + (size_t)i * LIMIT_SECTOR;

        __builtin_prefetch(sector + GRID_AHEAD * LIMIT_SECTOR);
        if (sieve->deepest >= GRID_LINE)
            __builtin_prefetch(sector + GRID_AHEAD * LIMIT_SECTOR + sieve->deepest);
        const uint64_t buckets = grid_sieve_buckets(sieve, sector, sieve->all, 0, half);
        left->sectors[some] = (struct grid_left_sector){ .number = i, .buckets = buckets };
        some += buckets != 0;
    }
    for (uint32_t i = 0; i < some; i++) {
        const struct grid_left_sector one = left->sectors[i];
        const uint64_t buckets = grid_sieve_buckets(
            sieve, bytes + (size_t)one.number * LIMIT_SECTOR, one.buckets, half, sieve->count);

        left->sectors[used] = (struct grid_left_sector){ .number = one.number, .buckets = buckets };
        used += buckets != 0;
    }
    left->count = used;
}

bool match_grid_scan(const struct match_grid *grid, const struct match_text *text, uint32_t fresh,
                     uint32_t from, uint32_t to, struct match_sink *sink)
{
    const struct grid_scan scan = {
        .grid = grid, .text = text, .fresh = fresh, .from = from, .to = to, .sink = sink
    };
    const uint32_t before = sink->count;
    const uint32_t behind = (uint32_t)((text->offset + from) % LIMIT_SECTOR);
    const struct grid_sieve *sieve = grid->sieve;
    const uint32_t all_rows = grid_rows_of(sieve, sieve->all);
    int64_t sector = (int64_t)from - behind;
    bool fits = true;

    /* Sector by sector, so that each is fetched once; the first one may begin before `from`. */
    while (fits && sector < to) {
        struct grid_left left;
        const int64_t sure =
            sector >= from && (int64_t)to - sieve->deepest > sector &&
                    grid->row_count <= GRID_SIEVE_ROWS
                ? ((int64_t)to - sieve->deepest - sector + LIMIT_SECTOR - 1) / LIMIT_SECTOR
                : 0;
        if (sure == 0) {
            fits = grid_sector(&scan, all_rows, sector);
            sector += LIMIT_SECTOR;
            continue;
        }
        const uint32_t count = sure < GRID_BATCH ? (uint32_t)sure : GRID_BATCH;
        grid_sift(sieve, text->bytes + sector, count, &left);
        for (uint32_t i = 0; fits && i < left.count; i++)
            fits = grid_buckets_scan(&scan, left.sectors[i].buckets,
                                     sector + (int64_t)left.sectors[i].number * LIMIT_SECTOR);
        sector += (int64_t)count * LIMIT_SECTOR;
    }
    if (!fits)
        sink->count = before;
    return fits;
}
