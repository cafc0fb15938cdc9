/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned.c - the tables of aligned.h: which patterns may begin in a sector. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/aligned/aligned_rows.h"

enum { ALIGNED_DEPTH = 48 };

/* A chance of two bytes that is small enough: eight times that of two that nothing is known of. */
#define ALIGNED_RARE (8u * ALIGNED_OTHER * ALIGNED_OTHER)

/* Chances in a hundred thousand of a byte at the start of a sector: many sectors are zeros, or
 * begin with some. */
enum {
    ALIGNED_ZERO = 35000,
    ALIGNED_ONES = 2000,
    ALIGNED_OTHER = 250,
    ALIGNED_ZEROS = 30000 /* two bytes of zeros */
};

static struct aligned_start aligned_start(const struct match_pattern *pattern, uint32_t index)
{
    struct aligned_start start = { .len = pattern->len, .index = index };
    uint8_t want[sizeof start.want] = { 0 }, masks[sizeof start.mask] = { 0 };

    for (uint32_t i = 0; i < sizeof want && i < pattern->len; i++) {
        const uint8_t small = aligned_sieve_fold(pattern->bytes[i]);

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
struct aligned_values {
    uint32_t from, to;
};

static struct aligned_values aligned_values(const struct match_pattern *pattern, uint32_t i)
{
    if (i >= pattern->len || pattern->fold_case ||
        (pattern->mask != NULL && pattern->mask[i] != 0xff))
        return (struct aligned_values){ 0, 256 };
    return (struct aligned_values){ pattern->bytes[i], pattern->bytes[i] + 1u };
}

/* How often byte i of the pattern fits. */
static uint64_t aligned_chance(const struct match_pattern *pattern, uint32_t i)
{
    const struct aligned_values values = aligned_values(pattern, i);
    uint64_t sum = 0;

    for (uint32_t byte = values.from; byte < values.to; byte++)
        if (i >= pattern->len || aligned_sieve_byte(pattern, i, (uint8_t)byte))
            sum += byte == 0 ? ALIGNED_ZERO : byte == 0xff ? ALIGNED_ONES : ALIGNED_OTHER;
    return sum;
}

/* The first place in the pattern whose two bytes are rare, or that whose are the rarest. */
static uint32_t aligned_key_at(const struct match_pattern *pattern)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;

    for (uint32_t i = 0; i < ALIGNED_DEPTH && (i == 0 || i + 1 < pattern->len); i++) {
        uint64_t chance = aligned_chance(pattern, i) * aligned_chance(pattern, i + 1);

        if (aligned_sieve_byte(pattern, i, 0) &&
            (i + 1 >= pattern->len || aligned_sieve_byte(pattern, i + 1, 0)))
            chance += (uint64_t)ALIGNED_ZEROS * (ALIGNED_ZERO + ALIGNED_ONES + 254 * ALIGNED_OTHER);
        if (chance < least) {
            least = chance;
            best = i;
        }
        if (least <= ALIGNED_RARE)
            break; /* the first place that is good enough, so that many patterns share one */
    }
    return best;
}

static bool aligned_in_row(const struct match_aligned *aligned, uint32_t index,
                           const struct aligned_row *row)
{
    const struct match_pattern *pattern = match_dictionary_get(aligned->dictionary, index);

    return pattern->kind == MATCH_SECTOR_ALIGNED && pattern->at % LIMIT_SECTOR == row->distance &&
           aligned->key_at[index] == row->key_at;
}

/* What is done with a pattern at every key that it allows. */
enum aligned_pass { ALIGNED_MARK, ALIGNED_COUNT, ALIGNED_PUT };

static void aligned_spread(const struct match_pattern *pattern, struct aligned_row *row,
                           uint32_t index, enum aligned_pass pass)
{
    const uint32_t i = row->key_at;
    const struct aligned_values lows = aligned_values(pattern, i),
                                highs = aligned_values(pattern, i + 1);

    for (uint32_t low = lows.from; low < lows.to; low++)
        for (uint32_t high = highs.from;
             high < highs.to && aligned_sieve_byte(pattern, i, (uint8_t)low); high++) {
            const uint32_t key = low | high << 8;

            if (i + 1 < pattern->len && !aligned_sieve_byte(pattern, i + 1, (uint8_t)high))
                continue;
            if (pass == ALIGNED_MARK)
                row->keys[key / 64] |= UINT64_C(1) << key % 64;
            else if (pass == ALIGNED_COUNT)
                row->first[aligned_number(row, key)]++;
            else
                row->patterns[row->first[aligned_number(row, key)]++] = index;
        }
}

static void aligned_row_pass(const struct match_aligned *aligned, struct aligned_row *row,
                             enum aligned_pass pass)
{
    const uint32_t count = match_dictionary_count(aligned->dictionary);

    for (uint32_t i = 0; i < count; i++)
        if (aligned_in_row(aligned, i, row))
            aligned_spread(match_dictionary_get(aligned->dictionary, i), row, i, pass);
}

static enum err_code aligned_row_fill(const struct match_aligned *aligned, struct aligned_row *row,
                                      struct err *err)
{
    uint32_t keys = 0, used = 0;

