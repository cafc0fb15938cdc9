/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/crowd.c - see crowd.h.
 *
 * Patterns of a class are at least as long as a key of so many bytes at their begin, or at their
 * end. Bits that some pattern of the class masks are left out of the keys of all. So patterns that
 * match at the same place have the same key, and keys are counted by hash.
 */
#include <stdlib.h>
#include <string.h>

#include "match/pattern/crowd.h"
#include "match/pattern/literals.h"

enum {
    CROWD_BITS_MIN = 8, /* of a hash */
    CROWD_BITS_MAX = 16,
    CROWD_SPARE = 4, /* more bits than number the patterns */
    CROWD_KEY = 16,
};

static const uint8_t crowd_keys[] = { 1, 2, 3, 4, 6, 8, 12, CROWD_KEY }; /* bytes, by class */
enum { CROWD_CLASSES = sizeof crowd_keys / sizeof crowd_keys[0] };

struct crowd {
    uint8_t masks[CROWD_CLASSES][CROWD_KEY]; /* bits that no pattern of the class masks */
    uint32_t bits;    /* of a hash: 16 times as many as there are patterns, up to the most */
    uint32_t *counts; /* [CROWD_CLASSES << bits], by class and hash of a key */
    bool ends;        /* keys are at the ends of patterns */
};

static uint32_t crowd_class(uint32_t len)
{
    uint32_t class = 0;

    while (class + 1 < CROWD_CLASSES && crowd_keys[class + 1] <= len)
        class ++;
    return class;
}

/* Where the key begins in a pattern. */
static uint32_t crowd_at(const struct crowd *crowd, const struct match_pattern *pattern,
                         uint32_t class)
{
    return crowd->ends ? pattern->len - crowd_keys[class] : 0;
}

static void crowd_mask(struct crowd *crowd, const struct match_pattern *pattern)
{
    const uint32_t class = crowd_class(pattern->len), at = crowd_at(crowd, pattern, class);

    for (uint32_t i = 0; i < crowd_keys[class]; i++)
        crowd->masks[class][i] &= match_pattern_mask(pattern, at + i);
}

static uint32_t crowd_hash(const struct crowd *crowd, const struct match_pattern *pattern)
{
    const uint32_t class = crowd_class(pattern->len), at = crowd_at(crowd, pattern, class);
    uint8_t key[CROWD_KEY] = { 0 };
    uint64_t words[2];

    for (uint32_t i = 0; i < crowd_keys[class]; i++)
        key[i] = pattern->bytes[at + i] & crowd->masks[class][i];
    memcpy(words, key, sizeof words);
    return (uint32_t)((words[0] * 0x9e3779b97f4a7c15u ^ (words[1] + 1) * 0xc2b2ae3d27d4eb4fu) *
                          0xd6e8feb86659fd93u >>
                      (64 - crowd->bits));
}

/* The most literals at one place: of each class those with the commonest key. */
static uint32_t crowd_most(struct crowd *crowd, const struct match_dictionary *dictionary)
{
    const uint32_t patterns = match_dictionary_count(dictionary);
    uint32_t commonest[CROWD_CLASSES] = { 0 }, most = 0;

    memset(crowd->masks, 0xff, sizeof crowd->masks);
    memset(crowd->counts, 0, (sizeof *crowd->counts * CROWD_CLASSES) << crowd->bits);
    for (uint32_t i = 0; i < patterns; i++)
        if (match_dictionary_get(dictionary, i)->kind == MATCH_LITERAL)
            crowd_mask(crowd, match_dictionary_get(dictionary, i));
    for (uint32_t i = 0; i < patterns; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);
        const uint32_t class = crowd_class(pattern->len);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        const uint32_t count = ++crowd->counts[class << crowd->bits | crowd_hash(crowd, pattern)];
        commonest[class] = count > commonest[class] ? count : commonest[class];
    }
    for (uint32_t class = 0; class < CROWD_CLASSES; class ++)
        most += commonest[class];
    return most;
}

enum err_code match_crowd(const struct match_dictionary *dictionary, struct match_crowd *out,
                          struct err *err)
{
    struct crowd crowd = { .bits = CROWD_BITS_MIN };

    while (crowd.bits < CROWD_BITS_MAX &&
           match_dictionary_count(dictionary) >> (crowd.bits - CROWD_SPARE) != 0)
        crowd.bits++;
    const size_t size = (sizeof *crowd.counts * CROWD_CLASSES) << crowd.bits;
    crowd.counts = malloc(size);
    if (crowd.counts == NULL)
        return ERR_NO_MEMORY(err, size);
    out->begin = crowd_most(&crowd, dictionary);
    crowd.ends = true;
    out->end = crowd_most(&crowd, dictionary);
    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++)
        out->begin += match_dictionary_get(dictionary, i)->kind != MATCH_LITERAL;
    free(crowd.counts);
    return ERR_OK;
}
