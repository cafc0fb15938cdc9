/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/words.c - see words.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/mount/words.h"

enum { WORDS_SLOTS_FIRST = 256, WORDS_SLOTS_MAX = 1 << 30 };

void words_init(struct words *words)
{
    *words = (struct words){ 0 };
    arena_init(&words->text, WORDS_TEXT_MAX);
}

void words_close(struct words *words)
{
    arena_release(&words->text);
    free(words->items);
    free(words->slots);
    *words = (struct words){ 0 };
}

/* FNV-1a, 32 bits. */
static uint32_t words_hash(const char *text)
{
    uint32_t hash = 0x811c9dc5;

    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * 0x01000193;
    return hash;
}

/* The slot of the word, or the free one where it belongs. */
static uint32_t *words_slot(const struct words *words, const char *text)
{
    uint32_t at = words_hash(text) & (words->slot_count - 1);

    while (words->slots[at] != 0 && strcmp(words->items[words->slots[at] - 1], text) != 0)
        at = (at + 1) & (words->slot_count - 1);
    return &words->slots[at];
}

static enum err_code words_grow(struct words *words, struct err *err)
{
    const uint32_t count = words->slot_count == 0 ? WORDS_SLOTS_FIRST : 2 * words->slot_count;

    if (count > WORDS_SLOTS_MAX)
        return ERR_RAISE(err, ERR_FULL, "more than %d different names of folders", count / 2);
    uint32_t *slots = calloc(count, sizeof *slots);
    const char **items = realloc(words->items, count / 2 * sizeof *items);
    if (items != NULL)
        words->items = items;
    if (slots == NULL || items == NULL) {
        free(slots);
        return ERR_NO_MEMORY(err, count * sizeof *slots);
    }
    free(words->slots);
    words->slots = slots;
    words->slot_count = count;
    for (uint32_t i = 0; i < words->count; i++)
        *words_slot(words, words->items[i]) = i + 1;
    return ERR_OK;
}

enum err_code words_add(struct words *words, const char *text, uint32_t *number, struct err *err)
{
    const enum err_code rc =
        2 * words->count >= words->slot_count ? words_grow(words, err) : ERR_OK;

    if (rc != ERR_OK)
        return rc;
    uint32_t *slot = words_slot(words, text);
    if (*slot == 0) {
        const char *copy = arena_copy(&words->text, text, strlen(text));

        if (copy == NULL)
            return ERR_NO_MEMORY(err, strlen(text));
        words->items[words->count++] = copy;
        *slot = words->count;
    }
    *number = *slot - 1;
    return ERR_OK;
}
