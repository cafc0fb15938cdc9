/* SPDX-License-Identifier: Apache-2.0
 * carver/select/types.h - `--types jpg,docx,all`: what the words mean, to a scan and to those who
 * choose among its objects.
 *
 * A word is the name of a signature or of its family (`jpg` and `jpeg`: all its types are wanted),
 * or the name or extension of a type that a family tells apart: `docx` looks for the headers of the
 * ZIP family, but only its docx objects are wanted; or the name of a category: `pictures` stands
 * for the types that signatures/category.h calls so, but a scan does not look for those of them
 * that are off by default. All that a word can mean is taken. "default" is what a scan without
 * words looks for; "all" adds those that are off by default. Words are comma-separated and compared
 * without regard to case.
 */
#ifndef BURIN_CARVER_SELECT_TYPES_H
#define BURIN_CARVER_SELECT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "db/case.h"
#include "signatures/sig.h"

struct types_selection {
    const struct sig *
        *sigs;       /* the chosen ones, in the order of sig_builtin; owned by the selection */
    uint64_t *types; /* for each: bit i is set when its type i is wanted */
    uint32_t count;
};

/*
 * list NULL: all but SIG_OFF. ERR_ARG names the unknown word and what comes near it; ERR_ENV no
 * memory. On an error *out needs no release.
 */
ERR_MUST_CHECK enum err_code types_select(const char *list, struct types_selection *out,
                                          struct err *err);
void types_release(struct types_selection *selection); /* of a zeroed selection: a no-op */

/* Whether an object of this signature that its validator calls `type` (NULL: the signature's first)
 * is wanted. */
bool types_wanted(const struct types_selection *selection, const struct sig *sig,
                  const struct sig_type *type);

/* The words as a choice among objects, which have a type and an extension. Zeroed: all objects. */
struct types_filter {
    char *text;         /* the words, each with a NUL behind it */
    const char **names; /* of wanted types: what the words mean, and the words too; sorted */
    const char **words; /* the words alone, which may be extensions; sorted */
    uint32_t name_count, word_count;
    bool all;
};

/*
 * ERR_ARG for a list with an empty word: what can be said before there is a case file. list NULL is
 * right.
 */
ERR_MUST_CHECK enum err_code types_check(const char *list, struct err *err);

/*
 * list NULL: all objects; db NULL: built-in names alone. A word is also right when an object of the
 * case has that type or extension, or one of its scans looked for it, since rules of a
 * configuration file have names of their own. Errors as for types_select, and those of the case
 * file. On an error *out needs no close.
 */
ERR_MUST_CHECK enum err_code types_filter_open(const char *list, struct db_case *db,
                                               struct types_filter *out, struct err *err);
void types_filter_close(struct types_filter *filter); /* of a zeroed filter: a no-op */

bool types_filter_has(const struct types_filter *filter, const char *type, const char *extension);

#endif
