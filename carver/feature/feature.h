/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature.h - ready features: addresses, numbers and keys that are looked for by
 * what they are, and not by words.
 *
 *   packs.def ──► packs ──► feature_finder ──► match_finder ──► hit ──► feature_value
 *
 * One pass over the bytes serves all packs: bytes are sorted into classes 64 at a time, the classes
 * say where a feature may stand (feature_masks.h), and there the function of the pack reads the
 * characters around (feature_parts.h) and asks the checks (check.h).
 *
 * A feature is of printable ASCII, as bytes, or each with a zero beside it as in UTF-16. The
 * characters beside it belong to no longer one of its kind: a number of a card is none inside of a
 * longer number.
 *
 * Threads: what is open is read by any number of them.
 */
#ifndef BURIN_CARVER_FEATURE_FEATURE_H
#define BURIN_CARVER_FEATURE_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"

/* FEATURE_EMAIL and so on: one for each line of packs.def. */
enum feature_pack {
#define PACK(id, name, what) FEATURE_##id,
#include "carver/feature/packs.def"
#undef PACK
    FEATURE_PACKS
};

enum {
    FEATURE_LEN_MAX = 500, /* characters of a feature; a longer URL is cut */
    FEATURE_FORMS = 3,     /* bytes, and UTF-16 in both orders of bytes */
    FEATURE_NONE = 0xffffffff,
};

const char *feature_name(enum feature_pack pack); /* "email" */

/*
 * Names of packs with commas between, or "all"; bit n of *packs is pack n. Errors: ERR_ARG, with
 * the names that there are.
 */
ERR_MUST_CHECK enum err_code feature_packs_parse(const char *list, uint32_t *packs,
                                                 struct err *err);

/* How a character of ASCII stands in the bytes: alone, or with a zero before or behind it. */
struct feature_form {
    uint8_t zeros_before, zeros_after; /* 0 or 1, one of them at most */
    uint32_t pattern[FEATURE_PACKS];   /* number in the dictionary; FEATURE_NONE: not looked for */
};

/* What is to be looked for, and where the hits go; the caller fills it. */
struct feature_finder {
    struct feature_form forms[FEATURE_FORMS];
    uint32_t form_count;
};

/* The finder for a dictionary; finder must outlive it. */
struct match_finder feature_match(const struct feature_finder *finder);

/*
 * The feature that the bytes are, which a hit found: as text, without what is only the way in which
 * it is printed. Spaces and dashes of numbers are left out, domains are in small letters, ends of
 * lines are spaces. Returns its length; out gets a NUL too.
 */
uint32_t feature_value(enum feature_pack pack, const uint8_t *bytes, uint32_t len,
                       uint32_t zeros_before, uint32_t zeros_after, char out[FEATURE_LEN_MAX + 1]);

#endif
