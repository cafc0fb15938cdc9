/* match/dictionary.c - see dictionary.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "match/dictionary.h"
#include "match/regex.h"

/* Every pattern at its longest, its mask and its record: what LIMIT_PATTERN_COUNT can come to. */
enum { DICTIONARY_BYTES_MAX = LIMIT_PATTERN_COUNT * (2 * (LIMIT_PATTERN_LEN + 17) + 64) };

struct match_dictionary {
    struct arena arena;                    /* patterns and their bytes */
    const struct match_pattern **patterns; /* [count], room for [capacity] */
    uint32_t count, capacity;
    uint32_t carry;
};

enum err_code match_dictionary_create(struct match_dictionary **out, struct err *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, sizeof **out);
    arena_init(&(*out)->arena, DICTIONARY_BYTES_MAX);
    return ERR_OK;
}

void match_dictionary_destroy(struct match_dictionary *dictionary)
{
    if (dictionary == NULL)
        return;
    arena_release(&dictionary->arena);
    free(dictionary->patterns);
    free(dictionary);
}

static enum err_code dictionary_check(const struct match_pattern *pattern, struct err *err)
{
    uint32_t at;

    if (pattern->len == 0)
        return ERR_RAISE(err, ERR_INPUT, "a pattern is empty: it would match everywhere");
    if (pattern->len > LIMIT_PATTERN_LEN)
        return ERR_RAISE(err, ERR_INPUT,
                         "a pattern of %u bytes is too long: the limit is %d; shorten it",
                         pattern->len, LIMIT_PATTERN_LEN);
    if (pattern->kind == MATCH_REGEX)
        return match_regex_check(pattern, &at, err);
    if (pattern->mask == NULL)
        return ERR_OK;
    for (uint32_t i = 0; i < pattern->len; i++)
        if (pattern->mask[i] != 0)
            return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "a pattern of %u bytes is made of wildcards alone: it would match everywhere",
                     pattern->len);
}

static enum err_code dictionary_grow(struct match_dictionary *dictionary, struct err *err)
{
    if (dictionary->count == LIMIT_PATTERN_COUNT)
        return ERR_RAISE(err, ERR_FULL,
                         "more than %d patterns: split the dictionary and scan once for each part",
                         LIMIT_PATTERN_COUNT);
    if (dictionary->count < dictionary->capacity)
        return ERR_OK;

    const uint32_t capacity = dictionary->capacity == 0 ? 64 : dictionary->capacity * 2;
    void *grown = realloc(dictionary->patterns, capacity * sizeof *dictionary->patterns);
    if (grown == NULL)
        return ERR_NO_MEMORY(err, capacity * sizeof *dictionary->patterns);
    dictionary->patterns = grown;
    dictionary->capacity = capacity;
    return ERR_OK;
}

enum err_code match_dictionary_add(struct match_dictionary *dictionary,
                                   const struct match_pattern *pattern, uint32_t *index,
                                   struct err *err)
{
    enum err_code rc = dictionary_check(pattern, err);
    if (rc == ERR_OK)
        rc = dictionary_grow(dictionary, err);
    if (rc != ERR_OK)
        return rc;

    struct match_pattern *copy = arena_alloc(&dictionary->arena, sizeof *copy);
    const char *bytes = arena_copy(&dictionary->arena, pattern->bytes, pattern->len);
    const char *mask = NULL;
    if (pattern->kind != MATCH_REGEX && pattern->mask != NULL) {
        mask = arena_copy(&dictionary->arena, pattern->mask, pattern->len);
        if (mask == NULL)
            return ERR_NO_MEMORY(err, pattern->len);
    }
    if (copy == NULL || bytes == NULL)
        return ERR_NO_MEMORY(err, sizeof *copy + pattern->len);
    *copy = *pattern;
    copy->bytes = (const uint8_t *)bytes;
    copy->mask = (const uint8_t *)mask;

    const uint32_t longest = pattern->kind == MATCH_REGEX ? LIMIT_REGEX_MATCH_LEN : pattern->len;
    if (dictionary->carry < longest - 1)
        dictionary->carry = longest - 1;
    *index = dictionary->count;
    dictionary->patterns[dictionary->count++] = copy;
    return ERR_OK;
}

uint32_t match_dictionary_count(const struct match_dictionary *dictionary)
{
    return dictionary->count;
}

const struct match_pattern *match_dictionary_get(const struct match_dictionary *dictionary,
                                                 uint32_t index)
{
    return dictionary->patterns[index];
}

uint32_t match_dictionary_carry(const struct match_dictionary *dictionary)
{
    return dictionary->carry;
}
