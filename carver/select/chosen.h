/* SPDX-License-Identifier: Apache-2.0
 * carver/select/chosen.h - a walk over the objects of a case that were chosen, in the order that
 * was asked for, each with the name that carve gives it.
 */
#ifndef BURIN_CARVER_SELECT_CHOSEN_H
#define BURIN_CARVER_SELECT_CHOSEN_H

#include <stdint.h>
#include <stdio.h>

#include "carver/select/selection.h"
#include "db/case.h"

/* Object and name are valid until it returns. It may read db, and ask what places it knows. */
typedef enum err_code (*chosen_fn)(void *arg, const struct db_object *object, const char *name,
                                   struct err *err);

/*
 * Calls each for every object that the selection, which is open, has, as --sort and --limit say.
 *
 * out     What each writes to: the walk ends, without an error, once that failed, for the caller to
 *         look at. Or NULL.
 * chosen  How many there were.
 * Errors  ERR_INTERRUPTED; those of the case file; what each returns.
 */
ERR_MUST_CHECK enum err_code chosen_walk(struct db_case *db, struct selection *selection, FILE *out,
                                         chosen_fn each, void *arg, uint64_t *chosen,
                                         struct err *err);

#endif
