/* match/grid.c - see grid.h. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/grid.h"

enum { GRID_KEYS = 1 << 16 };

/* The patterns that stand `distance` bytes behind the start of a sector. */
struct grid_row {
    uint32_t distance;
    uint32_t first[GRID_KEYS +
                   1];  /* by the two bytes there: where its stretch of `patterns` begins; the next one is its end */
    uint32_t *patterns; /* numbers in the dictionary, ascending in each stretch */
};

struct match_grid {
    const struct match_dictionary *dictionary;
    uint32_t row_count;
    struct grid_row *rows[];
};

static uint8_t grid_fold(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Whether byte i of the pattern may be `byte`. */
static bool grid_byte(const struct match_pattern *pattern, uint32_t i, uint8_t byte)
{
    const uint8_t mask = pattern->mask == NULL ? 0xff : pattern->mask[i];

    if (((byte ^ pattern->bytes[i]) & mask) == 0)
        return true;
    return pattern->fold_case && mask == 0xff && grid_fold(byte) == grid_fold(pattern->bytes[i]);
}

static bool grid_in_row(const struct match_pattern *pattern, uint32_t distance)
{
    return pattern->kind == MATCH_GRID && pattern->at % LIMIT_SECTOR == distance;
}

/* Counts the pattern at every key that its first two bytes allow, or with patterns given puts it there. */
static void grid_spread(const struct match_pattern *pattern, uint32_t index, uint32_t *at, uint32_t *patterns)
{
    for (uint32_t key = 0; key < GRID_KEYS; key++) {
        if (!grid_byte(pattern, 0, (uint8_t)key) || (pattern->len > 1 && !grid_byte(pattern, 1, (uint8_t)(key >> 8))))
            continue;
        if (patterns != NULL)
            patterns[at[key]] = index;
        at[key]++;
    }
}

static enum err_code grid_row_open(const struct match_dictionary *dictionary, uint32_t distance, struct grid_row **out,
                                   struct err *err)
{
    const uint32_t count = match_dictionary_count(dictionary);
    struct grid_row *row = calloc(1, sizeof *row);
    uint32_t used = 0;

    *out = row;
    if (row == NULL)
        return ERR_NO_MEMORY(err, sizeof *row);
    row->distance = distance;
    for (uint32_t i = 0; i < count; i++)
        if (grid_in_row(match_dictionary_get(dictionary, i), distance))
            grid_spread(match_dictionary_get(dictionary, i), i, row->first, NULL);
    for (uint32_t key = 0; key <= GRID_KEYS; key++) {
        const uint32_t here = row->first[key];

        row->first[key] = used;
        used += here;
    }
    row->patterns = calloc(used + 1u, sizeof *row->patterns);
    if (row->patterns == NULL)
        return ERR_NO_MEMORY(err, (used + 1u) * sizeof *row->patterns);
    for (uint32_t i = 0; i < count; i++)
        if (grid_in_row(match_dictionary_get(dictionary, i), distance))
            grid_spread(match_dictionary_get(dictionary, i), i, row->first, row->patterns);
    memmove(row->first + 1, row->first,
            GRID_KEYS * sizeof row->first[0]); /* each had moved on to the start of the next */
    row->first[0] = 0;
    return ERR_OK;
}

enum err_code match_grid_open(const struct match_dictionary *dictionary, struct match_grid **out, struct err *err)
{
    const size_t size = sizeof(struct match_grid) + LIMIT_SECTOR * sizeof(struct grid_row *);
    const uint32_t count = match_dictionary_count(dictionary);
    bool used[LIMIT_SECTOR] = { false };
    struct match_grid *grid = NULL;
    enum err_code rc = ERR_OK;

    *out = NULL;
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        const uint32_t distance = pattern->at % LIMIT_SECTOR;

        if (pattern->kind != MATCH_GRID || used[distance])
            continue;
        if (grid == NULL)
            grid = calloc(1, size);
        if (grid == NULL)
            return ERR_NO_MEMORY(err, size);
        used[distance] = true;
        grid->dictionary = dictionary;
        rc = grid_row_open(dictionary, distance, &grid->rows[grid->row_count++], err);
    }
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
        if (grid->rows[i] != NULL)
            free(grid->rows[i]->patterns);
        free(grid->rows[i]);
    }
    free(grid);
}

static bool grid_matches(const struct match_pattern *pattern, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < pattern->len; i++)
        if (!grid_byte(pattern, i, bytes[i]))
            return false;
    return true;
}

/* The patterns of the row that may begin at text[at]. */
static bool grid_place(const struct match_grid *grid, const struct grid_row *row, const struct match_text *text,
                       uint32_t fresh, uint32_t at, struct match_sink *sink)
{
    const uint32_t left = text->len - at;
    const uint32_t key = text->bytes[at] | (left > 1 ? (uint32_t)text->bytes[at + 1] << 8 : 0);

    for (uint32_t i = row->first[key]; i < row->first[key + 1]; i++) {
        const struct match_pattern *pattern = match_dictionary_get(grid->dictionary, row->patterns[i]);

        if (pattern->len > left || at + pattern->len <= fresh || !grid_matches(pattern, text->bytes + at))
            continue;
        if (sink->count == sink->max)
            return false;
        sink->items[sink->count++] =
            (struct hit){ .offset = text->offset + at, .pattern = row->patterns[i], .len = pattern->len };
    }
    return true;
}

bool match_grid_scan(const struct match_grid *grid, const struct match_text *text, uint32_t fresh, uint32_t from,
                     uint32_t to, struct match_sink *sink)
{
    const uint32_t before = sink->count;

    for (uint32_t i = 0; i < grid->row_count; i++) {
        const struct grid_row *row = grid->rows[i];
        const uint64_t first = (text->offset + from - row->distance) % LIMIT_SECTOR; /* wraps below 0: a power of two */
        uint32_t at = from + (uint32_t)((LIMIT_SECTOR - first) % LIMIT_SECTOR);

        for (; at < to; at += LIMIT_SECTOR)
            if (!grid_place(grid, row, text, fresh, at, sink)) {
                sink->count = before;
                return false;
            }
    }
    return true;
}
