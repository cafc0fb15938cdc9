/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/texts.c - see texts.h. A hash table with open addresses holds the numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/print_safe.h"
#include "carver/report/html/texts.h"

enum { TEXTS_FIRST = 1024, TEXTS_TEXT_FIRST = 64 * 1024 };

/* FNV-1a, 32 bits. */
static uint32_t texts_hash(const char *text, size_t len)
{
    uint32_t hash = 0x811c9dc5u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x01000193u;
    return hash;
}

const char *texts_text(const struct texts *texts, uint32_t number, size_t *len)
{
    *len = texts->at[number + 1] - texts->at[number];
    return texts->text + texts->at[number];
}

/* The slot that holds the number of the text + 1, or the free one (0) where it belongs. */
static uint32_t *texts_slot(const struct texts *texts, const char *text, size_t len)
{
    size_t at = texts_hash(text, len) & (texts->slot_count - 1);

    for (; texts->slots[at] != 0; at = (at + 1) & (texts->slot_count - 1)) {
        size_t have;
        const char *other = texts_text(texts, texts->slots[at] - 1, &have);

        if (have == len && memcmp(other, text, len) == 0)
            break;
    }
    return &texts->slots[at];
}

static enum err_code texts_grow_slots(struct texts *texts, struct err *err)
{
    const size_t count = texts->slot_count == 0 ? TEXTS_FIRST : 2 * texts->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return ERR_NO_MEMORY(err, count * sizeof *slots);
    free(texts->slots);
    texts->slots = slots;
    texts->slot_count = count;
    for (uint32_t i = 0; i < texts->count; i++) {
        size_t len;
        const char *text = texts_text(texts, i, &len);

        *texts_slot(texts, text, len) = i + 1;
    }
    return ERR_OK;
}

/* Room for one more text of so many bytes. */
static enum err_code texts_grow(struct texts *texts, size_t len, struct err *err)
{
    if (len > TEXTS_MAX - texts->used)
        return ERR_RAISE(err, ERR_FULL,
                         "the texts of the objects have more than %d bytes; choose fewer objects",
                         TEXTS_MAX);
    if (texts->text == NULL || texts->used + len > texts->room) {
        size_t room = texts->room == 0 ? TEXTS_TEXT_FIRST : texts->room;

        while (room < texts->used + len)
            room *= 2;
        char *text = realloc(texts->text, room);
        if (text == NULL)
            return ERR_NO_MEMORY(err, room);
        texts->text = text;
        texts->room = room;
    }
    if (texts->count + 2 > texts->at_room) {
        const size_t room = texts->at_room == 0 ? TEXTS_FIRST : 2 * texts->at_room;
        uint32_t *at = realloc(texts->at, room * sizeof *at);

        if (at == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *at);
        texts->at = at;
        texts->at_room = room;
        texts->at[texts->count] = (uint32_t)texts->used;
    }
    return 2 * (texts->count + 1) >= texts->slot_count ? texts_grow_slots(texts, err) : ERR_OK;
}

static enum err_code texts_add(struct texts *texts, const char *text, size_t len, uint32_t *out,
                               struct err *err)
{
    const enum err_code rc = texts_grow(texts, len, err);

    if (rc != ERR_OK)
        return rc;
    uint32_t *slot = texts_slot(texts, text, len);
    if (*slot == 0) {
        memcpy(texts->text + texts->used, text, len);
        texts->used += len;
        texts->at[++texts->count] = (uint32_t)texts->used;
        *slot = (uint32_t)texts->count;
    }
    *out = *slot - 1;
    return ERR_OK;
}

/* Most texts stay as they are. */
static bool texts_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] >= 0x7f || text[i] == '\\')
            return false;
    return true;
}

enum err_code texts_put(struct texts *texts, const char *text, uint32_t *out, struct err *err)
{
    const size_t len = strlen(text), room = 4 * len + 1;
    enum err_code rc = texts->count == 0 ? texts_add(texts, "", 0, out, err) : ERR_OK;

    if (rc != ERR_OK || texts_plain(text, len))
        return rc == ERR_OK ? texts_add(texts, text, len, out, err) : rc;
    if (room > texts->safe_room) {
        char *safe = realloc(texts->safe, room);

        if (safe == NULL)
            return ERR_NO_MEMORY(err, room);
        texts->safe = safe;
        texts->safe_room = room;
    }
    FILE *memory = fmemopen(texts->safe, texts->safe_room, "w");
    if (memory == NULL)
        return ERR_NO_MEMORY(err, room);
    print_safe(memory, text);
    (void)fclose(memory);
    return texts_add(texts, texts->safe, strnlen(texts->safe, room - 1), out, err);
}

void texts_close(struct texts *texts)
{
    free(texts->text);
    free(texts->at);
    free(texts->slots);
    free(texts->safe);
    *texts = (struct texts){ 0 };
}
