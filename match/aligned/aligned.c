/* match/aligned/aligned.c - the tables of aligned.h: which patterns may begin in a sector. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/aligned/aligned_rows.h"

enum { GRID_DEPTH = 48 };

/* A chance of two bytes that is small enough: eight times that of two that nothing is known of. */
#define GRID_RARE (8u * GRID_OTHER * GRID_OTHER)

/* Chances in a hundred thousand of a byte at the start of a sector: many sectors are zeros, or
 * begin with some. */
enum {
    GRID_ZERO = 35000,
    GRID_ONES = 2000,
    GRID_OTHER = 250,
    GRID_ZEROS = 30000 /* two bytes of zeros */
};

static struct grid_start grid_start(const struct match_pattern *pattern, uint32_t index)
{
    struct grid_start start = { .len = pattern->len, .index = index };
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
    if (i >= pattern->len || pattern->fold_case ||
        (pattern->mask != NULL && pattern->mask[i] != 0xff))
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

        if (grid_sieve_byte(pattern, i, 0) &&
            (i + 1 >= pattern->len || grid_sieve_byte(pattern, i + 1, 0)))
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

/* What is done with a pattern at every key that it allows. */
enum grid_pass { GRID_MARK, GRID_COUNT, GRID_PUT };

static void grid_spread(const struct match_pattern *pattern, struct grid_row *row, uint32_t index,
                        enum grid_pass pass)
{
    const uint32_t i = row->key_at;
    const struct grid_values lows = grid_values(pattern, i), highs = grid_values(pattern, i + 1);

    for (uint32_t low = lows.from; low < lows.to; low++)
        for (uint32_t high = highs.from;
             high < highs.to && grid_sieve_byte(pattern, i, (uint8_t)low); high++) {
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

static enum err_code grid_row_fill(const struct match_grid *grid, struct grid_row *row,
                                   struct err *err)
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
    memmove(row->first + 1, row->first,
            keys * sizeof row->first[0]); /* each had moved on to the start of the next */
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
    grid->members = calloc(all, sizeof *grid->members);
    if (members == NULL || grid->sieve == NULL || grid->members == NULL) {
        free(members);
        return ERR_NO_MEMORY(err, all * sizeof *members + sizeof *grid->sieve);
    }
    for (uint32_t i = 0; i < all; i++)
        for (uint32_t r = 0; r < grid->row_count && r < GRID_SIEVE_ROWS; r++)
            if (grid_in_row(grid, i, grid->rows[r]))
                members[count++] = (struct grid_sieve_member){ .pattern = match_dictionary_get(
                                                                   grid->dictionary, i),
                                                               .index = i,
                                                               .row = r,
                                                               .distance = grid->rows[r]->distance,
                                                               .key_at = grid->rows[r]->key_at };
    rc = grid_sieve_init(grid->sieve, members, count, err);
    for (uint32_t m = 0; m < count; m++)
        grid->members[m] = grid->starts[members[m].index];
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

enum err_code match_grid_open(const struct match_dictionary *dictionary, struct match_grid **out,
                              struct err *err)
{
    const size_t size =
        sizeof(struct match_grid) +
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
        grid->starts[i] = grid_start(pattern, i);
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
        free(grid->members);
    }
    free(grid);
}