    aligned_row_pass(aligned, row, ALIGNED_MARK);
    for (uint32_t word = 0; word < ALIGNED_KEYS / 64; word++) {
        row->before[word] = keys;
        keys += (uint32_t)__builtin_popcountll(row->keys[word]);
    }
    row->first = calloc(keys + 1u, sizeof *row->first);
    if (row->first == NULL)
        return ERR_NO_MEMORY(err, (keys + 1u) * sizeof *row->first);
    aligned_row_pass(aligned, row, ALIGNED_COUNT);
    for (uint32_t key = 0; key <= keys; key++) {
        const uint32_t here = row->first[key];

        row->first[key] = used;
        used += here;
    }
    row->patterns = calloc(used + 1u, sizeof *row->patterns);
    if (row->patterns == NULL)
        return ERR_NO_MEMORY(err, (used + 1u) * sizeof *row->patterns);
    aligned_row_pass(aligned, row, ALIGNED_PUT);
    memmove(row->first + 1, row->first,
            keys * sizeof row->first[0]); /* each had moved on to the start of the next */
    row->first[0] = 0;
    return ERR_OK;
}

static enum err_code aligned_sieve_open(struct match_aligned *aligned, struct err *err)
{
    const uint32_t all = match_dictionary_count(aligned->dictionary);
    struct aligned_sieve_member *members = calloc(all, sizeof *members);
    enum err_code rc = ERR_OK;
    uint32_t count = 0;

    aligned->sieve = calloc(1, sizeof *aligned->sieve);
    aligned->members = calloc(all, sizeof *aligned->members);
    if (members == NULL || aligned->sieve == NULL || aligned->members == NULL) {
        free(members);
        return ERR_NO_MEMORY(err, all * sizeof *members + sizeof *aligned->sieve);
    }
    for (uint32_t i = 0; i < all; i++)
        for (uint32_t r = 0; r < aligned->row_count && r < ALIGNED_SIEVE_ROWS; r++)
            if (aligned_in_row(aligned, i, aligned->rows[r]))
                members[count++] =
                    (struct aligned_sieve_member){ .pattern =
                                                       match_dictionary_get(aligned->dictionary, i),
                                                   .index = i,
                                                   .row = r,
                                                   .distance = aligned->rows[r]->distance,
                                                   .key_at = aligned->rows[r]->key_at };
    rc = aligned_sieve_init(aligned->sieve, members, count, err);
    for (uint32_t m = 0; m < count; m++)
        aligned->members[m] = aligned->starts[members[m].index];
    free(members);
    return rc == ERR_OK
               ? aligned_wide_open(aligned->sieve, aligned->members, count, &aligned->wide, err)
               : rc;
}

static enum err_code aligned_add_row(struct match_aligned *aligned, uint32_t index, struct err *err)
{
    const struct match_pattern *pattern = match_dictionary_get(aligned->dictionary, index);
    struct aligned_row *row = NULL;

    for (uint32_t i = 0; i < aligned->row_count; i++)
        if (aligned_in_row(aligned, index, aligned->rows[i]))
            return ERR_OK;
    row = calloc(1, sizeof *row);
    if (row == NULL)
        return ERR_NO_MEMORY(err, sizeof *row);
    row->distance = pattern->at % LIMIT_SECTOR;
    row->key_at = aligned->key_at[index];
    aligned->rows[aligned->row_count++] = row;
    return aligned_row_fill(aligned, row, err);
}

enum err_code match_aligned_open(const struct match_dictionary *dictionary,
                                 struct match_aligned **out, struct err *err)
{
    const size_t size = sizeof(struct match_aligned) +
                        (size_t)LIMIT_SECTOR * ALIGNED_DEPTH *
                            sizeof(struct aligned_row *); /* every row there can be */
    const uint32_t count = match_dictionary_count(dictionary);
    struct match_aligned *aligned = NULL;
    enum err_code rc = ERR_OK;

    *out = NULL;
    for (uint32_t i = 0; i < count && aligned == NULL; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_SECTOR_ALIGNED) {
            aligned = calloc(1, size);
            if (aligned == NULL)
                return ERR_NO_MEMORY(err, size);
        }
    if (aligned == NULL)
        return ERR_OK;
    aligned->dictionary = dictionary;
    aligned->key_at = calloc(count, 1);
    aligned->starts = calloc(count, sizeof *aligned->starts);
    if (aligned->key_at == NULL || aligned->starts == NULL) {
        match_aligned_close(aligned);
        return ERR_NO_MEMORY(err, count * sizeof *aligned->starts);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_SECTOR_ALIGNED)
            continue;
        aligned->key_at[i] = (uint8_t)aligned_key_at(pattern);
        aligned->starts[i] = aligned_start(pattern, i);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_SECTOR_ALIGNED)
            rc = aligned_add_row(aligned, i, err);
    if (rc == ERR_OK)
        rc = aligned_sieve_open(aligned, err);
    if (rc != ERR_OK) {
        match_aligned_close(aligned);
        return rc;
    }
    *out = aligned;
    return ERR_OK;
}

void match_aligned_close(struct match_aligned *aligned)
{
    for (uint32_t i = 0; aligned != NULL && i < aligned->row_count; i++) {
        if (aligned->rows[i] != NULL) {
            free(aligned->rows[i]->first);
            free(aligned->rows[i]->patterns);
        }
        free(aligned->rows[i]);
    }
    if (aligned != NULL) {
        free(aligned->key_at);
        free(aligned->starts);
        free(aligned->sieve);
        free(aligned->wide);
        free(aligned->members);
    }
    free(aligned);
}
