/* carver/known_word.h - what sets of known files say about an object, as list, carve and the reports call it. */
#ifndef BURIN_CARVER_KNOWN_WORD_H
#define BURIN_CARVER_KNOWN_WORD_H

#include "db/case.h"

const char *known_word(enum db_known known); /* "unchecked", "unknown", "known", "good", "bad" */

/* ERR_ARG unless each word of a comma-separated list is one of those. list NULL is right. */
ERR_MUST_CHECK enum err_code known_words_check(const char *option, const char *list, struct err *err);

#endif
