/* SPDX-License-Identifier: Apache-2.0
 * match/model/words_model.c - see words_model.h. */
#include <stdlib.h>
#include <string.h>

#include "match/model/byte_kind.h"
#include "match/model/words_model.h"

enum {
    MODEL_BIT = 16,             /* rarity is counted in sixteenths of a bit */
    MODEL_DOUBLE_ONE = 1023,    /* exponent of 1 in a double of IEEE 754, */
    MODEL_DOUBLE_FRACTION = 52, /* and bits of its fraction */
};

void words_shares(double shares[256])
{
    static const double weights[BYTE_KINDS] = {
        [BYTE_ZERO] = 900, [BYTE_ONES] = 80, [BYTE_COMMON] = 50,
        [BYTE_OFTEN] = 25, [BYTE_LOW] = 10,  [BYTE_HIGH] = 7,
    };
    double sum = 0;

    for (uint32_t i = 0; i < 256; i++)
        sum += shares[i] = weights[byte_kind((uint8_t)i)];
    for (uint32_t i = 0; i < 256; i++)
        shares[i] /= sum;
}

static bool model_is_letter(uint32_t byte)
{
    return byte >= 'a' && byte <= 'z';
}

/* Bits of surprise, in sixteenths. */
static uint16_t model_rarity(double chance)
{
    const double scaled = chance * 4294967296.0;
    const uint64_t whole = scaled < 1 ? 1 : (uint64_t)scaled;
    const uint32_t log = 63 - (uint32_t)__builtin_clzll(whole);

    return (uint16_t)(32 * MODEL_BIT -
                      (log * MODEL_BIT + (uint32_t)(whole * MODEL_BIT >> log) - MODEL_BIT));
}

/* Powers of two are made of their exponents: a long list asks for tens of millions of them. */
static double model_chance(uint32_t rarity)
{
    const uint32_t halvings = rarity / MODEL_BIT;
    const uint64_t exponent =
        MODEL_DOUBLE_ONE - (halvings < MODEL_DOUBLE_ONE ? halvings : MODEL_DOUBLE_ONE - 1);
    const uint64_t bits = exponent << MODEL_DOUBLE_FRACTION;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power * (1.0 - (double)(rarity % MODEL_BIT) / (2 * MODEL_BIT));
}

/* What follows a byte where the dictionary does not say: the same once more in a run; in text, a
 * letter. */
static double model_prior(const double shares[256], double letters, uint32_t byte, uint32_t next)
{
    if (model_is_letter(byte))
        return model_is_letter(next) ? 0.8 * shares[next] / letters
                                     : 0.2 * shares[next] / (1 - letters);
    const double run = byte == 0 ? 0.85 : byte == 0xff || byte == ' ' ? 0.4 : 0.02;
    return byte == next ? run : (1 - run) * shares[next] / (1 - shares[byte]);
}

/* Fills hold; pairs[a][b] counts b behind a. */
static void model_hold(struct words_model *model, const uint32_t (*pairs)[256],
                       const double shares[256])
{
    double counts[256] = { 0 }, sum = 1;

    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = 0; b < 256; b++) {
            counts[b] += pairs[a][b];
            sum += pairs[a][b];
        }
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        double none = 1 - counts[byte] / sum;

        for (uint32_t i = 0; i < WORDS_MODEL_COUNTS; i++) {
            model->hold[i] += byte == words_small((uint8_t)byte) ? shares[byte] * (1 - none) : 0;
            none *= none;
        }
    }
}

enum err_code words_model_init(struct words_model *model, const struct match_dictionary *dictionary,
                               struct err *err)
{
    const double weight = 64; /* of what is known of disks, in pairs of bytes of the dictionary */
    double shares[256], letters = 0;
    uint32_t(*pairs)[256] = calloc(256, sizeof *pairs);

    if (pairs == NULL)
        return ERR_NO_MEMORY(err, 256 * sizeof *pairs);
    *model = (struct words_model){ 0 };
    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        for (uint32_t k = 1; k < pattern->len && pattern->kind == MATCH_LITERAL; k++)
            pairs[words_small(pattern->bytes[k - 1])][words_small(pattern->bytes[k])]++;
    }
    words_shares(shares);
    for (uint32_t a = 'A'; a <= 'Z'; a++)
        letters += shares[a | 0x20] += shares[a];
    for (uint32_t a = 0; a < 256; a++) {
        double sum = 0;

        for (uint32_t b = 0; b < 256; b++)
            sum += pairs[a][b];
        model->first[a] = model_rarity(shares[words_small((uint8_t)a)]);
        for (uint32_t b = 0; b < 256; b++)
            if (pairs[a][b] > 0) /* others are never asked for */
                model->next[a][b] = model_rarity(
                    (pairs[a][b] + weight * model_prior(shares, letters, a, b)) / (sum + weight));
    }
    model_hold(model, (const uint32_t(*)[256])pairs, shares);
    free(pairs);
    return ERR_OK;
}

void words_model_sums(const struct words_model *model, const struct match_pattern *pattern,
                      uint32_t sums[LIMIT_PATTERN_LEN])
{
    sums[0] = 0;
    for (uint32_t i = 1; i < pattern->len; i++)
        sums[i] = sums[i - 1] +
                  model->next[words_small(pattern->bytes[i - 1])][words_small(pattern->bytes[i])];
}

double words_model_chance(const struct words_model *model, const struct match_pattern *pattern,
                          const uint32_t *sums, uint32_t at, uint32_t fingerprint)
{
    return model_chance(model->first[pattern->bytes[at]] + sums[at + fingerprint - 1] - sums[at]);
}
