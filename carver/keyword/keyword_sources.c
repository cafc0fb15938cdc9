/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_sources.c - see keyword_sources.h. */
#include "carver/keyword/keyword_sources.h"

bool keyword_source_is_file(enum keyword_source_kind kind)
{
    return kind == KEYWORD_FILE || kind == KEYWORD_REGEX_FILE;
}

static enum err_code sources_add(struct keyword_set *set, const struct keyword_source *source,
                                 struct err *err)
{
    switch (source->kind) {
    case KEYWORD_FILE:
        return keyword_add_file(set, source->value, keyword_add, err);
    case KEYWORD_HEX:
        return keyword_add_hex(set, source->value, err);
    case KEYWORD_REGEX:
        return keyword_add_regex(set, source->value, err);
    case KEYWORD_REGEX_FILE:
        return keyword_add_file(set, source->value, keyword_add_regex, err);
    default:
        return keyword_add(set, source->value, err);
    }
}

enum err_code keyword_sources_read(const struct keyword_sources *sources, struct keyword_set *out,
                                   struct err *err)
{
    enum err_code rc = keyword_set_open(sources->encodings, sources->ignore_case, out, err);

    for (uint32_t i = 0; rc == ERR_OK && i < sources->count; i++)
        rc = sources_add(out, &sources->items[i], err);
    if (rc == ERR_OK && sources->packs != 0)
        rc = keyword_add_features(out, sources->packs, err);
    return rc;
}
