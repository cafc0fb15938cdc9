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

/* FNV-1a, 32 bits: Fowler, Noll, Vo. */
static uint32_t texts_hash(const char *text, size_t len)
{
    uint32_t hash = UINT32_C(0x811c9dc5);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT32_C(0x01000193);
    return hash;
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
    uint32_t at = texts_hash(text, len) % TEXTS_SLOTS;
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
