/* SPDX-License-Identifier: Apache-2.0
 * match/pattern/literals.c - see literals.h. */
#include <stdlib.h>

#include "match/pattern/literals.h"

enum { LITERALS_EXACT = 0xff, LITERALS_LETTER = 0xdf };

static void literals_copy(const struct match_pattern *from, uint32_t index, uint8_t *bytes,
                          struct match_literal *to)
{
    uint8_t *masks = bytes + from->len;

    *to = (struct match_literal){
        .bytes = bytes, .masks = masks, .index = index, .len = from->len, .plain = true
    };
    for (uint32_t i = 0; i < from->len; i++) {
        masks[i] = match_pattern_mask(from, i);
        bytes[i] = from->bytes[i] & masks[i];
        to->plain = to->plain && masks[i] == LITERALS_EXACT;
    }
}

enum err_code match_literals_open(const struct match_dictionary *dictionary,
                                  struct match_literals *out, struct err *err)
{
    const uint32_t all = match_dictionary_count(dictionary);
    size_t size = 1;

    *out = (struct match_literals){ 0 };
    for (uint32_t i = 0; i < all; i++)
        size += 2u * match_dictionary_get(dictionary, i)->len;
    out->items = calloc(all + 1u, sizeof *out->items);
    out->bytes = malloc(size);
    if (out->items == NULL || out->bytes == NULL) {
        match_literals_close(out);
        return ERR_NO_MEMORY(err, size + (all + 1u) * sizeof *out->items);
    }
    uint8_t *next = out->bytes;
    for (uint32_t i = 0; i < all; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        literals_copy(pattern, i, next, &out->items[out->count++]);
        next += 2u * pattern->len;
        if (pattern->len > out->longest)
            out->longest = pattern->len;
    }
    return ERR_OK;
}

void match_literals_close(struct match_literals *literals)
{
    free(literals->items);
    free(literals->bytes);
    *literals = (struct match_literals){ 0 };
}

struct match_run match_literal_run(const struct match_literal *literal, uint32_t max)
{
    struct match_run best = { 0 };
    uint32_t len = 0;

    for (uint32_t i = 0; i < literal->len; i++) {
        const uint8_t byte = literal->bytes[i];
        const bool letter = literal->masks[i] == LITERALS_LETTER && match_other_case(byte) != byte;

        len = literal->masks[i] == LITERALS_EXACT || letter ? len + 1 : 0;
        if (len > best.len)
            best = (struct match_run){ .at = (uint8_t)(i + 1 - len), .len = (uint8_t)len };
    }
    if (best.len > max) {
        best.at = (uint8_t)(best.at + best.len - max);
        best.len = (uint8_t)max;
    }
    for (uint32_t i = best.at; i < best.at + best.len; i++)
        best.letters = best.letters || literal->masks[i] == LITERALS_LETTER;
    return best;
}

void match_literal_fold(uint8_t fold[256])
{
    for (uint32_t byte = 0; byte < 256; byte++)
        fold[byte] = (uint8_t)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
}

bool match_literals_fold(const struct match_dictionary *dictionary, uint8_t fold[256])
{
    bool folds = false;

    for (uint32_t i = 0; i < match_dictionary_count(dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        folds |= pattern->kind == MATCH_LITERAL && pattern->fold_case;
    }
    match_literal_fold(fold);
    for (uint32_t byte = 0; byte < 256 && !folds; byte++)
        fold[byte] = (uint8_t)byte;
    return folds;
}
