/*
 * carver/select/selection.h - which objects of a case are wanted: what list and carve ask for
 * alike.
 *
 * While objects are asked about, each condition counts those that meet it, so that an empty answer
 * can be explained.
 */
#ifndef BURIN_CARVER_SELECT_SELECTION_H
#define BURIN_CARVER_SELECT_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/select/types.h"
#include "db/case.h"

struct selection {
    const char *types, *states, *known; /* comma-separated words, the caller's; NULL: all */
    uint64_t size_min, size_max;        /* bytes */
    struct types_filter filter;
    /*
     * Objects asked about since selection_restart, and those of them that meet one condition by
     * itself.
     */
    uint64_t objects, of_types, of_states, of_known, of_size;
};

/* Everything is wanted. */
struct selection selection_all(void);

/*
 * What can be said before there is a case file. ERR_ARG: a word that is none, or conditions that no
 * object can meet.
 */
ERR_MUST_CHECK enum err_code selection_check(const struct selection *selection, struct err *err);

/* Finds out what the words of types mean in this case. Errors as types_filter_open. */
ERR_MUST_CHECK enum err_code selection_open(struct selection *selection, struct db_case *db,
                                            struct err *err);
void selection_close(struct selection *selection); /* more than once is a no-op */

/* A new walk over the objects begins. */
void selection_restart(struct selection *selection);
bool selection_has(struct selection *selection, const struct db_object *object);

/* One line on standard error that says why nothing matched, after a walk. command: "list". */
void selection_tell_none(const struct selection *selection, const char *command,
                         const char *case_path);

#endif
