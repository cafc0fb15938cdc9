/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/texts.c - see texts.h. */
#include "carver/plan/texts.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_SLOTS = 2 * TEXTS_MAX };

void texts_release(struct texts *texts)
{
    if (texts->slots != NULL)
        arena_release(&texts->arena);
    free(texts->slots);
    *texts = (struct texts){ 0 };
}

/* By eight bytes at a time, the last ones of them perhaps twice. */
static uint64_t texts_hash(const char *text, size_t len)
{
    uint64_t hash = len, word = 0;

    if (len < sizeof word)
        memcpy(&word, text, len);
    for (size_t at = 0; at + sizeof word <= len; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    if (len >= sizeof word)
        memcpy(&word, text + len - sizeof word, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 40; /* the top bits depend on all others */
}

const char *texts_keep(struct texts *texts, const char *text, size_t len)
{
    if (len >= TEXTS_LEN)
        return NULL;
    if (texts->slots == NULL) {
        texts->slots = calloc(TEXTS_SLOTS, sizeof *texts->slots);
        if (texts->slots == NULL)
            return NULL;
        arena_init(&texts->arena, TEXTS_BYTES);
    }
    uint32_t at = (uint32_t)(texts_hash(text, len) % TEXTS_SLOTS);
    for (; texts->slots[at] != NULL; at = (at + 1) % TEXTS_SLOTS)
        if (strncmp(texts->slots[at], text, len) == 0 && texts->slots[at][len] == '\0')
            return texts->slots[at];
    if (texts->count == TEXTS_MAX)
        return NULL;
    const char *kept = arena_copy(&texts->arena, text, len);
    texts->slots[at] = kept;
    texts->count += kept != NULL;
    return kept;
}
