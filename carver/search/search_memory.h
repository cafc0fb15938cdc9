/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_memory.h - what a search for a long list of words takes of memory: said, and
 * seen to be there, before it begins.
 */
#ifndef BURIN_CARVER_SEARCH_SEARCH_MEMORY_H
#define BURIN_CARVER_SEARCH_SEARCH_MEMORY_H

#include <stddef.h>

#include "base/err.h"
#include "carver/keyword/keyword.h"
#include "carver/scan/scan_how.h"

enum {
    SEARCH_LONG = 100000, /* patterns: fewer take less than a program usually does */
    SEARCH_MEMORY_NOTE = 320,
};

/*
 * One line for people, "1000000 keywords in 2 encodings make 2000000 patterns; ...", in note; ""
 * for a list that is not long. Errors: ERR_ENV: there is not so much memory; says what to do.
 */
ERR_MUST_CHECK enum err_code search_memory(const struct keyword_set *keywords,
                                           const struct patterns *patterns,
                                           const struct scan_how *how,
                                           char note[SEARCH_MEMORY_NOTE], struct err *err);

#endif
