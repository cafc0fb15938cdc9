/* match/grid.c - see grid.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/grid.h"
#include "match/grid_sieve.h"

enum { GRID_KEYS = 1 << 16, GRID_DEPTH = 48 };
enum {
    GRID_AHEAD = 16, /* sectors fetched before they are looked at */
    GRID_BATCH = 64, /* sectors sifted at a time */
    GRID_LINE = 64,
};

/* A chance of two bytes that is small enough: eight times that of two that nothing is known of. */
#define GRID_RARE (8u * GRID_OTHER * GRID_OTHER)

/* Chances in a hundred thousand of a byte at the start of a sector: many sectors are zeros, or begin with some. */
enum { GRID_ZERO = 35000, GRID_ONES = 2000, GRID_OTHER = 250, GRID_ZEROS = 30000 /* two bytes of zeros */ };

/* The patterns that begin `distance` bytes behind the start of a sector, and whose rarest two bytes are those from key_at on. */
struct grid_row {
    uint32_t distance, key_at;
    uint64_t
        keys[GRID_KEYS / 64]; /* a bit for each two bytes that are in a pattern: few, so that it stays in the cache */
    uint32_t before[GRID_KEYS / 64]; /* bits in the words before */
    uint32_t *first;    /* by number of the bit: where its stretch of `patterns` begins; the next one is its end */
    uint32_t *patterns; /* numbers in the dictionary, ascending in each stretch */
};

/* The first bytes of a pattern, to be compared all at once before the rest. */
struct grid_start {
    uint64_t want, mask; /* letters that fold are compared without the bit between the cases */
    uint32_t len;        /* of the pattern */
};

struct match_grid {
    const struct match_dictionary *dictionary;
    struct grid_start *starts; /* by pattern */
    uint8_t *key_at;           /* by pattern; see grid_key_at */
    struct grid_sieve *sieve;  /* of the first GRID_SIEVE_ROWS rows */
    uint32_t row_count;
    struct grid_row *rows[];
};

static struct grid_start grid_start(const struct match_pattern *pattern)
{
    struct grid_start start = { .len = pattern->len };
    uint8_t want[sizeof start.want] = { 0 }, masks[sizeof start.mask] = { 0 };

    for (uint32_t i = 0; i < sizeof want && i < pattern->len; i++) {
        const uint8_t small = grid_sieve_fold(pattern->bytes[i]);

        masks[i] = pattern->mask == NULL ? 0xff : pattern->mask[i];
        if (pattern->fold_case && masks[i] == 0xff && small >= 'a' && small <= 'z')
            masks[i] = 0xdf;
        want[i] = pattern->bytes[i] & masks[i];
    }
    memcpy(&start.want, want, sizeof want);
    memcpy(&start.mask, masks, sizeof masks);
    return start;
}

/* Values [from, to) that byte i of a pattern may have; most patterns allow one. */
struct grid_values {
    uint32_t from, to;
};

static struct grid_values grid_values(const struct match_pattern *pattern, uint32_t i)
{
    if (i >= pattern->len || pattern->fold_case || (pattern->mask != NULL && pattern->mask[i] != 0xff))
        return (struct grid_values){ 0, 256 };
    return (struct grid_values){ pattern->bytes[i], pattern->bytes[i] + 1u };
}

/* How often byte i of the pattern fits. */
static uint64_t grid_chance(const struct match_pattern *pattern, uint32_t i)
{
    const struct grid_values values = grid_values(pattern, i);
    uint64_t sum = 0;

    for (uint32_t byte = values.from; byte < values.to; byte++)
        if (i >= pattern->len || grid_sieve_byte(pattern, i, (uint8_t)byte))
            sum += byte == 0 ? GRID_ZERO : byte == 0xff ? GRID_ONES : GRID_OTHER;
    return sum;
}

/* The first place in the pattern whose two bytes are rare, or that whose are the rarest. */
static uint32_t grid_key_at(const struct match_pattern *pattern)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;

    for (uint32_t i = 0; i < GRID_DEPTH && (i == 0 || i + 1 < pattern->len); i++) {
        uint64_t chance = grid_chance(pattern, i) * grid_chance(pattern, i + 1);

        if (grid_sieve_byte(pattern, i, 0) && (i + 1 >= pattern->len || grid_sieve_byte(pattern, i + 1, 0)))
            chance += (uint64_t)GRID_ZEROS * (GRID_ZERO + GRID_ONES + 254 * GRID_OTHER);
        if (chance < least) {
            least = chance;
            best = i;
        }
        if (least <= GRID_RARE)
            break; /* the first place that is good enough, so that many patterns share one */
    }
    return best;
}

static bool grid_in_row(const struct match_grid *grid, uint32_t index, const struct grid_row *row)
{
    const struct match_pattern *pattern = match_dictionary_get(grid->dictionary, index);

    return pattern->kind == MATCH_GRID && pattern->at % LIMIT_SECTOR == row->distance &&
           grid->key_at[index] == row->key_at;
}

