/*
 * carver/types.h - `--types jpg,docx,all` as a choice among the built-in signatures.
 *
 * A word is the name of a signature or of its family (`jpg` and `jpeg`: all its types are wanted), or the name or extension of a type that
 * a family tells apart: `docx` looks for the headers of the ZIP family, but only its docx objects are wanted. All that a word can mean
 * is taken. "all" adds those that are off by default.
 */
#ifndef BURIN_CARVER_TYPES_H
#define BURIN_CARVER_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "signatures/sig.h"

struct types_selection {
    const struct sig **sigs; /* the chosen ones, in the order of sig_builtin; owned by the selection */
    uint64_t *types;         /* for each: bit i is set when its type i is wanted */
    uint32_t count;
};

/*
 * list: comma-separated, without regard to case; NULL: all but SIG_OFF. ERR_ARG names the unknown word and what comes near it;
 * ERR_ENV no memory. On an error *out needs no release.
 */
ERR_MUST_CHECK enum err_code types_select(const char *list, struct types_selection *out, struct err *err);
void types_release(struct types_selection *selection); /* of a zeroed selection: a no-op */

/* Whether an object of this signature that its checker calls `type` (NULL: the signature's first) is wanted. */
bool types_wanted(const struct types_selection *selection, const struct sig *sig, const struct sig_type *type);

#endif
