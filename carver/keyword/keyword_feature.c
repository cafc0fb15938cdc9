/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_feature.c - ready features to look for: see keyword.h. */
#include <string.h>

#include "carver/keyword/keyword_parts.h"

/* Whether features can be looked for in the encoding: as bytes, or as UTF-16. */
static bool feature_encoding(const struct keyword_encoding *encoding)
{
    return encoding->ascii && encoding->unit <= 2;
}

static bool feature_same_form(const struct keyword *a, const struct keyword *b)
{
    return a->zeros_before == b->zeros_before && a->zeros_after == b->zeros_after;
}

static enum err_code feature_add_encoded(struct keyword_set *set, uint32_t packs,
                                         const struct keyword_encoding *encoding, uint32_t first,
                                         struct err *err)
{
    struct keyword keyword = { .encoding = encoding->name,
                               .feature = true,
                               .zeros_before = encoding->zeros_before,
                               .zeros_after = encoding->zeros_after };
    enum err_code rc = ERR_OK;

    for (uint32_t i = first; i < set->count; i++)
        if (feature_same_form(&set->items[i], &keyword))
            return ERR_OK; /* utf-8 and ascii, for example */
    for (uint32_t pack = 0; pack < FEATURE_PACKS && rc == ERR_OK; pack++) {
        if ((packs >> pack & 1) == 0)
            continue;
        keyword.text = feature_name(pack);
        keyword.bytes = (const uint8_t *)keyword.text;
        keyword.len = (uint32_t)strlen(keyword.text);
        keyword.pack = pack;
        rc = keyword_append(set, set->count, &keyword, err);
    }
    return rc;
}

enum err_code keyword_add_features(struct keyword_set *set, uint32_t packs, struct err *err)
{
    const uint32_t first = set->count;
    enum err_code rc = keyword_count(set, err);

    for (uint32_t i = 0; rc == ERR_OK && i < set->encoding_count; i++)
        if (feature_encoding(&set->encodings[i]))
            rc = feature_add_encoded(set, packs, &set->encodings[i], first, err);
    if (rc == ERR_OK && set->count == first)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--features: they can be looked for in none of the encodings; add utf-8, "
                       "utf-16le or utf-16be to --encoding");
    if (rc == ERR_OK)
        set->finder = arena_alloc(&set->arena, sizeof *set->finder);
    return rc == ERR_OK && set->finder == NULL ? ERR_NO_MEMORY(err, sizeof *set->finder) : rc;
}

/* The form of the keyword, among those that the finder has already, or a new one. */
static struct feature_form *feature_form(struct feature_finder *finder,
                                         const struct keyword *keyword)
{
    for (uint32_t i = 0; i < finder->form_count; i++)
        if (finder->forms[i].zeros_before == keyword->zeros_before &&
            finder->forms[i].zeros_after == keyword->zeros_after)
            return &finder->forms[i];
    struct feature_form *form = &finder->forms[finder->form_count++];
    *form = (struct feature_form){ .zeros_before = keyword->zeros_before,
                                   .zeros_after = keyword->zeros_after };
    for (uint32_t pack = 0; pack < FEATURE_PACKS; pack++)
        form->pattern[pack] = FEATURE_NONE;
    return form;
}

void keyword_find(const struct keyword_set *set, struct match_dictionary *dictionary)
{
    *set->finder = (struct feature_finder){ .form_count = 0 };
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i].feature)
            feature_form(set->finder, &set->items[i])->pattern[set->items[i].pack] = i;
    const struct match_finder finder = feature_match(set->finder);
    match_dictionary_find(dictionary, &finder);
}