/* Bits of keys before that of `key`. */
static uint32_t grid_number(const struct grid_row *row, uint32_t key)
{
    const uint64_t below = (UINT64_C(1) << key % 64) - 1;

    return row->before[key / 64] + (uint32_t)__builtin_popcountll(row->keys[key / 64] & below);
}

/* What is done with a pattern at every key that it allows. */
enum grid_pass { GRID_MARK, GRID_COUNT, GRID_PUT };

static void grid_spread(const struct match_pattern *pattern, struct grid_row *row, uint32_t index, enum grid_pass pass)
{
    const uint32_t i = row->key_at;
    const struct grid_values lows = grid_values(pattern, i), highs = grid_values(pattern, i + 1);

    for (uint32_t low = lows.from; low < lows.to; low++)
        for (uint32_t high = highs.from; high < highs.to && grid_sieve_byte(pattern, i, (uint8_t)low); high++) {
            const uint32_t key = low | high << 8;

            if (i + 1 < pattern->len && !grid_sieve_byte(pattern, i + 1, (uint8_t)high))
                continue;
            if (pass == GRID_MARK)
                row->keys[key / 64] |= UINT64_C(1) << key % 64;
            else if (pass == GRID_COUNT)
                row->first[grid_number(row, key)]++;
            else
                row->patterns[row->first[grid_number(row, key)]++] = index;
        }
}

static void grid_row_pass(const struct match_grid *grid, struct grid_row *row, enum grid_pass pass)
{
    const uint32_t count = match_dictionary_count(grid->dictionary);

    for (uint32_t i = 0; i < count; i++)
        if (grid_in_row(grid, i, row))
            grid_spread(match_dictionary_get(grid->dictionary, i), row, i, pass);
}

static enum err_code grid_row_fill(const struct match_grid *grid, struct grid_row *row, struct err *err)
{
    uint32_t keys = 0, used = 0;

    grid_row_pass(grid, row, GRID_MARK);
    for (uint32_t word = 0; word < GRID_KEYS / 64; word++) {
        row->before[word] = keys;
        keys += (uint32_t)__builtin_popcountll(row->keys[word]);
    }
    row->first = calloc(keys + 1u, sizeof *row->first);
    if (row->first == NULL)
        return ERR_NO_MEMORY(err, (keys + 1u) * sizeof *row->first);
    grid_row_pass(grid, row, GRID_COUNT);
    for (uint32_t key = 0; key <= keys; key++) {
        const uint32_t here = row->first[key];

        row->first[key] = used;
        used += here;
    }
    row->patterns = calloc(used + 1u, sizeof *row->patterns);
    if (row->patterns == NULL)
        return ERR_NO_MEMORY(err, (used + 1u) * sizeof *row->patterns);
    grid_row_pass(grid, row, GRID_PUT);
    memmove(row->first + 1, row->first, keys * sizeof row->first[0]); /* each had moved on to the start of the next */
    row->first[0] = 0;
    return ERR_OK;
}

static enum err_code grid_sieve_open(struct match_grid *grid, struct err *err)
{
    const uint32_t all = match_dictionary_count(grid->dictionary);
    struct grid_sieve_member *members = calloc(all, sizeof *members);
    enum err_code rc = ERR_OK;
    uint32_t count = 0;

    grid->sieve = calloc(1, sizeof *grid->sieve);
    if (members == NULL || grid->sieve == NULL) {
        free(members);
        return ERR_NO_MEMORY(err, all * sizeof *members + sizeof *grid->sieve);
    }
    for (uint32_t i = 0; i < all; i++)
        for (uint32_t r = 0; r < grid->row_count && r < GRID_SIEVE_ROWS; r++)
            if (grid_in_row(grid, i, grid->rows[r]))
                members[count++] = (struct grid_sieve_member){ .pattern = match_dictionary_get(grid->dictionary, i),
                                                               .row = r,
                                                               .distance = grid->rows[r]->distance,
                                                               .key_at = grid->rows[r]->key_at };
    rc = grid_sieve_init(grid->sieve, members, count, err);
    free(members);
    return rc;
}

static enum err_code grid_add_row(struct match_grid *grid, uint32_t index, struct err *err)
{
    const struct match_pattern *pattern = match_dictionary_get(grid->dictionary, index);
    struct grid_row *row = NULL;

    for (uint32_t i = 0; i < grid->row_count; i++)
        if (grid_in_row(grid, index, grid->rows[i]))
            return ERR_OK;
    row = calloc(1, sizeof *row);
    if (row == NULL)
        return ERR_NO_MEMORY(err, sizeof *row);
    row->distance = pattern->at % LIMIT_SECTOR;
    row->key_at = grid->key_at[index];
    grid->rows[grid->row_count++] = row;
    return grid_row_fill(grid, row, err);
}

enum err_code match_grid_open(const struct match_dictionary *dictionary, struct match_grid **out, struct err *err)
{
    const size_t size = sizeof(struct match_grid) +
                        (size_t)LIMIT_SECTOR * GRID_DEPTH * sizeof(struct grid_row *); /* every row there can be */
    const uint32_t count = match_dictionary_count(dictionary);
    struct match_grid *grid = NULL;
    enum err_code rc = ERR_OK;

