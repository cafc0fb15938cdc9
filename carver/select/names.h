/* SPDX-License-Identifier: Apache-2.0
 * carver/select/names.h - comma-separated words that choose among a few names: `--state
 * complete,footer`.
 *
 * Words are compared without regard to case; "all" stands for every name.
 */
#ifndef BURIN_CARVER_SELECT_NAMES_H
#define BURIN_CARVER_SELECT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * ERR_ARG names the first word of list that is none of the names, and the name it may have been
 * meant for.
 */
ERR_MUST_CHECK enum err_code names_check(const char *option, const char *list,
                                         const char *const *names, size_t count, struct err *err);

/* Whether the list has the name or "all". list NULL has every name. */
bool names_have(const char *list, const char *name);

/* Whether a word of len bytes is the name. */
bool names_equal(const char *word, size_t len, const char *name);

#endif
