/* SPDX-License-Identifier: Apache-2.0
 * carver/keyword/keyword_sources.h - what a search is told to look for, as it was written: words,
 * files of words, bytes, expressions, features. Of it keyword.h makes patterns.
 */
#ifndef BURIN_CARVER_KEYWORD_KEYWORD_SOURCES_H
#define BURIN_CARVER_KEYWORD_KEYWORD_SOURCES_H

#include "carver/keyword/keyword.h"

enum keyword_source_kind {
    KEYWORD_WORD,
    KEYWORD_FILE, /* of words, a line each */
    KEYWORD_HEX,
    KEYWORD_REGEX,
    KEYWORD_REGEX_FILE,
    KEYWORD_KINDS,
};

struct keyword_source {
    enum keyword_source_kind kind;
    const char *value;
};

/* Strings and items stay the caller's; zeroed is none. */
struct keyword_sources {
    const char *encodings; /* of --encoding; NULL: nothing is looked for */
    bool ignore_case;
    uint32_t packs; /* of --features */
    const struct keyword_source *items;
    uint32_t count; /* in the order in which patterns are numbered */
};

bool keyword_source_is_file(enum keyword_source_kind kind);

/* Makes the set of all of them. Errors: those of keyword_set_open and of keyword_add and its like.
 * Close the set in any case. */
ERR_MUST_CHECK enum err_code keyword_sources_read(const struct keyword_sources *sources,
                                                  struct keyword_set *out, struct err *err);

#endif
