/* SPDX-License-Identifier: Apache-2.0
 * match/dictionary.c - see dictionary.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "match/dictionary.h"
#include "match/regex.h"

/* Patterns are kept in blocks of so many, their bytes in blocks of so many. */
enum { DICTIONARY_PATTERNS = 1024, DICTIONARY_BYTES = 60 * 1024 };

/* All that LIMIT_PATTERN_COUNT patterns can come to; the bytes of one lie in one block. */
#define DICTIONARY_BYTES_MAX                                                                       \
    ((size_t)LIMIT_PATTERN_COUNT *                                                                 \
     (sizeof(struct match_pattern) + 2 * LIMIT_PATTERN_LEN + 2 * (LIMIT_PATTERN_LEN / 64 + 1)))

struct match_dictionary {
    struct arena arena;            /* the blocks */
    struct match_pattern **blocks; /* of patterns, room for [capacity] */
    uint32_t count, capacity;
    uint32_t carry;
    struct match_finder finder; /* scan NULL: none */
    uint8_t *bytes;             /* of the newest block of bytes: what is left of it */
    size_t left;
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
    free(dictionary->blocks);
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
    if (dictionary->count % DICTIONARY_PATTERNS != 0)
        return ERR_OK;

    const uint32_t block = dictionary->count / DICTIONARY_PATTERNS;
    if (block == dictionary->capacity) {
        const uint32_t capacity = block == 0 ? 16 : block * 2;
        void *grown = realloc(dictionary->blocks, capacity * sizeof *dictionary->blocks);

        if (grown == NULL)
            return ERR_NO_MEMORY(err, capacity * sizeof *dictionary->blocks);
        dictionary->blocks = grown;
        dictionary->capacity = capacity;
    }
    const size_t size = DICTIONARY_PATTERNS * sizeof **dictionary->blocks;
    dictionary->blocks[block] = arena_alloc(&dictionary->arena, size);
    return dictionary->blocks[block] != NULL ? ERR_OK : ERR_NO_MEMORY(err, size);
}

/* A copy of len bytes, one behind the other; NULL: no memory. */
static const uint8_t *dictionary_copy(struct match_dictionary *dictionary, const uint8_t *bytes,
                                      size_t len)
{
    if (dictionary->left < len) {
        const size_t size = len > DICTIONARY_BYTES ? len : DICTIONARY_BYTES;
        uint8_t *block = arena_alloc(&dictionary->arena, size);

        if (block == NULL)
            return NULL;
        dictionary->bytes = block;
        dictionary->left = size;
    }
    uint8_t *copy = dictionary->bytes;
    memcpy(copy, bytes, len);
    dictionary->bytes += len;
    dictionary->left -= len;
    return copy;
}

enum err_code match_dictionary_add(struct match_dictionary *dictionary,
                                   const struct match_pattern *pattern, uint32_t *index,
                                   struct err *err)
{
    const bool masked = pattern->kind != MATCH_REGEX && pattern->mask != NULL;
    enum err_code rc = dictionary_check(pattern, err);
    if (rc == ERR_OK)
        rc = dictionary_grow(dictionary, err);
    if (rc != ERR_OK)
        return rc;

    const uint8_t *bytes = dictionary_copy(dictionary, pattern->bytes, pattern->len);
    const uint8_t *mask = masked ? dictionary_copy(dictionary, pattern->mask, pattern->len) : NULL;
    if (bytes == NULL || (masked && mask == NULL))
        return ERR_NO_MEMORY(err, pattern->len);
    struct match_pattern *copy = &dictionary->blocks[dictionary->count / DICTIONARY_PATTERNS]
                                                    [dictionary->count % DICTIONARY_PATTERNS];
    *copy = *pattern;
    copy->bytes = bytes;
    copy->mask = mask;

    const uint32_t longest = pattern->kind == MATCH_REGEX   ? LIMIT_REGEX_MATCH_LEN
                             : pattern->kind == MATCH_FOUND ? 1 /* see match_dictionary_find */
                                                            : pattern->len;
    if (dictionary->carry < longest - 1)
        dictionary->carry = longest - 1;
    *index = dictionary->count++;
    return ERR_OK;
}

void match_dictionary_find(struct match_dictionary *dictionary, const struct match_finder *finder)
{
    const uint32_t carry = finder->before + LIMIT_REGEX_MATCH_LEN - 1;

    dictionary->finder = *finder;
    if (dictionary->carry < carry)
        dictionary->carry = carry;
}

const struct match_finder *match_dictionary_finder(const struct match_dictionary *dictionary)
{
    return dictionary->finder.scan != NULL ? &dictionary->finder : NULL;
}

size_t match_dictionary_bytes(const struct match_dictionary *dictionary)
{
    return dictionary->arena.used + dictionary->capacity * sizeof *dictionary->blocks;
}

uint32_t match_dictionary_count(const struct match_dictionary *dictionary)
{
    return dictionary->count;
}

const struct match_pattern *match_dictionary_get(const struct match_dictionary *dictionary,
                                                 uint32_t index)
{
    return &dictionary->blocks[index / DICTIONARY_PATTERNS][index % DICTIONARY_PATTERNS];
}

uint32_t match_dictionary_carry(const struct match_dictionary *dictionary)
{
    return dictionary->carry;
}