    *out = NULL;
    for (uint32_t i = 0; i < count && grid == NULL; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_GRID) {
            grid = calloc(1, size);
            if (grid == NULL)
                return ERR_NO_MEMORY(err, size);
        }
    if (grid == NULL)
        return ERR_OK;
    grid->dictionary = dictionary;
    grid->key_at = calloc(count, 1);
    grid->starts = calloc(count, sizeof *grid->starts);
    if (grid->key_at == NULL || grid->starts == NULL) {
        match_grid_close(grid);
        return ERR_NO_MEMORY(err, count * sizeof *grid->starts);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_GRID)
            continue;
        grid->key_at[i] = (uint8_t)grid_key_at(pattern);
        grid->starts[i] = grid_start(pattern);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_GRID)
            rc = grid_add_row(grid, i, err);
    if (rc == ERR_OK)
        rc = grid_sieve_open(grid, err);
    if (rc != ERR_OK) {
        match_grid_close(grid);
        return rc;
    }
    *out = grid;
    return ERR_OK;
}

void match_grid_close(struct match_grid *grid)
{
    for (uint32_t i = 0; grid != NULL && i < grid->row_count; i++) {
        if (grid->rows[i] != NULL) {
            free(grid->rows[i]->first);
            free(grid->rows[i]->patterns);
        }
        free(grid->rows[i]);
    }
    if (grid != NULL) {
        free(grid->key_at);
        free(grid->starts);
        free(grid->sieve);
    }
    free(grid);
}

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

/* The patterns of the row that may begin in the sector, which itself may begin before the text; false when the sink is full. */
static bool grid_place(const struct grid_scan *scan, const struct grid_row *row, int64_t sector)
{
    const struct match_grid *grid = scan->grid;
    const struct match_text *text = scan->text;
    const int64_t place = sector + row->distance;
    uint64_t word = 0;

    if (place < scan->from || place >= scan->to)
        return true;
    const uint32_t at = (uint32_t)place, left = text->len - at;
    if (left <= row->key_at)
        return true;
    const uint8_t *bytes = text->bytes + at + row->key_at;
    const uint32_t key = bytes[0] | (left > row->key_at + 1 ? (uint32_t)bytes[1] << 8 : 0);
    if ((row->keys[key / 64] >> key % 64 & 1) == 0)
        return true;
    memcpy(&word, text->bytes + at, left < sizeof word ? left : sizeof word);
    const uint32_t number = grid_number(row, key);
    for (uint32_t i = row->first[number]; i < row->first[number + 1]; i++) {
        const uint32_t index = row->patterns[i];
        const struct grid_start *start = &grid->starts[index];

        if ((word & start->mask) != start->want || start->len > left || at + start->len <= scan->fresh ||
            !grid_matches(match_dictionary_get(grid->dictionary, index), text->bytes + at))
            continue;
        if (scan->sink->count == scan->sink->max)
            return false;
        scan->sink->items[scan->sink->count++] =
            (struct hit){ .offset = text->offset + at, .pattern = index, .len = start->len };
    }
    return true;
}

/* Rows by the bits of `possible`, and all that have no bit. */
static bool grid_sector(const struct grid_scan *scan, uint32_t possible, int64_t sector)
{
    const struct match_grid *grid = scan->grid;

    for (; possible != 0; possible &= possible - 1)
        if (!grid_place(scan, grid->rows[__builtin_ctz(possible)], sector))
            return false;
    for (uint32_t i = GRID_SIEVE_ROWS; i < grid->row_count; i++)
        if (!grid_place(scan, grid->rows[i], sector))
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

/* Sifts `count` sectors from bytes on. To branch on each would cost more than to write all down. */
static void grid_sift(const struct grid_sieve *sieve, const uint8_t *bytes, uint32_t count, struct grid_left *left)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++, bytes += LIMIT_SECTOR) {
        __builtin_prefetch(bytes + GRID_AHEAD * LIMIT_SECTOR);
        if (sieve->deepest >= GRID_LINE)
            __builtin_prefetch(bytes + GRID_AHEAD * LIMIT_SECTOR + sieve->deepest);
        const uint64_t buckets = grid_sieve_buckets(sieve, bytes);
        left->sectors[used] = (struct grid_left_sector){ .number = i, .buckets = buckets };
        used += buckets != 0;
    }
    left->count = used;
}

bool match_grid_scan(const struct match_grid *grid, const struct match_text *text, uint32_t fresh, uint32_t from,
                     uint32_t to, struct match_sink *sink)
{
    const struct grid_scan scan = { .grid = grid, .text = text, .fresh = fresh, .from = from, .to = to, .sink = sink };
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
            sector >= from && (int64_t)to - sieve->deepest > sector && grid->row_count <= GRID_SIEVE_ROWS
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
            fits = grid_sector(&scan, grid_rows_of(sieve, left.sectors[i].buckets),
                               sector + (int64_t)left.sectors[i].number * LIMIT_SECTOR);
        sector += (int64_t)count * LIMIT_SECTOR;
    }
    if (!fits)
        sink->count = before;
    return fits;
}
