/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/match/bench_match_made.c - patterns and words made from numbers: the same ones
 * everywhere, with nothing to install.
 *
 * Words have a rank, and made text uses them by it as people use theirs (each further power of two
 * of ranks as often as the one before it), so that a list of keywords occurs in made text about as
 * often as real lists do in real text.
 */
#include <string.h>

#include "carver/bench/match/bench_match.h"

enum { MADE_SNORT_COUNT = 1998, MADE_SNORT_LEN_MAX = 243, MADE_COMMON = 1024 };

uint32_t bench_word(uint32_t rank, char out[BENCH_WORD_MAX])
{
    static const char syllables[64][4] = {
        "ba", "con", "de",  "ter", "ri", "lo", "men", "ta",  "si", "ver", "no",  "per", "li",
        "ca", "for", "ma",  "in",  "re", "ex", "pro", "tu",  "mo", "na",  "dis", "ge",  "pla",
        "st", "te",  "un",  "com", "ve", "co", "mi",  "se",  "la", "tra", "sub", "pa",  "me",
        "ti", "ro",  "bi",  "ar",  "ne", "fi", "an",  "sto", "da", "en",  "ra",  "po",  "le",
        "ch", "th",  "ous", "al",  "be", "di", "or",  "qui", "ap", "so",  "gra", "w",
    };
    static const char endings[8][5] = { "", "s", "ed", "ing", "er", "ly", "tion", "ment" };
    const uint32_t bits = rank < 64 ? 6 : rank < 4096 ? 12 : 18;
    uint32_t number =
        (rank * 0x2c1b3c6du + 12345) & ((1u << bits) - 1); /* a permutation of the ranks */
    size_t len = 0;

    for (uint32_t used = 0; used < bits; used += 6, number >>= 6) {
        const char *syllable = syllables[number & 63];

        memcpy(out + len, syllable, strlen(syllable));
        len += strlen(syllable);
    }
    if (rank >= MADE_COMMON) {
        const char *ending = endings[(rank * 0x9e3779b9u) >> 29];

        memcpy(out + len, ending, strlen(ending));
        len += strlen(ending);
    }
    return (uint32_t)len;
}

enum err_code bench_made_keywords(struct bench_dictionary *dictionary, uint32_t count,
                                  bool fold_case, struct err *err)
{
    const uint32_t ranks =
        BENCH_WORD_RANKS - MADE_COMMON; /* 2^10 * 3 * 5 * 17, so a prime beyond steps through all */
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        char word[BENCH_WORD_MAX];
        const uint32_t len =
            bench_word(MADE_COMMON + (uint32_t)((uint64_t)i * 104729 % ranks), word);

        rc = bench_dictionary_add(dictionary, (const uint8_t *)word, NULL, len, fold_case, err);
    }
    return rc;
}

enum err_code bench_made_random(struct bench_dictionary *dictionary, uint32_t count, uint32_t len,
                                struct err *err)
{
    uint64_t state = bench_seed(len);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        uint8_t bytes[LIMIT_PATTERN_LEN];

        for (uint32_t k = 0; k < len; k++)
            bytes[k] = (uint8_t)bench_random(&state);
        rc = bench_dictionary_add(dictionary, bytes, NULL, len, false, err);
    }
    return rc;
}

/* A few very short ones, most of some ten bytes, few long ones. */
static uint32_t made_snort_len(uint32_t number, uint64_t *state)
{
    const uint32_t kind = bench_random(state) % 100, r = bench_random(state);

    if (number == MADE_SNORT_COUNT - 1)
        return MADE_SNORT_LEN_MAX;
    if (number < 54)
        return number < 4 ? 1 : number < 24 ? 2 : 3;
    return kind < 70 ? 4 + r % 13 : kind < 95 ? 8 + r % 41 : 30 + r % (MADE_SNORT_LEN_MAX - 30);
}

/* Text as in a request or a command: words with signs between them. */
static void made_snort_text(uint8_t *bytes, uint32_t len, uint64_t *state)
{
    static const char signs[16] = "/.?=&:-_ /.%\"<|@";

    for (uint32_t at = 0; at < len;) {
        char word[BENCH_WORD_MAX];
        uint32_t word_len = bench_word(bench_random(state) % BENCH_WORD_RANKS, word);

        word_len = word_len < len - at ? word_len : len - at;
        memcpy(bytes + at, word, word_len);
        at += word_len;
        if (at < len)
            bytes[at++] = (uint8_t)signs[bench_random(state) % sizeof signs];
    }
}

/* Codes and numbers; the short ones of bytes that are not everywhere, as rules have them. */
static void made_snort_binary(uint8_t *bytes, uint32_t len, uint64_t *state)
{
    for (uint32_t i = 0; i < len; i++) {
        const uint32_t r = bench_random(state);

        bytes[i] = (uint8_t)(len < 4 || i == 0 ? 0x80 | (r >> 8 & 0x7f)
                             : r % 5 == 0      ? 0
                             : r % 5 == 1      ? r >> 8 & 15
                                               : r >> 8);
    }
}

enum err_code bench_made_snort(struct bench_dictionary *dictionary, struct err *err)
{
    uint64_t state = bench_seed(MADE_SNORT_COUNT);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < MADE_SNORT_COUNT; i++) {
        uint8_t bytes[LIMIT_PATTERN_LEN];
        const uint32_t len = made_snort_len(i, &state), kind = bench_random(&state) % 10;

        if (kind < 6 && len > 2)
            made_snort_text(bytes, len, &state);
        else
            made_snort_binary(bytes, len, &state);
        rc = bench_dictionary_add(dictionary, bytes, NULL, len, kind < 3, err);
    }
    return rc;
}
